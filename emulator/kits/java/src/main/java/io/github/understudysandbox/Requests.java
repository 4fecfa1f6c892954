package io.github.understudysandbox;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes the requests of a journal for people. */
final class Requests {
    private static final int MAX_REQUESTS = 50; // the last
    private static final int MAX_BODY = 1024;

    private Requests() {
    }

    /**
     * Returns a line for each of the last requests of a journal, the latest last, with the bodies of those that failed. They
     * are those after the request of an id, if that is not null.
     */
    static String text(Control control, String journal, String since) {
        Map<String, Object> last = Map.of("limit", MAX_REQUESTS);
        List<Document> latest = latest(control, journal, since == null ? last : Map.of("limit", MAX_REQUESTS, "since", since));
        Collections.reverse(latest);
        return latest.stream().map(d -> text(control, journal, JournalEntry.of(d))).collect(Collectors.joining());
    }

    /** Returns the last requests of a journal that a filter selects, the latest first: none if the journal is off. */
    static List<Document> latest(Control control, String journal, Map<String, ?> filter) {
        try {
            return control.items(journal, filter);
        } catch (ControlException e) {
            e.unless(409);
            return new ArrayList<>();
        }
    }

    private static String text(Control control, String journal, JournalEntry e) {
        StringBuilder text = new StringBuilder();
        text.append(String.format("%4d  %s  %s", e.sequence(), e.time(), e.status() == 0 ? "---" : String.valueOf(e.status())));
        text.append(e.fault() == null ? "" : " (" + e.fault() + ")");
        text.append(" ").append(e.method()).append(" ").append(e.path());
        text.append(e.query().isEmpty() ? "" : "?" + e.query());
        text.append(e.scenario() == null ? "\n" : "  [" + e.scenario() + "]\n");
        e.diagnosis().forEach(note -> text.append("      - ").append(note).append("\n"));
        if (e.status() == 0 || e.status() >= 400) {
            Document whole = control.call("GET", journal + "/" + e.id(), null);
            appendBody(text, "      > ", whole, "request");
            appendBody(text, "      < ", whole, "response");
        }
        return text.toString();
    }

    private static void appendBody(StringBuilder text, String before, Document whole, String name) {
        if (whole.get(name) == null) {
            return;
        }
        String body = whole.text(name + (whole.get(name + ".text") == null ? ".json" : ".text"));
        if (body != null) {
            text.append(before).append(body.length() > MAX_BODY ? body.substring(0, MAX_BODY) + "..." : body).append("\n");
        }
    }
}
