package io.github.understudysandbox;

import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** A JSON document of the control plane. It does not change. */
public final class Document {
    final Object value;

    Document(Object value) {
        this.value = value;
    }

    /**
     * Returns a value of the document: a Map, a List, a String, a Long, a BigDecimal, a Boolean, or null.
     *
     * @param path keys, and numbers of elements from 0, such as resource.reports.0.employer.name
     * @return the value
     * @throws NoSuchElementException if the document does not have the path
     */
    public Object get(String path) {
        Object found = value;
        for (String key : path.split("\\.")) {
            if (found instanceof Map<?, ?> members && members.containsKey(key)) {
                found = members.get(key);
            } else if (found instanceof List<?> elements && key.matches("[0-9]{1,9}") && Integer.parseInt(key) < elements.size()) {
                found = elements.get(Integer.parseInt(key));
            } else {
                throw new NoSuchElementException("no " + path + " in " + this);
            }
        }
        return found;
    }

    /** Reports whether the document is an object with a key. */
    boolean has(String key) {
        return value instanceof Map<?, ?> members && members.containsKey(key);
    }

    /**
     * Returns a value as text: a string without quotes, or any other value as JSON.
     *
     * @param path as for {@link #get}
     * @return the text, or null if the value is null
     * @throws NoSuchElementException if the document does not have the path
     */
    public String text(String path) {
        Object found = get(path);
        return found == null || found instanceof String ? (String) found : Json.write(found);
    }

    /**
     * Returns the document as JSON.
     *
     * @return the JSON
     */
    public String json() {
        return Json.write(value);
    }

    /** Returns the document as JSON. */
    @Override
    public String toString() {
        return json();
    }
}
