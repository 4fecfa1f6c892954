import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Scanner;

/** HttpClient of Java. See shell.sh for the cases. */
class Client {
    public static void main(String[] args) throws Exception {
        var input = new Scanner(System.in);
        while (input.hasNext()) {
            String name = input.next(), method = input.next(), path = input.next(), reuse = input.next();
            var client = HttpClient.newHttpClient();
            try {
                if (reuse.equals("yes")) {
                    send(client, name, "GET", "/verification-requests/vr_completed");
                }
                System.out.println(name + " " + send(client, name, method, path));
            } catch (Exception e) {
                System.out.println(name + " " + e.getClass().getSimpleName());
            }
        }
    }

    static int send(HttpClient client, String name, String method, String path) throws Exception {
        var body = method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString("{\"cancellation_reason\":\"other\"}");
        var request = HttpRequest.newBuilder(URI.create(System.getenv("UNDERSTUDY_URL") + path)).timeout(Duration.ofSeconds(2)).method(method, body)
                .header("Authorization", "Bearer svc_sk_test_Java-" + name).header("Content-Type", "application/json").build();
        return client.send(request, BodyHandlers.ofString()).statusCode();
    }
}
