package io.github.understudysandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(UnderstudyExtension.class)
class WorldTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Instant EPOCH = Instant.parse("2025-01-15T09:00:00Z");

    @Test
    void clock(World world) {
        world.advance(Duration.ofHours(24).plusMillis(1500));
        assertEquals(EPOCH.plusMillis(86_401_500), world.now());
        world.setClock(Instant.parse("2025-03-01T00:00:00.5Z"));
        assertEquals(Instant.parse("2025-03-01T00:00:00.5Z"), world.now());
        world.setClock("2025-03-02T00:00:00Z");
        world.advance("36h");
        world.advance(0);
        world.advance(0.25);
        assertEquals(Instant.parse("2025-03-03T12:00:00.25Z"), world.now());
        world.unfreeze();
        world.freeze();
        assertEquals(world.now(), world.now());
        ControlException e = assertThrows(ControlException.class, () -> world.setClock(EPOCH));
        assertEquals(409, e.status());
        assertTrue(e.getMessage().contains("does not go back"), e.getMessage());
        assertEquals(e.getMessage(), e.document().text("error.message"));
    }

    @Test
    void receiver(World world) throws Exception {
        Receiver hook = world.receiver(Map.of("events", List.of("verification_request.state.change")));
        String token = begin(world).text("token");
        Document event = hook.next(Map.of("state", "completed"));
        assertEquals(token, event.text("data.credentials_session_token"));
        assertTrue(read(world, event.text("data.verification_request_id")).contains("\"state\":\"completed\""));
        assertEquals(List.of("processing", "completed"), hook.events().stream().map(e -> e.text("data.state")).toList());
        world.createVerificationRequest(Map.of("id", "vr_mine", "scenario", "lifecycle-timed"));
        assertEquals("vr_mine", hook.next(Map.of("state", "completed", "advance", Duration.ofDays(2))).text("data.verification_request_id"));
        assertTrue(world.deliveries().stream().allMatch(d -> d.text("status").equals("delivered")));
        AssertionError e = assertThrows(AssertionError.class, () -> hook.next(Map.of("state", "invalid", "within", Duration.ofMillis(50))));
        assertTrue(e.getMessage().contains("within 50 ms: [verification_request.state.change processing, "), e.getMessage());
    }

    @Test
    void receiverTwiceAndLate(World world) throws Exception {
        Receiver hook = world.receiver(Map.of("events", List.of("verification_request.state.change")));
        world.addFault("{on: webhook, state: [completed], deliver: twice}");
        world.addFault("{on: webhook, state: [processing], deliver: {late: 2h}}");
        begin(world);
        assertThrows(AssertionError.class, () -> hook.next(Map.of("within", Duration.ofMillis(50))));
        assertEquals("processing", hook.next(Map.of("advance", "2h")).text("data.state"));
        assertEquals(hook.next(Map.of("state", "completed")).json(), hook.next(Map.of("state", "completed")).json());
    }

    @Test
    void webhook(World world) throws Exception {
        Document made = world.webhook("http://127.0.0.1:9/hooks", Map.of("token", "secret", "version", "2022-08-01"));
        assertEquals(List.of("1", "secret", "2022-08-01"), List.of(made.text("id"), made.text("token"), made.text("version")));
        begin(world);
        world.advance("1m");
        assertTrue(!world.deliveries(Map.of("status", "due")).isEmpty() && world.deliveries(Map.of("status", "delivered")).isEmpty());
        assertEquals(400, assertThrows(ControlException.class, () -> world.webhook("http://example.com/hooks")).status());
    }

    @Test
    void waitForMovesTheClock(World world) {
        world.createVerificationRequest(Map.of("id", "vr_mine", "scenario", "lifecycle-timed"));
        assertEquals("vr_mine", world.waitFor("vr_mine", "pending-approval").text("id"));
        assertEquals(EPOCH, world.now());
        assertEquals("completed", world.waitFor("vr_mine", "completed").text("state"));
        assertEquals(EPOCH.plus(Duration.ofDays(1)), world.now());
        assertEquals("vr_mine is completed, not canceled, after 0 s: no step of its timeline follows",
                assertThrows(AssertionError.class, () -> world.waitFor("vr_mine", "canceled", Duration.ZERO)).getMessage());
        String message = assertThrows(ControlException.class, () -> world.waitFor("vr_mine", "complete")).getMessage();
        assertTrue(message.contains("did you mean completed"), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"vr_lifecycle", "vr_lifecycle_timed"})
    void waitForCodeThatPolls(String id, World world) throws Exception {
        assertEquals(id + " is pending-approval, not completed, after 0.1 s: no request has asked for it",
                assertThrows(AssertionError.class, () -> world.waitFor(id, "completed", Duration.ofMillis(100))).getMessage());
        assertEquals(EPOCH, world.now());
        var code = CompletableFuture.runAsync(() -> {
            while (!read(world, id).contains("\"state\":\"completed\"")) {
            }
        });
        assertEquals("completed", world.waitFor(id, "completed", Duration.ofMinutes(1)).text("state"));
        code.get(1, TimeUnit.MINUTES);
    }

    @Test
    void waitForWhatOnlyReadsBring(World world) {
        read(world, "vr_lifecycle");
        assertEquals("vr_lifecycle is pending-approval, not completed, after 0 s: processing comes after 1 read",
                assertThrows(AssertionError.class, () -> world.waitFor("vr_lifecycle", "completed", Duration.ZERO)).getMessage());
    }

    @Test
    void bodiesOfValues(World world) {
        world.createVerificationRequest(Map.of("id", "vr_mine",
                "verification_request", Map.of("timeline", List.of(Map.of("state", "processing"),
                        Map.of("state", "completed", "after", Map.of("elapsed", Duration.ofHours(1))))),
                "reports", List.of(Map.of("pay", Map.of("base", new BigDecimal("6.2E4")),
                        "set", Map.of("employee", Map.of("hired_date", LocalDate.parse("2022-01-10")))))));
        Document request = world.waitFor("vr_mine", "completed");
        assertEquals("2022-01-10", request.text("resource.reports.0.employee.hired_date"));
        assertEquals("2384.62", request.text("resource.reports.0.employee.salary.gross_pay")); // 26 times a year
        assertThrows(IllegalArgumentException.class, () -> world.addFault(Map.of("on", new Object())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"on\": \"get\",\n\"respond\": {\"status\": 500}}", "on: get\nrespond:\n  status: 500 # as an outage\n"})
    void faultOfText(String rule, World world) {
        Fault fault = world.addFault(rule, "vr_completed", 600);
        assertEquals("{\"on\":\"get\",\"respond\":{\"status\":500}}", fault.rule().json());
        assertEquals("vr_completed", fault.resource());
        assertEquals(EPOCH.plusSeconds(600), fault.expires());
        assertEquals(fault.rule().json(), world.addFault(fault.rule()).rule().json());
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
        assertEquals(400, assertThrows(ControlException.class, () -> world.addFault("{\"on\": \"gte\"}")).status());
        assertEquals(404, assertThrows(ControlException.class, () -> world.removeFault("fault-9")).status());
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
        assertEquals(400, assertThrows(ControlException.class, () -> world.journal(Map.of("state", "4xx"))).status());
    }

    @Test
    void journalOfManyPages(World world) throws Exception {
        for (int i = 0; i < 101; i++) {
            get(world, "/verification-requests/vr_completed");
        }
        assertEquals(LongStream.rangeClosed(1, 101).mapToObj(i -> 102 - i).toList(),
                world.journal().stream().map(JournalEntry::sequence).toList());
        assertEquals(List.of(101L, 100L), world.journal(Map.of("limit", 2)).stream().map(JournalEntry::sequence).toList());
    }

    @Test
    void verify(World world) throws Exception {
        get(world, "/verification-requests/vr_completed");
        world.verify("""
                {"operation": "getVerificationRequest", "times": {"exactly": 1}}""");
        String message = assertThrows(AssertionError.class, () -> world.verify("""
                {"operation": "cancelVerificationRequest"}""")).getMessage();
        assertTrue(message.startsWith("No request matched cancelVerificationRequest; expected at least 1."), message);
        world.verify(Map.of("operation", "getVerificationRequest", "times", Map.of("exactly", 1)));
        world.verify("operation: getVerificationRequest\ntimes: {exactly: 1}");
        assertEquals(400, assertThrows(ControlException.class, () -> world.verify("{\"operations\": 1}")).status());
        String misplaced = assertThrows(ControlException.class, () -> world.verify(Map.of("status", 200))).getMessage();
        assertTrue(misplaced.contains("\"/status\" must be in match"), misplaced);
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
        assertEquals("processing", world.move("vr_mine", "processing").text("state"));
        assertEquals("processing", world.verificationRequest("vr_mine").text("state"));
        assertEquals(400, assertThrows(ControlException.class, () -> world.move("vr_mine", "complete")).status());
        assertEquals("completed", world.force("vr_mine", "completed").text("state"));
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
        assertEquals(check.json(), world.qualificationCheck(check.text("id")).json());
        assertEquals(404, assertThrows(ControlException.class, () -> world.tenantProperty("a/b ?c")).status());
    }

    @Test
    void credentialsSession(World world) throws Exception {
        world.setSettings("{session_flow: manual}");
        var request = HttpRequest.newBuilder(URI.create(world.url() + "/credentials/session")).header("Authorization", "Bearer " + world.key())
                .header("Content-Type", "application/json").POST(BodyPublishers.ofString("""
                        {"type": "employment-income", "use_case": "tenant", "permissible_purpose": "employee-request", "target":
                        {"first_name": "Ada", "last_name": "Example", "social_security_number": "000-12-3456", "date_of_birth": "1990-02-28"}}"""));
        var answer = send(request);
        assertEquals(201, answer.statusCode(), answer.body());
        List<Document> sessions = new Control(world.url(), null, world.key()).items("credentials-sessions", Map.of());
        CredentialsSession session = world.credentialsSession(sessions.get(0).text("id"));
        assertEquals(new CredentialsSession(sessions.get(0).text("id"), EPOCH, session.verificationRequestId(), "pending-approval",
                session.scenario(), "manual", null, session.flowUrl()), session);
        assertEquals(session.id(), world.verificationRequest(session.verificationRequestId()).text("credentials_session_id"));
        CredentialsSession finished = world.finishSession(session.id(), "failure");
        assertEquals("canceled failure", finished.state() + " " + finished.outcome());
        assertEquals(409, assertThrows(ControlException.class, () -> world.finishSession(session.id())).status());
    }

    @Test
    void settings(World world) {
        assertEquals("off auto {}", text(world.settings()));
        assertEquals("values auto {}", text(world.setSettings(Map.of("grease", "values"))));
        assertEquals("off manual {}", text(world.setSettings("{session_flow: manual}")));
        String refused = assertThrows(ControlException.class, () -> world.setSettings("{grease: vaules}")).getMessage();
        assertTrue(refused.contains("did you mean values?"), refused);
    }

    static String text(Settings s) {
        return s.grease() + " " + s.sessionFlow() + " " + s.account();
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
        world.deleteScenario("mine");
        assertEquals(404, assertThrows(ControlException.class, () -> world.deleteScenario("mine")).status());
        world.putScenario("mine", Map.of("name", "mine", "title", "A request of a test",
                "magic", Map.of("verification_request", "vr_of_test")));
        assertEquals("mine", world.verificationRequest("vr_of_test").text("scenario"));
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

    /** Creates a credentials session as the code under test does, and returns it. */
    private static Document begin(World world) throws Exception {
        String body = """
                {"type": "employment-income", "use_case": "tenant", "permissible_purpose": "employee-request", "target":
                {"first_name": "Ada", "last_name": "Example", "social_security_number": "000-12-3456", "date_of_birth": "1990-02-28"}}""";
        return new Document(Json.parse(send(HttpRequest.newBuilder(URI.create(world.url() + "/credentials/session"))
                .header("Authorization", "Bearer " + world.key()).header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))).body()));
    }

    /** Reads a verification request as the code under test does. */
    private static String read(World world, String id) {
        try {
            return send(HttpRequest.newBuilder(URI.create(world.url() + "/verification-requests/" + id))
                    .header("Authorization", "Bearer " + world.key())).body();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }
}
