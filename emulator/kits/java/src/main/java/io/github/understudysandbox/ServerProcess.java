package io.github.understudysandbox;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * An emulator in a process of its own. It runs until stop, at the latest until this process ends, however it ends: the
 * emulator's standard input is a pipe that this process alone holds open, and the emulator ends with it.
 */
final class ServerProcess {
    private static final int START_SECONDS = 30;
    private static final int STOP_SECONDS = 15; // the emulator answers requests under way first
    private static final int MAX_LOG = 16 << 10; // characters, the last

    /** The base URL and, if it has an address of its own, that of the control plane. */
    final List<String> urls;
    /** What was started, and where it was found. */
    final Program program;
    private final Process process;
    private final StringBuffer log = new StringBuffer();

    ServerProcess(Options options, String token, Map<String, String> environment) {
        program = Program.find(options, environment);
        process = launch(program, options, token, environment);
        Thread logged = follow(process.errorReader(StandardCharsets.UTF_8), piece -> {
            log.append(piece);
            log.delete(0, Math.max(0, log.length() - MAX_LOG));
        });
        CompletableFuture<String> written = new CompletableFuture<>();
        follow(process.inputReader(StandardCharsets.UTF_8), written::complete);
        try {
            urls = awaitUrls(written, logged);
        } catch (RuntimeException e) {
            stop();
            throw e;
        } finally {
            program.delete();
        }
    }

    private static Process launch(Program program, Options options, String token, Map<String, String> environment) {
        List<String> command = new ArrayList<>(List.of(program.path(), "serve", "--exit-with-stdin", "--addr", "127.0.0.1:0", "--url-file", "-",
                "--clock", "2025-01-15T09:00:00Z", "--log-level", "warn", "--store", "temp", "--strict=" + options.strict,
                "--grease=" + options.grease, "--session-flow=" + options.sessionFlow, "--account=" + options.account));
        options.webhooks.forEach(url -> command.add("--webhook=" + url));
        if (options.extended) {
            command.add("--extended");
        }
        command.addAll(options.args);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("UNDERSTUDY_"));
        if (token != null) {
            builder.environment().put("UNDERSTUDY_CONTROL_TOKEN", token); // other users of the machine can read arguments
        }
        try {
            return builder.start();
        } catch (IOException e) {
            program.delete();
            throw new IllegalStateException("understudy (" + program + ") cannot be started: " + e.getMessage() + "\n" + program.places(environment), e);
        }
    }

    /** Hands on what is written, piece by piece, and at the end an empty text. */
    private static Thread follow(Reader from, Consumer<String> pieces) {
        Thread thread = new Thread(() -> {
            char[] piece = new char[MAX_LOG];
            try (from) {
                for (int n; (n = from.read(piece)) >= 0; ) {
                    pieces.accept(new String(piece, 0, n));
                }
            } catch (IOException e) {
                // The emulator is gone, as at the end.
            }
            pieces.accept("");
        }, "understudy-output");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Waits until requests are served, and returns the URLs. They come in one piece. */
    private List<String> awaitUrls(CompletableFuture<String> written, Thread logged) {
        String ended = "did not serve within " + START_SECONDS + " s";
        try {
            String text = written.get(START_SECONDS, TimeUnit.SECONDS).strip();
            if (text.startsWith("http")) {
                return text.lines().toList();
            }
            if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                ended = "ended with exit code " + process.exitValue();
                logged.join(1000);
            }
        } catch (TimeoutException e) {
            // The emulator may hang.
        } catch (InterruptedException | ExecutionException e) {
            Thread.currentThread().interrupt();
            ended = "was not awaited: the thread was interrupted";
        }
        throw new IllegalStateException("understudy (" + program + ") " + ended + ":\n" + log.toString().strip());
    }

    void stop() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
