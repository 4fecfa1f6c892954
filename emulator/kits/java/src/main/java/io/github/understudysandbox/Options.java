package io.github.understudysandbox;

import java.util.List;

/** How an emulator is started. Each setting is optional. An emulator that runs already, as in UNDERSTUDY_URL, keeps its own. */
public final class Options {
    String binary;
    List<String> args = List.of();
    String strict = "spec";
    String grease = "off";
    String sessionFlow = "auto";
    String account = "";
    List<String> webhooks = List.of();
    boolean extended;
    String controlToken;

    /** Makes options without a setting. */
    public Options() {
    }

    /**
     * Sets the binary. Without it, it is the one in the jar for this platform, else that of the variable UNDERSTUDY_BINARY, else
     * understudy on the PATH.
     *
     * @param path a path, or a name on the PATH
     * @return these options
     */
    public Options binary(String path) {
        binary = path;
        return this;
    }

    /**
     * Sets more flags of understudy serve.
     *
     * @param flags such as "--seed", "7"
     * @return these options
     */
    public Options args(String... flags) {
        args = List.of(flags);
        return this;
    }

    /**
     * Sets what is rejected with 400 instead of being diagnosed only. Without it, that is spec: what the specification requires of
     * every caller.
     *
     * @param meanings those of the flag --strict of understudy serve, such as "spec,version", or "off"
     * @return these options
     */
    public Options strict(String meanings) {
        strict = meanings;
        return this;
    }

    /**
     * Sets whether answers change in what no client may rely on. Without it, they do not.
     *
     * @param word off, on or values
     * @return these options
     */
    public Options grease(String word) {
        grease = word;
        return this;
    }

    /**
     * Sets who uses the token of a credentials session. Without it, the emulator does at once.
     *
     * @param word auto, or manual for a person
     * @return these options
     */
    public Options sessionFlow(String word) {
        sessionFlow = word;
        return this;
    }

    /**
     * Sets what the client's account may do. Without it, that is everything.
     *
     * @param value a Map such as {types: [employment]}, or what the flag --account of understudy serve takes
     * @return these options
     */
    public Options account(Object value) {
        account = value instanceof String text ? text : Json.write(value);
        return this;
    }

    /**
     * Sets what every world subscribes to its events. Without it, nothing does.
     *
     * @param urls such as http://127.0.0.1:8081/hooks
     * @return these options
     */
    public Options webhook(String... urls) {
        webhooks = List.of(urls);
        return this;
    }

    /**
     * Sets whether operations beyond the specification are served. Without it, they are not.
     *
     * @param on whether they are
     * @return these options
     */
    public Options extended(boolean on) {
        extended = on;
        return this;
    }

    /**
     * Sets the control token. Without it, the variable UNDERSTUDY_CONTROL_TOKEN has it, if one is required.
     *
     * @param token the token
     * @return these options
     */
    public Options controlToken(String token) {
        controlToken = token;
        return this;
    }
}
