package io.github.understudysandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(UnderstudyExtension.class)
class WorldTest {
    private static final Instant EPOCH = Instant.parse("2025-01-15T09:00:00Z");

    @Test
    void clock(World world) {
        world.advance(Duration.ofHours(24).plusMillis(1500));
        assertEquals(EPOCH.plusMillis(86_401_500), world.now());
        world.setClock(Instant.parse("2025-03-01T00:00:00.5Z"));
        assertEquals(Instant.parse("2025-03-01T00:00:00.5Z"), world.now());
        world.unfreeze();
        world.freeze();
        assertEquals(world.now(), world.now());
        ControlPlaneException e = assertThrows(ControlPlaneException.class, () -> world.setClock(EPOCH));
        assertEquals(409, e.status());
        assertTrue(e.getMessage().contains("/_understudy/v1/clock: 409: "), e.getMessage());
    }

    @Test
    void faults(World world) throws Exception {
        Fault twice = world.addFault("""
                {"on": "get", "respond": {"status": 500}, "times": 2}""");
        Fault one = world.addFault("""
                {"on": "get", "respond": {"status": 503}}""", "vr_employment", Duration.ofMinutes(10));
        assertEquals(2, twice.remaining());
        assertEquals(null, twice.expires());
        assertEquals("500", twice.rule().text("respond.status"));
        assertEquals("vr_employment", one.resource());
        assertEquals(EPOCH.plusSeconds(600), one.expires());
        assertEquals(500, get(world, "/verification-requests/vr_completed"));
        assertEquals(List.of(twice.id(), one.id()), world.faults().stream().map(Fault::id).toList());
        world.removeFault(twice.id());
        assertEquals(200, get(world, "/verification-requests/vr_completed"));
        assertEquals(503, get(world, "/verification-requests/vr_employment"));
        world.removeFaults();
        assertEquals(List.of(), world.faults());
        assertEquals(200, get(world, "/verification-requests/vr_employment"));
        world.addFault("outage-502");
        assertEquals(502, get(world, "/verification-requests/vr_employment"));
    }

    @Test
    void refusedFault(World world) {
        assertEquals(400, assertThrows(ControlPlaneException.class, () -> world.addFault("{\"on\": \"gte\"}")).status());
        assertEquals(404, assertThrows(ControlPlaneException.class, () -> world.removeFault("fault-9")).status());
    }

    @Test
    void journal(World world) throws Exception {
        get(world, "/verification-requests/vr_completed?fields=state");
        get(world, "/verification-requests/vr_completd");
        List<JournalEntry> all = world.journal();
        assertEquals(List.of("/verification-requests/vr_completd", "/verification-requests/vr_completed"),
                all.stream().map(JournalEntry::path).toList());
        JournalEntry first = all.get(1);
        assertEquals(new JournalEntry(first.id(), 1, EPOCH, "GET", "/verification-requests/vr_completed", "fields=state",
                "getVerificationRequest", 200, null, "completed", null, first.diagnosis()), first);
        assertEquals(List.of(all.get(0)), world.journal(Map.of("status", "4xx")));
        assertEquals("Verification not found", world.journalEntry(all.get(0).id()).text("response.json.error.message"));
        assertEquals(400, assertThrows(ControlPlaneException.class, () -> world.journal(Map.of("state", "4xx"))).status());
    }

    @Test
    void journalOfManyPages(World world) throws Exception {
        for (int i = 0; i < 5; i++) {
            get(world, "/verification-requests/vr_completed");
        }
        assertEquals(List.of(5L, 4L, 3L, 2L, 1L), world.journal(Map.of("limit", "2")).stream().map(JournalEntry::sequence).toList());
    }

    @Test
    void verify(World world) throws Exception {
        get(world, "/verification-requests/vr_completed");
        world.verify("""
                {"operation": "getVerificationRequest", "times": {"exactly": 1}}""");
        String message = assertThrows(AssertionError.class, () -> world.verify("""
                {"operation": "cancelVerificationRequest"}""")).getMessage();
        assertTrue(message.startsWith("No request matched cancelVerificationRequest; expected at least 1."), message);
        assertEquals(400, assertThrows(ControlPlaneException.class, () -> world.verify("{\"operations\": 1}")).status());
    }

    @Test
    void verificationRequests(World world) throws Exception {
        Document created = world.createVerificationRequest("""
                id: vr_mine
                scenario: lifecycle-timed
                verification_request: {type: employment, set: {loan_id: "7"}}
                """);
        assertEquals("pending-approval", created.text("state"));
        assertEquals("7", created.text("resource.loan_id"));
        assertEquals("8", world.changeVerificationRequest("vr_mine", "{set: {loan_id: '8'}}").text("resource.loan_id"));
        world.move("vr_mine", "processing");
        assertEquals("processing", world.verificationRequest("vr_mine").text("state"));
        assertEquals(400, assertThrows(ControlPlaneException.class, () -> world.move("vr_mine", "complete")).status());
        world.force("vr_mine", "completed");
        world.force("vr_completed", "processing");
        assertEquals(List.of("vr_completed", "vr_mine"), world.verificationRequests().stream().map(d -> d.text("id")).toList());
        world.deleteVerificationRequest("vr_completed");
        assertEquals("completed", world.verificationRequest("vr_completed").text("state"));
    }

    @Test
    void otherResources(World world) throws Exception {
        Document property = world.createTenantProperty("{tenant_property: {set: {name: Quay House}}}");
        assertEquals("Quay House", world.tenantProperty(property.text("id")).text("name"));
        Document check = world.createQualificationCheck("{qualification_check: {rent: 1450.00}}");
        assertEquals(200, get(world, "/qualification-checks/" + check.text("id")));
        assertEquals(404, assertThrows(ControlPlaneException.class, () -> world.tenantProperty("a/b ?c")).status());
    }

    @Test
    void credentialsSession(World world) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(world.url() + "/credentials/session")).header("Authorization", "Bearer " + world.key())
                .header("Content-Type", "application/json").POST(BodyPublishers.ofString("""
                        {"type": "employment-income", "use_case": "tenant", "permissible_purpose": "employee-request", "target":
                        {"first_name": "Ada", "last_name": "Example", "social_security_number": "000-12-3456", "date_of_birth": "1990-02-28"}}"""));
        var answer = send(request);
        assertEquals(201, answer.statusCode(), answer.body());
        List<Document> sessions = new Control(world.url(), null).list(world.key(), "credentials-sessions", Map.of(), 9);
        Document session = world.credentialsSession(sessions.get(0).text("id"));
        assertEquals("completed", world.verificationRequest(session.text("verification_request_id")).text("state"));
    }

    @Test
    void scenario(World world) throws Exception {
        world.putScenario("mine", """
                name: mine
                title: A request of a test
                magic: {verification_request: vr_of_test}
                verification_request: {timeline: [{state: processing}]}
                """);
        assertEquals("mine", world.verificationRequest("vr_of_test").text("scenario"));
        assertEquals("processing", world.verificationRequest("vr_of_test").text("state"));
    }

    @Test
    void snapshotAndReset(World world) {
        world.force("vr_completed", "processing");
        world.advance(Duration.ofDays(1));
        String snapshot = world.snapshot();
        world.reset();
        assertEquals(EPOCH, world.now());
        assertEquals(List.of(), world.verificationRequests());
        world.restore(snapshot);
        assertEquals(EPOCH.plus(Duration.ofDays(1)), world.now());
        assertEquals("processing", world.verificationRequest("vr_completed").text("state"));
    }

    @Test
    void deletedWorldIsNew(Understudy understudy) {
        World world = understudy.world("deleted");
        world.advance(Duration.ofHours(1));
        world.delete();
        assertEquals(EPOCH, world.now());
        world.delete();
        world.delete();
    }

    @Test
    void requests(World world) throws Exception {
        get(world, "/verification-requests/vr_completed?fields=state");
        get(world, "/verification-requests/vr_completd");
        assertEquals("""
                   1  2025-01-15T09:00:00Z  200 GET /verification-requests/vr_completed?fields=state  [completed]
                      - no version was asked for: send Accept: application/json; version=2019-10-15
                   2  2025-01-15T09:00:00Z  400 GET /verification-requests/vr_completd
                      - no verification request is "vr_completd": did you mean vr_completed?
                      - no version was asked for: send Accept: application/json; version=2019-10-15
                      < {"error":{"message":"Verification not found"}}
                """, world.requests());
    }

    /** Sends a request with the key of a world, and returns the status of the answer. */
    static int get(World world, String path) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(world.url() + path)).header("Authorization", "Bearer " + world.key())).statusCode();
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }
}
