package io.github.understudysandbox;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The world of a key: what its requests are answered from. Where a call takes a text, it is in the language of scenario files.
 * Methods throw a {@link ControlPlaneException} if the control plane refuses the call.
 */
public final class World implements AutoCloseable {
    private final Control control;
    private final String url;
    private final String key;

    World(Control control, String url, String key) {
        this.control = control;
        this.url = url;
        this.key = key;
    }

    /**
     * Returns the API key of the world: the client under test sends it.
     *
     * @return such as svc_sk_test_…
     */
    public String key() {
        return key;
    }

    /**
     * Returns the base URL of the API: the client under test sends its requests to it.
     *
     * @return such as http://127.0.0.1:40123
     */
    public String url() {
        return url;
    }

    /**
     * Returns the instant on the world's clock.
     *
     * @return the instant
     */
    public Instant now() {
        return Instant.parse(document("GET", "clock", null).text("now"));
    }

    /**
     * Sets the world's clock.
     *
     * @param now an instant that is not before the present one
     */
    public void setClock(Instant now) {
        document("PUT", "clock", Json.write(Map.of("now", now.toString())));
    }

    /**
     * Moves the world's clock on. Steps of timelines on the way happen at their own instants.
     *
     * @param by the span of time
     */
    public void advance(Duration by) {
        document("POST", "clock/advance", Json.write(Map.of("by", span(by))));
    }

    /** Stops the world's clock, as it is from the start. */
    public void freeze() {
        document("PUT", "clock", "{\"frozen\":true}");
    }

    /** Lets the world's clock run with the machine's. */
    public void unfreeze() {
        document("PUT", "clock", "{\"frozen\":false}");
    }

    /**
     * Adds a rule for every request from now on.
     *
     * @param rule in JSON, such as {"on": "get", "respond": {"status": 500}, "times": 2}, or the name of a preset, such as outage-502
     * @return the fault
     */
    public Fault addFault(String rule) {
        return addFault(rule, null, null);
    }

    /**
     * Adds a rule for the requests of one id, for a span of the world's time, or both.
     *
     * @param rule in JSON, such as {"on": "get", "respond": {"status": 500}, "times": 2}, or the name of a preset, such as outage-502
     * @param resource the id, or null for any
     * @param lasting the span, or null for no end
     * @return the fault
     */
    public Fault addFault(String rule, String resource, Duration lasting) {
        String body = (rule.contains(":") ? "{\"rule\":" + rule : "{\"preset\":" + Json.write(rule))
                + (resource == null ? "" : ",\"resource\":" + Json.write(resource))
                + (lasting == null ? "" : ",\"expires_in\":" + Json.write(span(lasting))) + "}";
        return Fault.of(document("POST", "faults", body));
    }

    /**
     * Returns the faults that are neither used up nor expired.
     *
     * @return in the order in which they were added
     */
    public List<Fault> faults() {
        return list("faults", Map.of()).stream().map(Fault::of).toList();
    }

    /**
     * Removes a fault.
     *
     * @param id the fault's id
     */
    public void removeFault(String id) {
        send("DELETE", "faults/" + Control.encode(id), null);
    }

    /** Removes all faults. */
    public void removeFaults() {
        send("DELETE", "faults", null);
    }

    /**
     * Returns the requests of the world.
     *
     * @return the latest first
     */
    public List<JournalEntry> journal() {
        return journal(Map.of());
    }

    /**
     * Returns the requests of the world that a filter selects.
     *
     * @param filter texts for operation, status, path, q or since, such as Map.of("status", "4xx")
     * @return the latest first
     */
    public List<JournalEntry> journal(Map<String, String> filter) {
        return list("journal", filter).stream().map(JournalEntry::of).toList();
    }

    /**
     * Returns one request with its answer, headers and bodies.
     *
     * @param id the id of a journal entry
     * @return the request under request, the answer under response
     */
    public Document journalEntry(String id) {
        return document("GET", "journal/" + Control.encode(id), null);
    }

    /**
     * Checks how often a request was sent.
     *
     * @param expectation in JSON, such as {"operation": "getVerificationRequest", "times": {"exactly": 2}}
     * @throws AssertionError if the expectation does not hold; its message has the nearest request
     */
    public void verify(String expectation) {
        try {
            send("POST", "journal/verify", expectation);
        } catch (ControlPlaneException e) {
            if (e.status() == 409) {
                throw new AssertionError(e.reason, e);
            }
            throw e;
        }
    }

    /**
     * Returns the last requests of the world for people: what to print when a test fails.
     *
     * @return a line each, with the diagnosis, and with the bodies of those that failed; empty if the journal is off
     */
    public String requests() {
        return Requests.text(control, key, "journal", Map.of());
    }

    /**
     * Returns the whole world.
     *
     * @return a JSON document
     */
    public String snapshot() {
        return send("GET", "snapshot", null);
    }

    /**
     * Makes the world what a snapshot has.
     *
     * @param snapshot the JSON document
     */
    public void restore(String snapshot) {
        send("PUT", "snapshot", snapshot);
    }

    /** Makes the world new: resources, clock, faults, counters, journal and world scenarios. */
    public void reset() {
        send("POST", "reset", null);
    }

    /**
     * Creates a verification request.
     *
     * @param text such as {scenario: lifecycle-timed, id: vr_mine}
     * @return the request: its id, state, timeline and more, and under resource the document that the API shows
     */
    public Document createVerificationRequest(String text) {
        return document("POST", "verification-requests", text);
    }

    /**
     * Sets fields of a verification request, puts it into a state, or both.
     *
     * @param id its id
     * @param change such as {set: {loan_id: "7"}}
     * @return the request
     */
    public Document changeVerificationRequest(String id, String change) {
        return document("PATCH", "verification-requests/" + Control.encode(id), change);
    }

    /**
     * Returns a verification request. Unlike a read by the API it changes nothing.
     *
     * @param id its id
     * @return the request
     */
    public Document verificationRequest(String id) {
        return document("GET", "verification-requests/" + Control.encode(id), null);
    }

    /**
     * Returns the verification requests that the world stores: the created ones, and the magic ones that moved.
     *
     * @return id, state, scenario and creation of each, in the order of their ids
     */
    public List<Document> verificationRequests() {
        return list("verification-requests", Map.of());
    }

    /**
     * Puts a verification request into a state that the specification allows from its present one.
     *
     * @param id its id
     * @param state such as completed
     */
    public void move(String id, String state) {
        changeVerificationRequest(id, Json.write(Map.of("state", state)));
    }

    /**
     * Puts a verification request into a state, whatever the specification allows.
     *
     * @param id its id
     * @param state such as completed
     */
    public void force(String id, String state) {
        changeVerificationRequest(id, Json.write(Map.of("state", state, "force", true)));
    }

    /**
     * Deletes a verification request. A magic one is new then; any other no longer exists.
     *
     * @param id its id
     */
    public void deleteVerificationRequest(String id) {
        send("DELETE", "verification-requests/" + Control.encode(id), null);
    }

    /**
     * Creates a tenant property.
     *
     * @param text such as {tenant_property: {set: {name: Quay House}}}
     * @return the property as the API shows it, and its id
     */
    public Document createTenantProperty(String text) {
        return document("POST", "tenant-properties", text);
    }

    /**
     * Returns a tenant property.
     *
     * @param id its id
     * @return the property
     */
    public Document tenantProperty(String id) {
        return document("GET", "tenant-properties/" + Control.encode(id), null);
    }

    /**
     * Creates a qualification check, whose result is computed.
     *
     * @param text such as {qualification_check: {rent: 1450.00}}
     * @return the check as the API shows it, and the id of the verification request that has its reports
     */
    public Document createQualificationCheck(String text) {
        return document("POST", "qualification-checks", text);
    }

    /**
     * Returns a credentials session.
     *
     * @param id its id
     * @return the session, with the id of the verification request that it created
     */
    public Document credentialsSession(String id) {
        return document("GET", "credentials-sessions/" + Control.encode(id), null);
    }

    /**
     * Gives the world a scenario, in place of an earlier one with the name.
     *
     * @param name the scenario's name
     * @param file a scenario file with this scenario alone, in YAML or JSON
     */
    public void putScenario(String name, String file) {
        send("PUT", "scenarios/" + Control.encode(name), file);
    }

    /** Deletes the world. The next request with its key makes a new one. */
    public void delete() {
        String id = document("POST", "reset", null).text("id");
        control.send(null, "DELETE", "worlds/" + Control.encode(id), null);
    }

    /** Deletes the world. */
    @Override
    public void close() {
        delete();
    }

    private static String span(Duration d) {
        return BigDecimal.valueOf(d.getSeconds()).add(BigDecimal.valueOf(d.getNano(), 9)).toPlainString() + "s";
    }

    private String send(String method, String path, String body) {
        return control.send(key, method, path, body);
    }

    private Document document(String method, String path, String body) {
        return control.document(key, method, path, body);
    }

    private List<Document> list(String path, Map<String, String> filter) {
        return control.list(key, path, filter, Integer.MAX_VALUE);
    }
}
