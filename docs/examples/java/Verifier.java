import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Finds out what an applicant earns. It is an example of a program that uses the verification API; its tests show how such a
 * program is tested.
 *
 * @param url the base URL of the API
 * @param key the API key
 * @param pause waits for a span of time
 * @param now the present instant
 */
public record Verifier(String url, String key, Consumer<Duration> pause, Supplier<Instant> now) {
    private static final Duration POLL_EVERY = Duration.ofHours(6);
    private static final int POLLS = 40; // ten days
    private static final int RETRIES = 3; // of one call
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2); // where an answer does not say
    private static final Duration EXPIRE_IN = Duration.ofDays(30); // what was true a month ago counts no more

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Gson GSON = new GsonBuilder().setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create();

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
                case PENDING -> "the verification takes too long";
                case CANCELED -> "the verification was canceled";
            });
            this.reason = reason;
        }
    }

    /** Waits until a verification request is completed, and returns its income. */
    public Income income(String id) throws IOException, InterruptedException, NoIncomeException {
        for (int i = 0; i < POLLS; i++) {
            Verification request = get(id);
            switch (request.state) {
                case "completed":
                    return fresh(request);
                case "canceled":
                    throw new NoIncomeException(Reason.CANCELED);
                default:
                    pause.accept(POLL_EVERY);
            }
        }
        throw new NoIncomeException(Reason.PENDING);
    }

    /** Returns the income of the first report, unless it has expired. */
    private Income fresh(Verification request) throws IOException, NoIncomeException {
        if (request.reports == null || request.reports.isEmpty()) {
            throw new IOException("the verification has no report");
        }
        Report report = request.reports.get(0);
        LocalDate asOf = LocalDate.parse(report.currentAsOf);
        if (asOf.atStartOfDay().toInstant(ZoneOffset.UTC).plus(EXPIRE_IN).isBefore(now.get())) {
            throw new NoIncomeException(Reason.EXPIRED);
        }
        return new Income(report.employer.name, report.employee.salary.grossPay, asOf);
    }

    /** Reads a verification request. It sends it again after 429 and 500. */
    private Verification get(String id) throws IOException, InterruptedException, NoIncomeException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/verification-requests/" + id))
                .header("Authorization", "Bearer " + key).build();
        for (int i = 0; i < RETRIES; i++) {
            HttpResponse<String> answer = CLIENT.send(request, BodyHandlers.ofString());
            switch (answer.statusCode()) {
                case 200:
                    return GSON.fromJson(answer.body(), Verification.class);
                case 451:
                    throw new NoIncomeException(Reason.UNAVAILABLE);
                case 429, 500:
                    pause.accept(retryAfter(answer));
                    break;
                default:
                    throw new IOException("the service answers " + answer.statusCode());
            }
        }
        throw new NoIncomeException(Reason.GAVE_UP);
    }

    /** Returns how long to wait before a call is sent again. */
    private static Duration retryAfter(HttpResponse<?> answer) {
        return answer.headers().firstValue("Retry-After").filter(text -> text.matches("[0-9]{1,9}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text))).orElse(RETRY_AFTER);
    }

    // The fields of a verification request that this program reads.

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
