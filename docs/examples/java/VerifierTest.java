import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import io.github.understudysandbox.UnderstudyExtension;
import io.github.understudysandbox.World;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(UnderstudyExtension.class)
class VerifierTest {
    private static final Map<String, String> AT_ONCE = applicant("000-00-0000");
    private static final Map<String, String> IN_A_DAY = applicant("000-00-1002");
    private static final Map<String, String> FROZEN = applicant("000-00-0451");
    private static final Map<String, String> REFUSES = applicant("000-77-0002");

    private final List<Duration> waits = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private Verifier verifier;

    private static Map<String, String> applicant(String number) {
        return Map.of("first_name", "Ada", "last_name", "Example", "social_security_number", number, "date_of_birth", "1990-02-28");
    }

    /** The verifier hears the events of the world. Where it waits, the wait is recorded. */
    @BeforeEach
    void begin(World world) throws Exception {
        verifier = new Verifier(world.url(), world.key(), "secret", waits::add, world::now);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", verifier);
        server.setExecutor(threads);
        server.start();
        world.webhook("http://127.0.0.1:" + server.getAddress().getPort() + "/",
                Map.of("token", "secret", "events", List.of("verification_request.state.change")));
    }

    @AfterEach
    void end() {
        server.stop(0);
        threads.shutdown();
    }

    @Test
    void completes(World world) throws Exception {
        String token = verifier.begin(IN_A_DAY);
        assertNoIncome(Verifier.Reason.PENDING, token);
        world.advance("24h");
        Verifier.Income income = verifier.result(token);
        assertEquals(LocalDate.parse("2025-01-16"), income.asOf());
        assertFalse(income.grossPay().isEmpty());
        assertFalse(income.employer().isEmpty());
        world.verify("""
                {"kind": "webhook", "times": {"exactly": 2}}""");
    }

    @Test
    void hearsAnEventTwice(World world) throws Exception {
        world.addFault("{on: webhook, deliver: twice}");
        String token = verifier.begin(AT_ONCE);
        world.advance(0); // sends what is due
        assertFalse(verifier.result(token).employer().isEmpty());
        world.verify("""
                {"kind": "webhook", "match": {"status": 204}, "times": {"exactly": 4}}""");
    }

    @Test
    void hearsAnEventLate(World world) throws Exception {
        world.addFault("{on: webhook, state: [completed], deliver: {late: 2h}}");
        String token = verifier.begin(IN_A_DAY);
        world.advance("24h");
        assertNoIncome(Verifier.Reason.PENDING, token);
        world.advance("2h");
        assertEquals(LocalDate.parse("2025-01-16"), verifier.result(token).asOf());
    }

    @Test
    void hearsEventsOutOfOrder(World world) throws Exception {
        world.addFault("{on: webhook, state: [processing], deliver: out-of-order}");
        String token = verifier.begin(IN_A_DAY);
        world.advance("24h");
        assertEquals(LocalDate.parse("2025-01-16"), verifier.result(token).asOf());
        world.verify("""
                {"kind": "webhook", "times": {"exactly": 2}}""");
    }

    @Test
    void hearsAnEventBeforeTheAnswer(World world) throws Exception {
        world.addFault("{on: webhook, deliver: before-answer}");
        assertFalse(verifier.result(verifier.begin(AT_ONCE)).employer().isEmpty());
    }

    @Test
    void hearsAnEventAgainThatItCouldNotTake(World world) throws Exception {
        world.addFault("{on: get, respond: {status: 500}, times: 3}");
        String token = verifier.begin(AT_ONCE);
        world.advance(0);
        assertNoIncome(Verifier.Reason.PENDING, token);
        world.advance("1m");
        assertFalse(verifier.result(token).employer().isEmpty());
    }

    @Test
    void refusesAnotherToken(World world) throws Exception {
        world.addFault("{on: webhook, deliver: wrong-token}");
        String token = verifier.begin(AT_ONCE);
        world.advance(0);
        world.verify("""
                {"kind": "webhook", "match": {"status": 401}}""");
        assertNoIncome(Verifier.Reason.PENDING, token);
    }

    @Test
    void unavailable() {
        assertEquals(Verifier.Reason.UNAVAILABLE,
                assertThrows(Verifier.NoIncomeException.class, () -> verifier.begin(FROZEN)).reason);
    }

    @Test
    void canceled(World world) throws Exception {
        String token = verifier.begin(REFUSES);
        world.advance(0);
        assertNoIncome(Verifier.Reason.CANCELED, token);
    }

    @Test
    void retriesAfterTooManyRequests(World world) throws Exception {
        world.addFault("""
                {"on": "get", "respond": {"status": 429, "headers": {"Retry-After": "7"}}, "times": 1}""");
        String token = verifier.begin(AT_ONCE);
        world.advance(0);
        assertFalse(verifier.result(token).employer().isEmpty());
        assertEquals(List.of(Duration.ofSeconds(7)), waits);
    }

    @Test
    void retriesAtAnInstant(World world) throws Exception {
        world.addFault("""
                {"on": "get", "respond": {"status": 429, "dates": {"Retry-After": "7s"}}, "times": 1}""");
        String token = verifier.begin(AT_ONCE);
        world.advance(0);
        assertFalse(verifier.result(token).employer().isEmpty());
        assertEquals(List.of(Duration.ofSeconds(7)), waits);
    }

    @Test
    void doesNotWaitForAnHour(World world) throws Exception {
        String token = verifier.begin(AT_ONCE);
        world.advance(0);
        world.addFault("""
                {"on": "get", "respond": {"status": 429, "headers": {"Retry-After": "3600"}}}""");
        assertNoIncome(Verifier.Reason.GAVE_UP, token);
        assertEquals(List.of(), waits);
    }

    @Test
    void givesUp(World world) throws Exception {
        String token = verifier.begin(AT_ONCE);
        world.advance(0);
        world.addFault("{on: get, respond: {status: 500}}");
        assertNoIncome(Verifier.Reason.GAVE_UP, token);
        world.verify("""
                {"operation": "getVerificationRequest", "match": {"status": 500}, "times": {"exactly": 3}}""");
    }

    @Test
    void expires(World world) throws Exception {
        String token = verifier.begin(IN_A_DAY);
        world.advance(Duration.ofDays(32));
        assertNoIncome(Verifier.Reason.EXPIRED, token);
    }

    private void assertNoIncome(Verifier.Reason reason, String token) {
        assertEquals(reason, assertThrows(Verifier.NoIncomeException.class, () -> verifier.result(token)).reason);
    }
}
