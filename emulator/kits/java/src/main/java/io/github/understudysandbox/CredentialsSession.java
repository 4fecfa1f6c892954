package io.github.understudysandbox;

import java.time.Instant;

/**
 * A credentials session.
 *
 * @param id the session's id
 * @param created the instant of its creation, on the world's clock
 * @param verificationRequestId the id of the verification request that it created
 * @param state the state of that request
 * @param scenario the scenario of that request
 * @param flow auto if the emulator plays the person who uses the token, manual if nobody does until the session is finished
 * @param outcome success, failure or abandoned, or null until it is known
 * @param flowUrl the page on which a person uses the token, from the emulator's host on, or null
 */
public record CredentialsSession(String id, Instant created, String verificationRequestId, String state, String scenario, String flow,
        String outcome, String flowUrl) {
    static CredentialsSession of(Document d) {
        return new CredentialsSession(d.text("id"), Instant.parse(d.text("created")), d.text("verification_request_id"),
                d.text("state"), d.text("scenario"), d.text("flow"), d.text("outcome"), d.text("flow_url"));
    }
}
