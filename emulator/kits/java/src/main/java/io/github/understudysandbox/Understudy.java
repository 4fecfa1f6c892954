package io.github.understudysandbox;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** An emulator of the verification API. It is safe for use by several threads. */
public final class Understudy implements AutoCloseable {
    private final String url;
    private final Control control;
    private final ServerProcess process; // null: it ran already

    private Understudy(String url, String controlToken, ServerProcess process) {
        this.url = url.replaceFirst("/+$", "");
        this.control = new Control(this.url, controlToken);
        this.process = process;
    }

    /**
     * Starts an emulator on a free port of the loopback address, with clocks that stand at 2025-01-15T09:00:00Z and a store
     * that ends with it. Where the variable UNDERSTUDY_URL is set, as by {@code understudy run -- COMMAND}, that emulator is
     * used instead.
     *
     * @return the emulator, which serves requests
     * @throws IllegalStateException if it does not start
     */
    public static Understudy start() {
        return start(new Options());
    }

    /**
     * Starts an emulator with options. See {@link #start()}.
     *
     * @param options the binary, more flags, the control token
     * @return the emulator, which serves requests
     * @throws IllegalStateException if it does not start
     */
    public static Understudy start(Options options) {
        return start(options, System.getenv());
    }

    static Understudy start(Options options, Map<String, String> environment) {
        String token = options.controlToken != null ? options.controlToken : environment.get("UNDERSTUDY_CONTROL_TOKEN");
        String running = environment.getOrDefault("UNDERSTUDY_URL", "");
        if (!running.isEmpty()) {
            return new Understudy(running, token, null);
        }
        ServerProcess process = new ServerProcess(options, environment);
        return new Understudy(process.url, token, process);
    }

    /**
     * Uses an emulator that runs already. The variable UNDERSTUDY_CONTROL_TOKEN has its control token, if it requires one.
     *
     * @param url its base URL, such as http://127.0.0.1:8080
     * @return the emulator
     */
    public static Understudy connect(String url) {
        return connect(url, System.getenv("UNDERSTUDY_CONTROL_TOKEN"));
    }

    /**
     * Uses an emulator that runs already and requires a control token.
     *
     * @param url its base URL, such as http://127.0.0.1:8080
     * @param controlToken the token
     * @return the emulator
     */
    public static Understudy connect(String url, String controlToken) {
        return new Understudy(url, controlToken, null);
    }

    /**
     * Returns the base URL of the API.
     *
     * @return such as http://127.0.0.1:40123
     */
    public String url() {
        return url;
    }

    /**
     * Makes a world, with a key that no other has. Its clock is frozen where it stands.
     *
     * @param name such as the name of a test; its letters and digits become part of the key
     * @return the world, which the caller closes
     */
    public World world(String name) {
        // The unique part comes first: svc_sk_test_revoked_… is a key that is refused.
        String key = "svc_sk_test_" + UUID.randomUUID() + "_" + name.replaceAll("[^A-Za-z0-9_-]", "-");
        World world = new World(control, url, key.substring(0, Math.min(key.length(), "svc_sk_test_".length() + 128)));
        world.freeze();
        return world;
    }

    /**
     * Returns the requests that reached no world, because of their key or path.
     *
     * @return the latest first
     */
    public List<JournalEntry> unmatchedRequests() {
        return control.list(null, "unmatched-requests", Map.of(), Integer.MAX_VALUE).stream().map(JournalEntry::of).toList();
    }

    /** Returns unmatchedRequests since an instant of the machine's clock as text, as World.requests does. */
    String unmatchedSince(String instant) {
        return Requests.text(control, null, "unmatched-requests", Map.of("since", instant));
    }

    /** Stops the emulator, if this program started it. The exit of the program stops it, too. */
    @Override
    public void close() {
        if (process != null) {
            process.stop();
        }
    }
}
