import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** A client for the tests of the trial, with the mistake that MISTAKE names: it waits for a request by its id, creates a session, has
 * its person use the token, and cancels another request. */
class Client {
    static final String URL = System.getenv("UNDERSTUDY_URL"), KEY = System.getenv("UNDERSTUDY_KEY"), MISTAKE = System.getenv("MISTAKE");

    static class Refusal extends IOException {
        final int status;
        final long after; // milliseconds; -1: the answer does not say

        Refusal(int status, long after) {
            super("status " + status);
            this.status = status;
            this.after = after;
        }
    }

    record Answer(String text, String world) {
        /** The value of a key, "" without it. */
        String get(String key) {
            var found = Pattern.compile('"' + key + "\"\\s*:\\s*\"([^\"]*)\"").matcher(text);
            return found.find() ? found.group(1) : "";
        }
    }

    static long retryAfter(HttpURLConnection c) {
        String after = c.getHeaderField("Retry-After");
        if (after == null || after.matches("\\d+")) return after == null ? -1 : 1000 * Long.parseLong(after);
        return c.getHeaderFieldDate("Retry-After", 0) - c.getDate();
    }

    static Answer send(String method, String path, String version, String body) throws IOException {
        long until = System.nanoTime() + 5_000_000_000L;
        var c = (HttpURLConnection) new URL(URL + path).openConnection();
        c.setRequestMethod(method);
        c.setConnectTimeout(5000);
        c.setReadTimeout(5000);
        c.setInstanceFollowRedirects(false);
        c.setRequestProperty("Authorization", "Bearer " + KEY);
        c.setRequestProperty("Accept", version.isEmpty() ? "*/*" : "application/json; version=" + version);
        if (body != null) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            c.setRequestProperty("Content-Type", "application/json");
            c.setDoOutput(true);
            c.setFixedLengthStreamingMode(bytes.length); // nothing is sent again by itself
            c.getOutputStream().write(bytes);
        }
        int status = c.getResponseCode();
        if (status < 0) throw new IOException("the answer is not HTTP");
        if (status >= 400) throw new Refusal(status, retryAfter(c));
        var text = new ByteArrayOutputStream();
        try (var in = c.getInputStream()) {
            byte[] part = new byte[4096];
            for (int n; (n = in.read(part)) >= 0; text.write(part, 0, n))
                if (System.nanoTime() > until) throw new SocketTimeoutException("the answer comes too slowly");
        }
        if (text.size() < c.getContentLength()) throw new IOException("the answer did not arrive whole");
        return new Answer(text.toString(StandardCharsets.UTF_8), c.getHeaderField("Understudy-World"));
    }

    /** The milliseconds after which a request may be sent again, -1 when it may not. */
    static long mayRetry(IOException e) {
        if (!(e instanceof Refusal r)) return 0;
        if (r.status == 429) return MISTAKE.equals("Retry-After is ignored") ? 0 : r.after > 3000 ? -1 : Math.max(0, r.after);
        if (r.status == 451 && MISTAKE.equals("a 451 is taken for a 500")) return 0;
        return r.status >= 500 && r.status != 501 ? Math.max(0, r.after) : -1;
    }

    static String read(String id) throws Exception {
        for (int left = 2;; left--) {
            try {
                return send("GET", "/verification-requests/" + id, "2019-10-15", null).get("state");
            } catch (IOException e) {
                long after = mayRetry(e);
                if (after < 0 || left == 0) throw e;
                Thread.sleep(after);
            }
        }
    }

    static final String SESSION = """
        {"permissible_purpose": "credit-application", "type": "employment-income", "use_case": "mortgage", "target": {"first_name": "Ada",
        "last_name": "Example", "date_of_birth": "1985-04-12", "social_security_number": "000-00-0000"}}""";

    static Answer create() throws IOException {
        try {
            return send("POST", "/credentials/session", "2022-08-01", SESSION);
        } catch (IOException e) {
            if (e instanceof Refusal || !MISTAKE.equals("a second session after a lost answer")) throw e;
            return send("POST", "/credentials/session", "2022-08-01", SESSION);
        }
    }

    static void createSession() throws Exception {
        var created = create();
        try { // as the person's browser
            send("POST", "/_understudy/flow?outcome=success&world=" + created.world + "&token=" + created.get("token"), "", "");
        } catch (Refusal e) {
            System.err.println("the session was finished already: " + e.getMessage());
        }
        String state = send("GET", "/_understudy/v1/credentials-sessions/" + created.get("id"), "", null).get("state");
        if (!state.equals("completed")) throw new Exception("the session's request is " + state);
    }

    static void awaitEnd(String id) throws Exception {
        for (int n = 0; n < 5 || MISTAKE.equals("polling without end"); n++) {
            switch (read(id)) {
                case "": throw new Exception("the request has no state");
                case "completed", "canceled", "invalid": return;
                default: Thread.sleep(10);
            }
        }
        throw new Exception(id + " has not ended in time");
    }

    static void cancel(String id) throws Exception {
        String path = "/verification-requests/" + id;
        for (int n = 0; n < 2; n++) {
            try {
                if (send("PUT", path + "/cancel", "2022-08-01", "{\"cancellation_reason\": \"immediate\"}").get("state").equals("canceled")) return;
            } catch (IOException e) {
                if (MISTAKE.equals("a lost answer to a cancel is a failure")) throw e;
                long after = mayRetry(e);
                if (after < 0 && e instanceof Refusal r && r.status == 429) throw e;
                Thread.sleep(Math.max(0, after));
            }
            if (read(id).equals("canceled")) return;
        }
        throw new Exception("it is not canceled");
    }

    public static void main(String[] args) {
        try {
            awaitEnd("vr_frequency_weekly");
            createSession();
            cancel("vr_processing");
        } catch (Exception e) {
            System.err.println(e);
            System.exit(1);
        }
    }
}
