package io.github.understudysandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UnderstudyTest {
    @Test
    void startsAndStops() {
        World left;
        try (Understudy understudy = start(new Options()); World world = understudy.world("a test, whose name is long ".repeat(9))) {
            left = world;
            assertEquals(Instant.parse("2025-01-15T09:00:00Z"), world.now());
            assertTrue(world.key().matches("svc_sk_test_[A-Za-z0-9_-]{128}"), world.key());
            assertEquals(understudy.url(), world.url());
        }
        assertThrows(UncheckedIOException.class, left::now);
    }

    @Test
    void worldsAreApart() {
        try (Understudy understudy = start(new Options()); World one = understudy.world("revoked"); World other = understudy.world("revoked")) {
            one.force("vr_completed", "processing");
            assertNotEquals(one.key(), other.key());
            assertEquals("processing", one.verificationRequest("vr_completed").text("state"));
            assertEquals("completed", other.verificationRequest("vr_completed").text("state"));
        }
    }

    @Test
    void takesFlagsAndToken() {
        Options options = new Options().args("--clock", "2026-07-01T00:00:00Z").controlToken("correct-horse");
        try (Understudy understudy = start(options); World world = understudy.world("token")) {
            assertEquals(Instant.parse("2026-07-01T00:00:00Z"), world.now());
            ControlPlaneException refused = assertThrows(ControlPlaneException.class,
                    () -> Understudy.connect(understudy.url(), "wrong").world("token"));
            assertEquals(401, refused.status());
            try (World same = Understudy.connect(understudy.url(), "correct-horse").world("token")) {
                assertEquals(world.now(), same.now());
            }
        }
    }

    @Test
    void usesTheEmulatorThatRuns() {
        try (Understudy understudy = start(new Options())) {
            Understudy same = Understudy.start(new Options().binary("no-such-binary"), Map.of("UNDERSTUDY_URL", understudy.url() + "/"));
            assertEquals(understudy.url(), same.url());
            same.close();
            understudy.world("after").close(); // it serves
        }
    }

    @Test
    void freezesTheClockWhereItStands() {
        try (Understudy understudy = start(new Options().args("--clock", "real")); World world = understudy.world("frozen")) {
            assertEquals(world.now(), world.now());
        }
    }

    @Test
    void namesTheMissingBinary() {
        for (Map<String, String> environment : List.of(Map.of("UNDERSTUDY_BINARY", "no-such-binary"), Map.<String, String>of())) {
            Options options = environment.isEmpty() ? new Options().binary("no-such-binary") : new Options();
            String message = assertThrows(IllegalStateException.class, () -> Understudy.start(options, environment)).getMessage();
            for (String part : List.of("no-such-binary", "Options.binary", "UNDERSTUDY_BINARY", "PATH", "go build -o understudy ./cmd/understudy")) {
                assertTrue(message.contains(part), message);
            }
        }
    }

    @Test
    void showsWhyTheStartFails() {
        String message = assertThrows(IllegalStateException.class, () -> start(new Options().args("--sed", "7"))).getMessage();
        assertTrue(message.startsWith("the emulator did not start: exit code 2\n"), message);
        assertTrue(message.contains("sed"), message);
    }

    @Test
    void hasTheRequestsThatReachedNoWorld() throws Exception {
        try (Understudy understudy = start(new Options()); World world = understudy.world("unmatched")) {
            assertEquals(404, WorldTest.get(world, "/v1/verification-requests/vr_completed"));
            assertEquals("/v1/verification-requests/vr_completed", understudy.unmatchedRequests().get(0).path());
            assertEquals(List.of(), world.journal());
        }
    }

    /** A program that ends without close. */
    static class WithoutClose {
        public static void main(String[] args) {
            System.out.println(start(new Options()).url());
        }
    }

    @Test
    void stopsAtTheExitOfTheProgram() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process program = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), WithoutClose.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String url = program.inputReader().readLine();
        assertEquals(0, program.waitFor());
        assertTrue(url.startsWith("http://127.0.0.1:"), url);
        assertThrows(UncheckedIOException.class, () -> Understudy.connect(url).world("gone"));
    }

    /** Starts an emulator, also where the tests run below understudy run. */
    private static Understudy start(Options options) {
        return Understudy.start(options, Map.of("UNDERSTUDY_BINARY", binary()));
    }

    private static String binary() {
        return System.getenv().getOrDefault("UNDERSTUDY_BINARY", "understudy");
    }
}
