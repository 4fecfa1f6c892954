package io.github.understudysandbox;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** An emulator of the verification API. It is safe for use by several threads. */
public final class Understudy implements AutoCloseable {
    private static final String UNMATCHED = "unmatched-requests";

    private final String url;
    private final Control control;
    private final String keyPrefix;
    private final ServerProcess process; // null: it ran already

    private Understudy(String url, Control control, ServerProcess process) {
        this.url = url.replaceFirst("/+$", "");
        this.control = control;
        this.process = process;
        this.keyPrefix = control.info(Control.CONNECT_SECONDS).text("key_prefix");
    }

    /**
     * Starts an emulator on a free port of the loopback address, with clocks that stand at 2025-01-15T09:00:00Z and a store
     * that ends with it. Other variables UNDERSTUDY_ of this program do not reach it. Where the variable UNDERSTUDY_URL is set,
     * as by {@code understudy run -- COMMAND}, that emulator is used instead.
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
            return connect(running, token);
        }
        ServerProcess process = new ServerProcess(options, token, environment);
        try {
            Control control = new Control(process.urls.get(process.urls.size() - 1), token, null);
            return new Understudy(process.urls.get(0), control, process);
        } catch (RuntimeException e) {
            process.stop();
            throw e;
        }
    }

    /**
     * Uses an emulator that runs already. The variable UNDERSTUDY_CONTROL_TOKEN has its control token, if it requires one.
     *
     * @param url its base URL, such as http://127.0.0.1:8080
     * @return the emulator
     * @throws ControlException if no emulator is there
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
     * @throws ControlException if no emulator is there
     */
    public static Understudy connect(String url, String controlToken) {
        return connect(url, url, controlToken);
    }

    /**
     * Uses an emulator that runs already, whose control plane has an address of its own.
     *
     * @param url its base URL, such as http://127.0.0.1:8080
     * @param controlUrl the base URL of its control plane
     * @param controlToken the token, or null
     * @return the emulator
     * @throws ControlException if no emulator is there
     */
    public static Understudy connect(String url, String controlUrl, String controlToken) {
        return new Understudy(url, new Control(controlUrl, controlToken, null), null);
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
     * Returns the program that was started, and where it was found.
     *
     * @return such as UNDERSTUDY_BINARY: /opt/understudy, or null if the emulator ran already
     */
    public String program() {
        return process == null ? null : process.program.toString();
    }

    /**
     * Makes a world, with a key that no other has. Its clock is frozen where it stands.
     *
     * @param name such as the name of a test; its letters and digits become part of the key
     * @return the world, which the caller closes
     */
    public World world(String name) {
        // The unique part comes first: svc_sk_test_revoked_… is a key that is refused.
        String part = UUID.randomUUID() + "_" + name.replaceAll("[^A-Za-z0-9_-]", "-");
        String key = keyPrefix + "_sk_test_" + part.substring(0, Math.min(part.length(), 128));
        return new World(control.withKey(key), url, key);
    }

    /**
     * Returns the requests that reached no world, because of their key or path.
     *
     * @return the latest first
     */
    public List<JournalEntry> unmatched() {
        return control.items(UNMATCHED, Map.of()).stream().map(JournalEntry::of).toList();
    }

    Control control() {
        return control;
    }

    /** Returns the id of the last request that reached no world, or null. */
    String lastUnmatched() {
        return Requests.latest(control, UNMATCHED, Map.of("limit", 1)).stream().map(d -> d.text("id")).findFirst().orElse(null);
    }

    /** Returns unmatched after the request of an id as text, as World.requests does. */
    String unmatchedSince(String id) {
        return Requests.text(control, UNMATCHED, id);
    }

    /** Stops the emulator, if this program started it. The end of the program stops it, too. */
    @Override
    public void close() {
        if (process != null) {
            process.stop();
        }
    }
}
