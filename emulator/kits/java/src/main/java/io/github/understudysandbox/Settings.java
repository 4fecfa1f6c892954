package io.github.understudysandbox;

/**
 * What a world lets its clients do, and how it treats them.
 *
 * @param grease off, on or values: whether answers change in what no client may rely on
 * @param sessionFlow auto or manual: who uses the token of a credentials session
 * @param account what the client's account may do; a key that is left out allows everything
 */
public record Settings(String grease, String sessionFlow, Document account) {
    static Settings of(Document d) {
        return new Settings(d.text("grease"), d.text("session_flow"), new Document(d.get("account")));
    }
}
