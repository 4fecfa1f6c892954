package io.github.understudysandbox;

import java.time.Instant;

/**
 * A rule that a test has added to a world.
 *
 * @param id such as fault-1
 * @param rule the rule, as in scenario files
 * @param inWords the rule in words
 * @param resource the id that requests must be for, or null for any
 * @param remaining the number of requests that the rule still applies to, or null for any number
 * @param expires the instant on the world's clock at which the rule ends, or null
 */
public record Fault(String id, Document rule, String inWords, String resource, Long remaining, Instant expires) {
    static Fault of(Document d) {
        String expires = d.text("expires");
        return new Fault(d.text("id"), new Document(d.get("rule")), d.text("in_words"), d.text("resource"),
                (Long) d.get("remaining"), expires == null ? null : Instant.parse(expires));
    }
}
