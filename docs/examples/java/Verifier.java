import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Finds out what an applicant earns. It is an example of a program that uses the verification API; its tests show how such a
 * program is tested. As a handler it serves the webhook of the API.
 */
public final class Verifier implements HttpHandler {
    private static final int RETRIES = 3; // of one call
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2); // where an answer does not say
    private static final Duration LONGEST = Duration.ofSeconds(10); // that an answer or a retry is waited for
    private static final Duration EXPIRE_IN = Duration.ofDays(30); // what was true a month ago counts no more

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Gson GSON = new GsonBuilder().setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create();

    private final String url;
    private final String key;
    private final String secret;
    private final Consumer<Duration> pause;
    private final Supplier<Instant> now;
    private final Map<String, String> ended = new ConcurrentHashMap<>(); // verification requests, by the tokens of their sessions

    /**
     * Makes a verifier.
     *
     * @param url the base URL of the API
     * @param key the API key
     * @param secret the token of the webhook
     * @param pause waits for a span of time
     * @param now the present instant
     */
    public Verifier(String url, String key, String secret, Consumer<Duration> pause, Supplier<Instant> now) {
        this.url = url;
        this.key = key;
        this.secret = secret;
        this.pause = pause;
        this.now = now;
    }

    /** What the latest report says of a person. */
    public record Income(String employer, String grossPay, LocalDate asOf) {
    }

    /** Why there is no income. */
    public enum Reason { UNAVAILABLE, EXPIRED, GAVE_UP, PENDING, CANCELED }

    /** There is no income, for a reason. */
    public static final class NoIncomeException extends Exception {
        private static final long serialVersionUID = 1;

        /** The reason. */
        public final Reason reason;

        NoIncomeException(Reason reason) {
            super(switch (reason) {
                case UNAVAILABLE -> "the applicant has frozen their data";
                case EXPIRED -> "the data is too old: order a new verification";
                case GAVE_UP -> "the service does not answer";
                case PENDING -> "the verification has not ended";
                case CANCELED -> "the verification ended without a report";
            });
            this.reason = reason;
        }
    }

    /** Begins the verification of an applicant, and returns the token that the applicant's browser uses. */
    public String begin(Map<String, String> applicant) throws IOException, InterruptedException, NoIncomeException {
        Map<String, Object> order = Map.of("type", "employment-income", "use_case", "tenant",
                "permissible_purpose", "employee-request", "target", applicant);
        return call(request("/credentials/session").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(GSON.toJson(order))), Session.class).token;
    }

    /** Serves the webhook. What fails is not taken, so that the service sends it again. */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        int status = 204;
        if (!secret.equals(exchange.getRequestHeaders().getFirst("X-Webhook-Token"))) {
            status = 401;
        } else {
            try {
                hear(GSON.fromJson(new String(exchange.getRequestBody().readAllBytes(), UTF_8), Event.class));
            } catch (IOException | InterruptedException | NoIncomeException e) {
                status = 503;
            }
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    /**
     * Takes an event. It may come twice, late, after a later one, or before the answer that has the session's token: so what
     * counts is not what it says, but what the request says now.
     */
    private void hear(Event event) throws IOException, InterruptedException, NoIncomeException {
        if (List.of("completed", "canceled", "invalid").contains(get(event.data.verificationRequestId).state)) {
            ended.put(event.data.credentialsSessionToken, event.data.verificationRequestId);
        }
    }

    /** Returns the income that the session with a token has shown. */
    public Income result(String token) throws IOException, InterruptedException, NoIncomeException {
        if (!ended.containsKey(token)) {
            throw new NoIncomeException(Reason.PENDING);
        }
        Verification request = get(ended.get(token));
        if (request.reports == null || request.reports.isEmpty()) {
            throw new NoIncomeException(Reason.CANCELED);
        }
        Report report = request.reports.get(0);
        LocalDate asOf = LocalDate.parse(report.currentAsOf);
        if (asOf.atStartOfDay().toInstant(ZoneOffset.UTC).plus(EXPIRE_IN).isBefore(now.get())) {
            throw new NoIncomeException(Reason.EXPIRED);
        }
        return new Income(report.employer.name, report.employee.salary.grossPay, asOf);
    }

    private Verification get(String id) throws IOException, InterruptedException, NoIncomeException {
        return call(request("/verification-requests/" + id), Verification.class);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).timeout(LONGEST).header("Authorization", "Bearer " + key);
    }

    /** Sends a request, and again after 429 and 500. */
    private <T> T call(HttpRequest.Builder request, Class<T> of) throws IOException, InterruptedException, NoIncomeException {
        for (int i = 0; i < RETRIES; i++) {
            HttpResponse<String> answer = CLIENT.send(request.build(), BodyHandlers.ofString());
            switch (answer.statusCode()) {
                case 200, 201:
                    return GSON.fromJson(answer.body(), of);
                case 451:
                    throw new NoIncomeException(Reason.UNAVAILABLE);
                case 429, 500:
                    Duration after = retryAfter(answer);
                    if (after.compareTo(LONGEST) > 0) {
                        throw new NoIncomeException(Reason.GAVE_UP);
                    }
                    pause.accept(after);
                    break;
                default:
                    throw new IOException("the service answers " + answer.statusCode());
            }
        }
        throw new NoIncomeException(Reason.GAVE_UP);
    }

    /** Returns how long to wait before a call is sent again: Retry-After is a number of seconds, or an instant. */
    private static Duration retryAfter(HttpResponse<?> answer) {
        String after = answer.headers().firstValue("Retry-After").orElse("");
        if (after.matches("[0-9]{1,9}")) {
            return Duration.ofSeconds(Long.parseLong(after));
        }
        try {
            return Duration.between(instant(answer.headers().firstValue("Date").orElse("")), instant(after));
        } catch (DateTimeParseException e) {
            return RETRY_AFTER;
        }
    }

    private static Instant instant(String text) {
        return DateTimeFormatter.RFC_1123_DATE_TIME.parse(text, Instant::from);
    }

    // The fields that this program reads.

    private record Session(String token) {
    }

    private record Event(Data data) {
    }

    private record Data(String verificationRequestId, String credentialsSessionToken) {
    }

    private record Verification(String state, List<Report> reports) {
    }

    private record Report(String currentAsOf, Employee employee, Employer employer) {
    }

    private record Employee(Salary salary) {
    }

    private record Salary(String grossPay) {
    }

    private record Employer(String name) {
    }
}
