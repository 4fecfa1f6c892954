package io.github.understudysandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs classes of tests as a runner does, and reads what they print. */
class UnderstudyExtensionTest {
    @ExtendWith(UnderstudyExtension.class)
    static class Failing {
        @Test
        void misspells(World world) throws Exception {
            WorldTest.get(world, "/verification-requests/vr_completd");
            WorldTest.get(world, "/v1/verification-requests/vr_completed");
            fail();
        }

        @ParameterizedTest
        @ValueSource(strings = "a")
        void misspellsOf(String text, World world) throws Exception {
            WorldTest.get(world, "/verification-requests/vr_" + text);
            fail();
        }
    }

    @Test
    void printsTheRequestsOfFailedTest() {
        Run run = new Run(Failing.class, false);
        assertEquals(2, run.summary.getTestsFailedCount());
        for (String part : new String[] {
            "understudy: the requests of Failing.misspells:\n   1  2025-01-15T09:00:00Z  400 GET /verification-requests/vr_completd\n",
            "      - no verification request is \"vr_completd\": did you mean vr_completed?\n",
            "understudy: the requests that reached no world while it ran:\n   1  ",
            "404 GET /v1/verification-requests/vr_completed\n",
            "understudy: the requests of Failing.misspellsOf [1] a:\n   1  2025-01-15T09:00:00Z  400 GET /verification-requests/vr_a\n"}) {
            assertTrue(run.printed.contains(part), () -> part + " is not in\n" + run.printed);
        }
    }

    @ExtendWith(UnderstudyExtension.class)
    static class FailingBefore {
        @BeforeEach
        void asks(World world) throws Exception {
            WorldTest.get(world, "/verification-requests/vr_completd");
            fail();
        }

        @Test
        void isNotReached() {
        }
    }

    @Test
    void printsTheRequestsOfFailedBeforeEach() {
        assertTrue(new Run(FailingBefore.class, false).printed.contains("the requests of FailingBefore.isNotReached:\n   1  "));
    }

    @ExtendWith(UnderstudyExtension.class)
    static class Passing {
        @Test
        void misspells(World world) throws Exception {
            assertEquals(400, WorldTest.get(world, "/verification-requests/vr_completd"));
        }
    }

    @Test
    void printsNothingOfPassedTest() {
        Run run = new Run(Passing.class, false);
        assertEquals(1, run.summary.getTestsSucceededCount());
        assertFalse(run.printed.contains("understudy:"), run.printed);
    }

    @ExtendWith(UnderstudyExtension.class)
    static class Parallel {
        static final CyclicBarrier bothRun = new CyclicBarrier(2);

        @BeforeEach
        void isTheSameWorld(World world) {
            world.advance(Duration.ofHours(1));
        }

        @Test
        void one(World world, Understudy understudy) throws Exception {
            isAlone(world, understudy);
        }

        @Test
        void other(World world, Understudy understudy) throws Exception {
            isAlone(world, understudy);
        }

        private void isAlone(World world, Understudy understudy) throws Exception {
            bothRun.await(30, TimeUnit.SECONDS);
            assertEquals(understudy.url(), world.url());
            assertEquals(Instant.parse("2025-01-15T10:00:00Z"), world.now());
            WorldTest.get(world, "/verification-requests/vr_completed");
            bothRun.await(30, TimeUnit.SECONDS);
            assertEquals(1, world.journal().size());
        }
    }

    @Test
    void testsInParallelHaveWorldsOfTheirOwn() {
        TestExecutionSummary summary = new Run(Parallel.class, true).summary;
        assertEquals(2, summary.getTestsSucceededCount(), () -> summary.getFailures().get(0).getException().toString());
    }

    @ExtendWith(UnderstudyExtension.class)
    static class Deleted {
        static final AtomicReference<World> former = new AtomicReference<>();

        @Test
        void one(World world) {
            isNew(world);
        }

        @Test
        void other(World world) {
            isNew(world);
        }

        private void isNew(World world) {
            World deleted = former.getAndSet(world);
            if (deleted != null) {
                assertEquals(Instant.parse("2025-01-15T09:00:00Z"), deleted.now());
            }
            world.advance(Duration.ofHours(1));
        }
    }

    @Test
    void deletesTheWorldAfterItsTest() {
        assertEquals(2, new Run(Deleted.class, false).summary.getTestsSucceededCount());
        try {
            Deleted.former.get().now();
            fail("the emulator runs after the tests");
        } catch (ControlException e) {
            assertTrue(e.getMessage().startsWith("no emulator answers at http://127.0.0.1:"), e.getMessage());
        }
    }

    static class WithOptions {
        @RegisterExtension
        static final UnderstudyExtension understudy = new UnderstudyExtension(new Options().args("--clock", "2026-07-01T00:00:00Z"));

        @Test
        void startsThere(World world) {
            assertEquals(Instant.parse("2026-07-01T00:00:00Z"), world.now());
        }
    }

    @Test
    void takesOptions() {
        assertEquals(1, new Run(WithOptions.class, false).summary.getTestsSucceededCount());
    }

    static class WithoutJournal {
        @RegisterExtension
        static final UnderstudyExtension understudy = new UnderstudyExtension(new Options().args("--journal-size", "0"));

        @Test
        void fails(World world) {
            fail("for itself");
        }
    }

    @Test
    void printsNothingWithoutJournal() {
        Run run = new Run(WithoutJournal.class, false);
        Throwable failure = run.summary.getFailures().get(0).getException();
        assertEquals("for itself", failure.getMessage());
        assertEquals(0, failure.getSuppressed().length);
        assertFalse(run.printed.contains("understudy:"), run.printed);
    }

    @ExtendWith(UnderstudyExtension.class)
    static class BeforeAllOfClass {
        @BeforeAll
        static void asks(World world) {
        }

        @Test
        void isNotReached() {
        }
    }

    @Test
    void worldOutsideOfTestIsRefused() {
        String message = new Run(BeforeAllOfClass.class, false).summary.getFailures().get(0).getException().getMessage();
        assertTrue(message.contains("a World belongs to one test"), message);
    }

    /** A run of the tests of a class, with what it prints to standard error. */
    private static final class Run {
        final TestExecutionSummary summary;
        final String printed;

        Run(Class<?> tests, boolean parallel) {
            var request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests))
                    .configurationParameter("junit.jupiter.execution.parallel.enabled", String.valueOf(parallel))
                    .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                    .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                    .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "2").build();
            var listener = new SummaryGeneratingListener();
            var written = new ByteArrayOutputStream();
            PrintStream standardError = System.err;
            System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
            try {
                LauncherFactory.create().execute(request, listener);
            } finally {
                System.setErr(standardError);
            }
            summary = listener.getSummary();
            printed = written.toString(StandardCharsets.UTF_8);
        }
    }
}
