package io.github.understudysandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertGone(left.url());
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
            ControlException refused = assertThrows(ControlException.class, () -> Understudy.connect(understudy.url(), "wrong"));
            assertEquals(401, refused.status());
            try (World same = Understudy.connect(understudy.url(), "correct-horse").world("token")) {
                assertEquals(world.now(), same.now());
            }
        }
    }

    @Test
    void rejectsWhatTheSpecificationForbids() throws Exception {
        for (var expected : Map.of(new Options(), 400, new Options().strict("off"), 200).entrySet()) {
            try (Understudy understudy = start(expected.getKey()); World world = understudy.world("strict")) {
                assertEquals(expected.getValue(), WorldTest.get(world, "/verification-requests/vr_completed?feilds=id"));
            }
        }
    }

    @Test
    void settingsOfAllWorlds() {
        Options options = new Options().grease("values").sessionFlow("manual").account(Map.of("types", List.of("employment")));
        try (Understudy understudy = start(options); World world = understudy.world("settings")) {
            assertEquals("values manual {\"types\":[\"employment\"]}", WorldTest.text(world.settings()));
        }
    }

    @Test
    void webhooksOfAllWorlds() {
        Options options = new Options().webhook("http://127.0.0.1:9/a", "http://127.0.0.1:9/b");
        try (Understudy understudy = start(options); World world = understudy.world("webhooks")) {
            world.move("vr_processing", "completed");
            assertEquals(List.of("1", "2"), world.deliveries().stream().map(d -> d.text("webhook")).toList());
        }
    }

    @Test
    void takesKeyPrefix() throws Exception {
        for (String[] flags : new String[][] {{"--key-prefix", "abc"}, {"--key-prefix=abc"}}) {
            try (Understudy understudy = start(new Options().args(flags)); World world = understudy.world("prefix");
                    World other = Understudy.connect(understudy.url()).world("other")) {
                assertTrue(world.key().startsWith("abc_sk_test_"), world.key());
                assertEquals(200, WorldTest.get(world, "/verification-requests/vr_completed"));
                assertEquals(200, WorldTest.get(other, "/verification-requests/vr_completed"));
            }
        }
    }

    @Test
    void takesControlAddress() throws Exception {
        try (Understudy understudy = start(new Options().args("--control-addr", "127.0.0.1:0")); World world = understudy.world("apart")) {
            assertEquals(200, WorldTest.get(world, "/verification-requests/vr_completed"));
            assertEquals(understudy.url(), world.url());
            String message = assertThrows(ControlException.class, () -> Understudy.connect(understudy.url())).getMessage();
            assertTrue(message.endsWith("it answers 404, unless its control plane has an address of its own"), message);
            try (World other = Understudy.connect(understudy.url(), understudy.control().url(), null).world("other")) {
                assertEquals(200, WorldTest.get(other, "/verification-requests/vr_completed"));
            }
        }
    }

    @Test
    void variablesDoNotReachTheEmulator() throws Exception {
        ProcessBuilder program = program("start");
        program.environment().putAll(Map.of("UNDERSTUDY_STORE", "file:/missing/folder/store.db", "UNDERSTUDY_KEY_PREFIX", "abc",
                "UNDERSTUDY_CONTROL_ADDR", "127.0.0.1:0", "UNDERSTUDY_SEED", "x"));
        Process process = program.start();
        String url = process.inputReader().readLine();
        try (World world = Understudy.connect(url).world("clean")) {
            assertTrue(world.key().startsWith("svc_sk_test_"), world.key());
        }
        process.getOutputStream().close();
        assertEquals(0, process.waitFor());
        assertGone(url);
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
            assertTrue(message.startsWith("understudy (" + (environment.isEmpty() ? "Options.binary" : "UNDERSTUDY_BINARY") + ": no-such-binary)"), message);
            for (String part : List.of("no-such-binary", "Options.binary", "bundled: the jar understudy with the classifier " + Program.platform(),
                    "UNDERSTUDY_BINARY", "PATH", "go build -o understudy ./cmd/understudy")) {
                assertTrue(message.contains(part), message);
            }
        }
    }

    @Test
    void takesTheProgramOfTheJar(@TempDir Path folder) throws Exception {
        Path jar = Files.createDirectories(folder.resolve("jar/META-INF/understudy"));
        Files.copy(Path.of(binary()), jar.resolve(Program.platform()));
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        Process process = program("program", folder.resolve("jar"), "-Djava.io.tmpdir=" + temporary).start();
        assertEquals("bundled", process.inputReader().readLine());
        assertEquals(0, temporary.toFile().list().length);
        process.getOutputStream().close();
        assertEquals(0, process.waitFor());
    }

    @Test
    void showsWhyTheStartFails() {
        String message = assertThrows(IllegalStateException.class, () -> start(new Options().args("--sed", "7"))).getMessage();
        assertTrue(message.startsWith("understudy (UNDERSTUDY_BINARY: " + binary() + ") ended with exit code 2:\n"), message);
        assertTrue(message.contains("there is no flag --sed"), message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "200 | <html> | its answer is not JSON",
        "200 | {\"status\":\"ready\"} | its answer has other JSON",
        "200 | [] | its answer has other JSON",
        "404 | <html> | it answers 404",
        "404 | {\"error\":{\"message\":\"Not Found\"}} | it answers 404",
        "502 | <html> | it answers 502"})
    void knowsAnotherProgram(int status, String body, String reason) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(status, body.length());
            exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        String message = assertThrows(ControlException.class, () -> Understudy.connect(url)).getMessage();
        server.stop(0);
        assertTrue(message.startsWith(url + " is not an emulator: " + reason), message);
    }

    @Test
    void saysThatNoEmulatorAnswers() throws Exception {
        String url;
        try (ServerSocket silent = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            url = "http://127.0.0.1:" + silent.getLocalPort();
            String message = assertThrows(ControlException.class, () -> new Control(url, null, null).info(1)).getMessage();
            assertEquals("no emulator answers at " + url + ": it does not answer within 1 s", message);
        }
        String gone = assertThrows(ControlException.class, () -> Understudy.connect(url)).getMessage();
        assertEquals("no emulator answers at " + url + ": Connection refused", gone);
        ControlException e = assertThrows(ControlException.class, () -> Understudy.connect("localhost:8080"));
        assertTrue(e.getMessage().startsWith("no emulator answers at localhost:8080: "), e.getMessage());
        assertEquals(0, e.status());
        assertEquals(null, e.document());
    }

    @Test
    void hasTheRequestsThatReachedNoWorld() throws Exception {
        try (Understudy understudy = start(new Options()); World world = understudy.world("unmatched")) {
            assertEquals(404, WorldTest.get(world, "/v1/verification-requests/vr_completed"));
            assertEquals("/v1/verification-requests/vr_completed", understudy.unmatched().get(0).path());
            assertEquals(List.of(), world.journal());
        }
    }

    /** A program that starts an emulator, prints its URL, and ends as its argument says, without close. */
    static class WithoutClose {
        public static void main(String[] args) throws Exception {
            Understudy started = Understudy.start();
            System.out.println(args[0].equals("program") ? started.program().split(":")[0] : started.url());
            switch (args[0]) {
                case "return" -> { }
                case "exit" -> System.exit(1);
                case "halt" -> Runtime.getRuntime().halt(1);
                case "error" -> throw new IllegalStateException();
                case "child" -> new ProcessBuilder("sleep", "30").start();
                default -> System.in.read();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"return", "exit", "halt", "error", "child", "INT", "TERM", "HUP", "KILL", "ABRT"})
    void endsWithTheProgram(String ending, @TempDir Path folder) throws Exception {
        ProcessBuilder builder = program(ending);
        builder.environment().put("TMPDIR", folder.toString());
        Process program = builder.start();
        String url = program.inputReader().readLine();
        assertTrue(url.startsWith("http://127.0.0.1:"), url);
        if (ending.equals(ending.toUpperCase(Locale.ROOT))) {
            assertEquals(0, new ProcessBuilder("sh", "-c", "kill -" + ending + " " + program.pid()).start().waitFor());
        }
        assertTrue(program.waitFor(30, TimeUnit.SECONDS), ending);
        assertGone(url);
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10); folder.toFile().list().length > 0; ) {
            assertTrue(System.nanoTime() < end, () -> List.of(folder.toFile().list()).toString());
        }
    }

    /** Returns WithoutClose in a process. */
    private static ProcessBuilder program(String ending) {
        return program(ending, Path.of(""), "-XX:-CreateCoredumpOnCrash");
    }

    /** Returns WithoutClose in a process that has more on its class path, and an option of the machine. */
    private static ProcessBuilder program(String ending, Path more, String option) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String path = System.getProperty("java.class.path") + File.pathSeparator + more;
        ProcessBuilder program = new ProcessBuilder(java, option, "-cp", path, WithoutClose.class.getName(), ending)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        program.environment().remove("UNDERSTUDY_URL");
        return program;
    }

    /** Fails unless the emulator at a URL ends within 10 s. */
    private static void assertGone(String url) {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10); ; ) {
            try {
                Understudy.connect(url);
            } catch (ControlException e) {
                if (e.status() == 0) {
                    return;
                }
            }
            assertTrue(System.nanoTime() < end, url + " answers");
        }
    }

    /** Starts an emulator, also where the tests run below understudy run. */
    private static Understudy start(Options options) {
        return Understudy.start(options, Map.of("UNDERSTUDY_BINARY", binary()));
    }

    private static String binary() {
        return System.getenv().getOrDefault("UNDERSTUDY_BINARY", "understudy");
    }
}
