package io.github.understudysandbox;

import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Calls of the control plane.
 *
 * @param url its base URL
 * @param token its token, or null
 * @param key the key of the world that the calls are for, or null
 */
record Control(String url, String token, String key) {
    private static final int CALL_SECONDS = 60;
    static final int CONNECT_SECONDS = 10; // of the first call
    private static final int PAGE = 1000;
    private static final String JSON = "application/json";
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY).connectTimeout(Duration.ofSeconds(CONNECT_SECONDS)).build();

    Control {
        url = url.replaceFirst("/+$", "");
    }

    /** Returns the control plane of the world of a key. */
    Control withKey(String key) {
        return new Control(url, token, key);
    }

    /** Returns what the emulator says of itself. It fails at once if there is none, and for any other server. */
    Document info(int seconds) {
        Document info;
        try {
            info = parse(send("GET", "info", null, JSON, seconds));
        } catch (ControlException e) {
            throw e.status() != 404 ? e : new ControlException(url
                    + " is not an emulator: it answers 404, unless its control plane has an address of its own", 404, e.document());
        }
        if (!info.has("key_prefix")) {
            throw new ControlException(url + " is not an emulator: its answer has other JSON", 200, info);
        }
        return info;
    }

    /** Sends a text as YAML or any other value as JSON, and returns the document of the answer; of an empty one null. */
    Document call(String method, String path, Object body) {
        String text = body == null || body instanceof String ? (String) body : Json.write(body);
        String answer = send(method, path, text, body instanceof String ? "application/yaml" : JSON, CALL_SECONDS);
        return answer.isEmpty() ? null : parse(answer);
    }

    /** Sends a JSON text, and returns the text of the answer. */
    String json(String method, String path, String body) {
        return send(method, path, body, JSON, CALL_SECONDS);
    }

    /** Returns the items of a list that a filter selects: all, or as many as its limit says. */
    List<Document> items(String path, Map<String, ?> filter) {
        Map<String, Object> query = new LinkedHashMap<>(filter);
        int limit = filter.containsKey("limit") ? Integer.parseInt(filter.get("limit").toString()) : Integer.MAX_VALUE;
        query.put("limit", Math.min(limit, PAGE));
        List<Document> items = new ArrayList<>();
        while (true) {
            Document page = call("GET", path + "?" + encode(query), null);
            ((List<?>) page.get("items")).forEach(item -> items.add(new Document(item)));
            if (page.get("next") == null || items.size() >= limit) {
                return items.subList(0, Math.min(items.size(), limit));
            }
            query.put("after", page.text("next"));
        }
    }

    private String send(String method, String path, String body, String type, int seconds) {
        CompletableFuture<HttpResponse<String>> sent = null;
        HttpResponse<String> answer;
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "/_understudy/v1/" + path))
                    .header("Content-Type", type)
                    .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            if (key != null) {
                request.header("Authorization", "Bearer " + key);
            }
            if (token != null) {
                request.header("Understudy-Control-Token", token);
            }
            sent = CLIENT.sendAsync(request.build(), BodyHandlers.ofString());
            answer = sent.get(seconds, TimeUnit.SECONDS); // a limit of the request ends with the headers of its answer
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw noAnswer("it does not answer within " + seconds + " s", e);
        } catch (ExecutionException e) {
            throw noAnswer(words(e.getCause()), e.getCause());
        } catch (IllegalArgumentException e) { // what is no URL
            throw noAnswer(e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw noAnswer("the thread was interrupted", e);
        }
        if (answer.statusCode() >= 300) {
            throw refused(answer);
        }
        return answer.body();
    }

    /** Returns the cause in words. The client has none for a connection that is refused. */
    private static String words(Throwable cause) {
        if (cause instanceof ConnectException && cause.getMessage() == null) {
            return cause.getCause() instanceof UnresolvedAddressException ? "Unknown host" : "Connection refused";
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    private ControlException noAnswer(String why, Throwable cause) {
        ControlException e = new ControlException("no emulator answers at " + url + ": " + why, 0, null);
        e.initCause(cause);
        return e;
    }

    /** Returns the error of an answer. One without a message comes from another program, such as a proxy. */
    private ControlException refused(HttpResponse<String> answer) {
        try {
            Document document = new Document(Json.parse(answer.body()));
            return new ControlException(document.text("error.message"), answer.statusCode(), document);
        } catch (IllegalArgumentException | NoSuchElementException e) {
            return new ControlException(url + " is not an emulator: it answers " + answer.statusCode(), answer.statusCode(), null);
        }
    }

    private Document parse(String answer) {
        try {
            return new Document(Json.parse(answer));
        } catch (IllegalArgumentException e) {
            throw new ControlException(url + " is not an emulator: its answer is not JSON", 0, null);
        }
    }

    private static String encode(Map<String, ?> query) {
        return query.entrySet().stream().map(e -> encode(e.getKey()) + "=" + encode(String.valueOf(e.getValue())))
                .collect(Collectors.joining("&"));
    }

    /** Escapes a part of a path or of a query. */
    static String encode(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
