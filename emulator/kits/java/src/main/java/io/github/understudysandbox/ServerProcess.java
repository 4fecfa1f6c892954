package io.github.understudysandbox;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An emulator in a process of its own, which ends with this one. */
final class ServerProcess {
    private static final int START_SECONDS = 30;
    private static final int STOP_SECONDS = 10;

    final String url;
    private final Process process;
    private final Path folder;
    private final Thread atExit = new Thread(this::end, "understudy-stop");

    ServerProcess(Options options, Map<String, String> environment) {
        try {
            folder = Files.createTempDirectory("understudy");
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary folder for the emulator: " + e, e);
        }
        Path log = folder.resolve("stderr");
        process = launch(options, environment, log.toFile());
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            url = awaitUrl(log);
        } catch (RuntimeException e) {
            stop();
            throw e;
        }
    }

    private Process launch(Options options, Map<String, String> environment, File log) {
        String binary = options.binary != null ? options.binary : environment.getOrDefault("UNDERSTUDY_BINARY", "understudy");
        List<String> command = new ArrayList<>(List.of(binary, "serve", "--addr", "127.0.0.1:0", "--url-file", urlFile().toString(),
                "--clock", "2025-01-15T09:00:00Z", "--log-level", "warn", "--store", "temp"));
        command.addAll(options.args);
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(log);
        if (options.controlToken != null) {
            builder.environment().put("UNDERSTUDY_CONTROL_TOKEN", options.controlToken);
        }
        try {
            return builder.start();
        } catch (IOException e) {
            delete();
            throw new IllegalStateException("the emulator cannot be started: " + e.getMessage() + "\nName its binary by Options.binary, "
                    + "by the variable UNDERSTUDY_BINARY, or put it on the PATH as understudy. "
                    + "To build it: go build -o understudy ./cmd/understudy in a clone of its repository", e);
        }
    }

    private Path urlFile() {
        return folder.resolve("url");
    }

    /** Waits until requests are served: the emulator writes the file then, in one step. */
    private String awaitUrl(Path log) {
        try {
            for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS); System.nanoTime() < end; ) {
                if (Files.exists(urlFile())) {
                    return Files.readString(urlFile()).strip();
                }
                if (process.waitFor(10, TimeUnit.MILLISECONDS)) {
                    throw new IllegalStateException("the emulator did not start: exit code " + process.exitValue() + "\n"
                            + Files.readString(log).strip());
                }
            }
            throw new IllegalStateException("the emulator did not start in " + START_SECONDS + " s\n" + Files.readString(log).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the start of the emulator was interrupted", e);
        }
    }

    void stop() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The process ends already: atExit does the same.
        }
        end();
    }

    private synchronized void end() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        delete();
    }

    private void delete() {
        for (File file : new File[] {urlFile().toFile(), folder.resolve("stderr").toFile(), folder.toFile()}) {
            file.delete();
        }
    }
}
