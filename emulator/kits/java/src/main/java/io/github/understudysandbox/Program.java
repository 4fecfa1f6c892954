package io.github.understudysandbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * The program understudy, and the place where it was found.
 *
 * @param path its path, or a name on the PATH
 * @param place such as UNDERSTUDY_BINARY
 * @param temporary whether it was copied out of a jar, and goes once it is started
 */
record Program(String path, String place, boolean temporary) {
    /** Returns the program in the first place that names one. */
    static Program find(Options options, Map<String, String> environment) {
        if (options.binary != null) {
            return new Program(options.binary, "Options.binary", false);
        }
        try (InputStream bundled = Program.class.getResourceAsStream("/META-INF/understudy/" + platform())) {
            if (bundled != null) {
                return new Program(copy(bundled).toString(), "bundled", true);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the program in the jar cannot be copied to " + System.getProperty("java.io.tmpdir"), e);
        }
        String named = environment.getOrDefault("UNDERSTUDY_BINARY", "");
        return named.isEmpty() ? new Program("understudy", "the PATH", false) : new Program(named, "UNDERSTUDY_BINARY", false);
    }

    /** Copies the program to a folder of this user alone. */
    private static Path copy(InputStream bundled) throws IOException {
        Path copy = Files.createTempDirectory("understudy-").resolve("understudy.exe"); // Windows wants the ending
        Files.copy(bundled, copy);
        copy.toFile().setExecutable(true);
        return copy;
    }

    /** Deletes a copy. A system that does not delete what runs deletes it when this process ends. */
    void delete() {
        if (!temporary) {
            return;
        }
        for (Path file : new Path[] {Path.of(path), Path.of(path).getParent()}) {
            try {
                Files.delete(file);
            } catch (IOException e) {
                file.toFile().deleteOnExit();
            }
        }
    }

    /** Returns the classifier of the jar with the program for this machine, such as linux-amd64. */
    static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String name = system.startsWith("windows") ? "windows" : system.startsWith("mac") ? "darwin" : system;
        return name + "-" + System.getProperty("os.arch").replace("x86_64", "amd64").replace("aarch64", "arm64");
    }

    /** Says where the program was looked for, when it cannot be started. */
    String places(Map<String, String> environment) {
        String named = environment.getOrDefault("UNDERSTUDY_BINARY", "");
        return "A start takes the first of these places that names a program; correct one of them:"
                + "\n  Options.binary: the path of the program"
                + "\n  bundled: the jar understudy with the classifier " + platform() + " on the class path"
                + "\n  UNDERSTUDY_BINARY: the path of the program; it is " + (named.isEmpty() ? "not set" : named)
                + "\n  the PATH: a folder with understudy. In a clone, go build -o understudy ./cmd/understudy builds it";
    }

    @Override
    public String toString() {
        return place + ": " + path;
    }
}
