import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.understudysandbox.UnderstudyExtension;
import io.github.understudysandbox.World;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(UnderstudyExtension.class)
class VerifierTest {
    private final List<Duration> waits = new ArrayList<>();
    private Verifier verifier;

    /** Where the verifier waits, the world's clock moves, and the wait is recorded. */
    @BeforeEach
    void begin(World world) {
        verifier = new Verifier(world.url(), world.key(), wait -> {
            waits.add(wait);
            world.advance(wait);
        }, world::now);
    }

    @Test
    void completes(World world) throws Exception {
        Verifier.Income income = verifier.income("vr_lifecycle_timed");
        assertEquals(LocalDate.parse("2025-01-16"), income.asOf());
        assertFalse(income.grossPay().isEmpty());
        assertFalse(income.employer().isEmpty());
        assertEquals(Collections.nCopies(4, Duration.ofHours(6)), waits);
        world.verify("""
                {"operation": "getVerificationRequest", "times": {"exactly": 5}}""");
    }

    @Test
    void unavailable() {
        assertNoIncome(Verifier.Reason.UNAVAILABLE, "vr_error_451");
    }

    @Test
    void retriesAfterTooManyRequests(World world) throws Exception {
        world.addFault("""
                {"on": "get", "respond": {"status": 429, "headers": {"Retry-After": "7"}}, "times": 1}""");
        verifier.income("vr_completed");
        assertEquals(List.of(Duration.ofSeconds(7)), waits);
    }

    @Test
    void retriesAfterServerError(World world) throws Exception {
        world.addFault("""
                {"on": "get", "respond": {"status": 500}, "times": 2}""");
        verifier.income("vr_completed");
        assertEquals(2, waits.size());
    }

    @Test
    void givesUp(World world) {
        world.addFault("""
                {"on": "get", "respond": {"status": 500}}""");
        assertNoIncome(Verifier.Reason.GAVE_UP, "vr_completed");
        world.verify("""
                {"operation": "getVerificationRequest", "times": {"exactly": 3}}""");
    }

    @Test
    void expires(World world) throws Exception {
        verifier.income("vr_lifecycle_timed");
        world.advance(Duration.ofDays(31));
        assertNoIncome(Verifier.Reason.EXPIRED, "vr_lifecycle_timed");
    }

    private void assertNoIncome(Verifier.Reason reason, String id) {
        assertEquals(reason, assertThrows(Verifier.NoIncomeException.class, () -> verifier.income(id)).reason);
    }
}
