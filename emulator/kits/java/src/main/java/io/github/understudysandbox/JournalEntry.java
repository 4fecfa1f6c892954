package io.github.understudysandbox;

import java.time.Instant;
import java.util.List;

/**
 * A request in a journal.
 *
 * @param id the request's id
 * @param sequence its number in the journal
 * @param time the instant on the world's clock; on the machine's, if the request reached no world
 * @param method such as GET
 * @param path such as /verification-requests/vr_completed
 * @param query the query, or an empty text
 * @param operation such as getVerificationRequest, or an empty text
 * @param status the status of the answer, or 0 for a broken connection
 * @param fault the fault of the connection, or null
 * @param scenario the scenario that decided the answer, or null
 * @param rule the rule that decided the answer, or null
 * @param diagnosis why the answer is as it is
 */
public record JournalEntry(String id, long sequence, Instant time, String method, String path, String query, String operation,
        int status, String fault, String scenario, String rule, List<String> diagnosis) {
    static JournalEntry of(Document d) {
        List<String> diagnosis = ((List<?>) d.get("diagnosis")).stream().map(String.class::cast).toList();
        return new JournalEntry(d.text("id"), (Long) d.get("sequence"), Instant.parse(d.text("time")), d.text("method"), d.text("path"),
                d.text("query"), d.text("operation"), ((Long) d.get("status")).intValue(), d.text("fault"), d.text("scenario"),
                d.text("rule"), diagnosis);
    }
}
