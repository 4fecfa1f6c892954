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
 */
public record CredentialsSession(String id, Instant created, String verificationRequestId, String state, String scenario) {
    static CredentialsSession of(Document d) {
        return new CredentialsSession(d.text("id"), Instant.parse(d.text("created")), d.text("verification_request_id"),
                d.text("state"), d.text("scenario"));
    }
}
