package io.github.understudysandbox;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Sends the calls of the control plane. */
final class Control {
    private static final int PAGE = 1000;

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY).connectTimeout(Duration.ofSeconds(10)).build();
    private final String url;
    private final String token;

    Control(String url, String token) {
        this.url = url;
        this.token = token;
    }

    /** Returns what the control plane answers. The key names the world, and is null for a call that is of none. */
    String send(String key, String method, String path, String body) {
        String call = method + " " + url + "/_understudy/v1/" + path;
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "/_understudy/v1/" + path))
                .timeout(Duration.ofMinutes(1))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        if (token != null) {
            request.header("Understudy-Control-Token", token);
        }
        HttpResponse<String> answer;
        try {
            answer = client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(call + ": no answer from the emulator: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new InterruptedIOException(call));
        }
        if (answer.statusCode() >= 300) {
            throw new ControlPlaneException(call, answer.statusCode(), message(answer.body()));
        }
        return answer.body();
    }

    Document document(String key, String method, String path, String body) {
        return new Document(Json.parse(send(key, method, path, body)));
    }

    /** Returns the elements of a list, at most max, from as many pages as it has. */
    List<Document> list(String key, String path, Map<String, String> filter, int max) {
        Map<String, String> query = new LinkedHashMap<>(filter);
        query.putIfAbsent("limit", String.valueOf(Math.min(max, PAGE)));
        List<Document> all = new ArrayList<>();
        while (true) {
            Document page = document(key, "GET", path + "?" + encode(query), null);
            ((List<?>) page.get("items")).forEach(item -> all.add(new Document(item)));
            if (page.get("next") == null || all.size() >= max) {
                return all;
            }
            query.put("after", page.text("next"));
        }
    }

    private static String encode(Map<String, String> query) {
        return query.entrySet().stream().map(e -> encode(e.getKey()) + "=" + encode(e.getValue())).collect(Collectors.joining("&"));
    }

    /** Escapes a part of a path or of a query. */
    static String encode(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns the message of an error, or the body of an answer that is not from the control plane. */
    private static String message(String body) {
        try {
            return new Document(Json.parse(body)).text("error.message");
        } catch (RuntimeException e) {
            return body;
        }
    }
}
