package io.github.understudysandbox;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The world of a key: what its requests are answered from. A body is a text in YAML or JSON, or a Map of texts, numbers,
 * booleans, lists and maps, also of Instant, LocalDate, Duration and BigDecimal. Methods throw a {@link ControlException} if
 * the control plane refuses the call.
 */
public final class World implements AutoCloseable {
    private static final String REQUESTS = "verification-requests";

    private final Control control;
    private final String url;
    private final String key;
    private final String id;
    private final List<Receiver> receivers = new ArrayList<>();

    World(Control control, String url, String key) {
        this.control = control;
        this.url = url;
        this.key = key;
        this.id = control.call("POST", "reset", null).text("id");
        freeze();
    }

    /** {@return the API key of the world: the client under test sends it} */
    public String key() {
        return key;
    }

    /** {@return the base URL of the API: the client under test sends its requests to it} */
    public String url() {
        return url;
    }

    /** {@return the instant on the world's clock} */
    public Instant now() {
        return Instant.parse(control.call("GET", "clock", null).text("now"));
    }

    /**
     * Sets the world's clock.
     *
     * @param now an instant that is not before the present one
     */
    public void setClock(Instant now) {
        setClock(now.toString());
    }

    /**
     * Sets the world's clock.
     *
     * @param now an instant that is not before the present one, such as 2025-03-01T09:00:00Z
     */
    public void setClock(String now) {
        control.call("PUT", "clock", Map.of("now", now));
    }

    /**
     * Moves the world's clock on. Steps of timelines on the way happen at their own instants.
     *
     * @param by the span of time
     */
    public void advance(Duration by) {
        advance(Json.span(by));
    }

    /**
     * Moves the world's clock on, as {@link #advance(Duration)}.
     *
     * @param seconds the number of seconds
     */
    public void advance(double seconds) {
        advance(Json.span(seconds));
    }

    /**
     * Moves the world's clock on, as {@link #advance(Duration)}.
     *
     * @param by the span of time, such as 36h
     */
    public void advance(String by) {
        control.call("POST", "clock/advance", Map.of("by", by));
    }

    /** Stops the world's clock, as it is from the start. */
    public void freeze() {
        control.call("PUT", "clock", Map.of("frozen", true));
    }

    /** Lets the world's clock run with the machine's. */
    public void unfreeze() {
        control.call("PUT", "clock", Map.of("frozen", false));
    }

    /**
     * Waits up to 10 s of real time until a verification request is in a state. See {@link #waitFor(String, String, Duration)}.
     *
     * @param id its id
     * @param state such as completed
     * @return the request
     * @throws AssertionError if it is not
     */
    public Document waitFor(String id, String state) {
        return waitFor(id, state, Duration.ofSeconds(10));
    }

    /**
     * Waits until a verification request is in a state. Where its next step comes by the clock, the world's clock moves to that
     * step; for any other step this waits for the code under test, which polls in another thread.
     *
     * @param id its id
     * @param state such as completed
     * @param within the limit, in real time
     * @return the request
     * @throws AssertionError if it is not in the state within the limit; its message has what the next step waits for
     */
    public Document waitFor(String id, String state, Duration within) {
        return new Wait(this, control, id, state).within(within);
    }

    /**
     * Adds a rule for every request from now on.
     *
     * @param rule such as {on: get, respond: {status: 500}, times: 2}, or the name of a preset, such as outage-502
     * @return the fault
     */
    public Fault addFault(Object rule) {
        return addFault(rule, null, null);
    }

    /**
     * Adds a rule for the requests of one id, for a span of the world's time, or both.
     *
     * @param rule such as {on: get, respond: {status: 500}, times: 2}, or the name of a preset, such as outage-502
     * @param resource the id, or null for any
     * @param lasting the span, a Duration, a number of seconds or a text such as 10m, or null for no end
     * @return the fault
     */
    public Fault addFault(Object rule, String resource, Object lasting) {
        Map<String, Object> fault = new LinkedHashMap<>(Map.of("rule", rule));
        if (resource != null) {
            fault.put("resource", resource);
        }
        if (lasting != null) {
            fault.put("expires_in", Json.span(lasting));
        }
        return Fault.of(control.call("POST", "faults", fault));
    }

    /** {@return the faults that are neither used up nor expired, in the order in which they were added} */
    public List<Fault> faults() {
        return control.items("faults", Map.of()).stream().map(Fault::of).toList();
    }

    /**
     * Removes a fault.
     *
     * @param id the fault's id
     */
    public void removeFault(String id) {
        control.call("DELETE", "faults/" + Control.encode(id), null);
    }

    /** Removes all faults. */
    public void removeFaults() {
        control.call("DELETE", "faults", null);
    }

    /** {@return the requests of the world, the latest first} */
    public List<JournalEntry> journal() {
        return journal(Map.of());
    }

    /**
     * Returns the requests of the world that a filter selects.
     *
     * @param filter values for operation, status, path, q, since or limit, such as Map.of("status", "4xx")
     * @return the latest first
     */
    public List<JournalEntry> journal(Map<String, ?> filter) {
        return control.items("journal", filter).stream().map(JournalEntry::of).toList();
    }

    /**
     * Returns one request with its answer, headers and bodies.
     *
     * @param id the id of a journal entry
     * @return the request under request, the answer under response
     */
    public Document journalEntry(String id) {
        return control.call("GET", "journal/" + Control.encode(id), null);
    }

    /**
     * Checks how often a request was sent.
     *
     * @param expectation such as {operation: getVerificationRequest, times: {exactly: 2}}
     * @throws AssertionError if the expectation does not hold; its message has the nearest request
     */
    public void verify(Object expectation) {
        try {
            control.call("POST", "journal/verify", expectation);
        } catch (ControlException e) {
            if (e.status() == 409 && e.document() != null && e.document().has("count")) {
                throw new AssertionError(e.getMessage(), e);
            }
            throw e;
        }
    }

    /**
     * Subscribes a URL to the events of the world. See {@link #webhook(String, Map)}.
     *
     * @param target the URL
     * @return the subscription: its id, url, events, token and version
     */
    public Document webhook(String target) {
        return webhook(target, Map.of());
    }

    /**
     * Subscribes a URL to the events of the world: it hears what changes from now on.
     *
     * @param target the URL
     * @param options values for events, token or version
     * @return the subscription: its id, url, events, token and version
     */
    public Document webhook(String target, Map<String, ?> options) {
        Map<String, Object> subscription = new LinkedHashMap<>(options);
        subscription.put("url", target);
        return control.call("POST", "webhooks", subscription);
    }

    /**
     * Subscribes a port of its own to the events of the world. See {@link #receiver(Map)}.
     *
     * @return the receiver
     */
    public Receiver receiver() {
        return receiver(Map.of());
    }

    /**
     * Subscribes a port of its own to the events of the world.
     *
     * @param options values for events, token or version
     * @return the receiver, which ends with the world
     */
    public Receiver receiver(Map<String, ?> options) {
        Receiver receiver = new Receiver(this);
        receivers.add(receiver);
        webhook(receiver.url(), options);
        return receiver;
    }

    /** {@return the deliveries to the webhooks of the world, in the order of their events} */
    public List<Document> deliveries() {
        return deliveries(Map.of());
    }

    /**
     * Returns the deliveries to the webhooks of the world that a filter selects.
     *
     * @param filter a value for status: due, delivered or given-up
     * @return event, resource, state, status, attempts and more of each, in the order of their events
     */
    public List<Document> deliveries(Map<String, ?> filter) {
        return control.items("deliveries", filter);
    }

    /**
     * Returns the last requests of the world for people: what to print when a test fails.
     *
     * @return a line each, with the diagnosis, and with the bodies of those that failed; empty if the journal is off
     */
    public String requests() {
        return Requests.text(control, "journal", null);
    }

    /** {@return the whole world as lines of JSON} */
    public String snapshot() {
        return control.json("GET", "snapshot", null);
    }

    /**
     * Makes the world what a snapshot has.
     *
     * @param snapshot the lines
     */
    public void restore(String snapshot) {
        control.json("PUT", "snapshot", snapshot);
    }

    /** Makes the world new: resources, clock, faults, counters, journal and world scenarios. */
    public void reset() {
        control.call("POST", "reset", null);
    }

    /**
     * Creates a verification request.
     *
     * @param body such as {scenario: lifecycle-timed, id: vr_mine}
     * @return the request: its id, state, timeline and more, and under resource the document that the API shows
     */
    public Document createVerificationRequest(Object body) {
        return control.call("POST", REQUESTS, body);
    }

    /**
     * Sets fields of a verification request, puts it into a state, or both.
     *
     * @param id its id
     * @param change such as {set: {loan_id: "7"}}
     * @return the request
     */
    public Document changeVerificationRequest(String id, Object change) {
        return control.call("PATCH", REQUESTS + "/" + Control.encode(id), change);
    }

    /**
     * Returns a verification request. Unlike a read by the API it changes nothing.
     *
     * @param id its id
     * @return the request
     */
    public Document verificationRequest(String id) {
        return control.call("GET", REQUESTS + "/" + Control.encode(id), null);
    }

    /**
     * Returns the verification requests that the world stores: the created ones, and the magic ones that moved.
     *
     * @return id, state, scenario and creation of each, in the order of their ids
     */
    public List<Document> verificationRequests() {
        return control.items(REQUESTS, Map.of());
    }

    /**
     * Puts a verification request into a state that the specification allows from its present one.
     *
     * @param id its id
     * @param state such as completed
     * @return the request
     */
    public Document move(String id, String state) {
        return changeVerificationRequest(id, Map.of("state", state));
    }

    /**
     * Puts a verification request into a state, whatever the specification allows.
     *
     * @param id its id
     * @param state such as completed
     * @return the request
     */
    public Document force(String id, String state) {
        return changeVerificationRequest(id, Map.of("state", state, "force", true));
    }

    /**
     * Deletes a verification request. A magic one is new then; any other no longer exists.
     *
     * @param id its id
     */
    public void deleteVerificationRequest(String id) {
        control.call("DELETE", REQUESTS + "/" + Control.encode(id), null);
    }

    /**
     * Creates a tenant property.
     *
     * @param body such as {tenant_property: {set: {name: Quay House}}}
     * @return the property as the API shows it, and its id
     */
    public Document createTenantProperty(Object body) {
        return control.call("POST", "tenant-properties", body);
    }

    /**
     * Returns a tenant property.
     *
     * @param id its id
     * @return the property
     */
    public Document tenantProperty(String id) {
        return control.call("GET", "tenant-properties/" + Control.encode(id), null);
    }

    /**
     * Creates a qualification check, whose result is computed.
     *
     * @param body such as {qualification_check: {rent: 1450.00}}
     * @return the check as the API shows it, and the id of the verification request that has its reports
     */
    public Document createQualificationCheck(Object body) {
        return control.call("POST", "qualification-checks", body);
    }

    /**
     * Returns a qualification check.
     *
     * @param id its id
     * @return the check
     */
    public Document qualificationCheck(String id) {
        return control.call("GET", "qualification-checks/" + Control.encode(id), null);
    }

    /**
     * Returns a credentials session.
     *
     * @param id its id
     * @return the session, with the id of the verification request that it created
     */
    public CredentialsSession credentialsSession(String id) {
        return CredentialsSession.of(control.call("GET", "credentials-sessions/" + Control.encode(id), null));
    }

    /**
     * Finishes a credentials session with success. See {@link #finishSession(String, String)}.
     *
     * @param id its id
     * @return the session
     */
    public CredentialsSession finishSession(String id) {
        return finishSession(id, "success");
    }

    /**
     * Finishes a credentials session of flow manual, as the person does who uses its token.
     *
     * @param id its id
     * @param outcome success, failure or abandoned
     * @return the session
     */
    public CredentialsSession finishSession(String id, String outcome) {
        return CredentialsSession.of(
                control.call("POST", "credentials-sessions/" + Control.encode(id) + "/finish", Map.of("outcome", outcome)));
    }

    /** {@return the settings that hold in the world} */
    public Settings settings() {
        return Settings.of(control.call("GET", "settings", null));
    }

    /**
     * Replaces the world's own settings. What is left out is as the server has it.
     *
     * @param settings such as {session_flow: manual}
     * @return the settings that hold then
     */
    public Settings setSettings(Object settings) {
        return Settings.of(control.call("PUT", "settings", settings));
    }

    /**
     * Gives the world a scenario, in place of an earlier one with the name.
     *
     * @param name the scenario's name
     * @param file a scenario file with this scenario alone
     */
    public void putScenario(String name, Object file) {
        control.call("PUT", "scenarios/" + Control.encode(name), file);
    }

    /**
     * Deletes a scenario of the world.
     *
     * @param name the scenario's name
     */
    public void deleteScenario(String name) {
        control.call("DELETE", "scenarios/" + Control.encode(name), null);
    }

    /** Deletes the world, and closes its receivers. The next request with its key makes a new one. */
    public void delete() {
        receivers.forEach(Receiver::close);
        receivers.clear();
        try {
            control.call("DELETE", "worlds/" + id, null);
        } catch (ControlException e) {
            e.unless(404);
        }
    }

    /** Deletes the world. */
    @Override
    public void close() {
        delete();
    }
}
