package io.github.understudysandbox;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes JSON. An object is a Map in the order of its keys, an array a List, both unmodifiable; an integer is a
 * Long where it is not too large, any other number a BigDecimal.
 */
final class Json {
    private static final int MAX_DEPTH = 500;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** Reads a document, or throws an IllegalArgumentException with the position of the error. */
    static Object parse(String text) {
        Json reader = new Json(text);
        Object value = reader.value();
        reader.peek();
        if (reader.at < text.length()) {
            throw reader.error("the end");
        }
        return value;
    }

    /** Skips white space, and returns the next character without consuming it, or 0 at the end. */
    private char peek() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private IllegalArgumentException error(String expected) {
        String found = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
        return new IllegalArgumentException("not valid JSON at character " + at + ": " + found + " in place of " + expected);
    }

    private void expect(char c) {
        if (peek() != c) {
            throw error("'" + c + "'");
        }
        at++;
    }

    private Object value() {
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> literal("true", true);
            case 'f' -> literal("false", false);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        open('{');
        while (more('}', members.isEmpty())) {
            if (peek() != '"') {
                throw error("a key in quotes");
            }
            int start = at;
            String key = string();
            if (members.containsKey(key)) {
                at = start;
                throw error("a key that is not there yet");
            }
            expect(':');
            members.put(key, value());
        }
        return Collections.unmodifiableMap(members);
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        open('[');
        while (more(']', elements.isEmpty())) {
            elements.add(value());
        }
        return Collections.unmodifiableList(elements);
    }

    private void open(char bracket) {
        if (++depth > MAX_DEPTH) {
            throw error("a document of at most " + MAX_DEPTH + " levels");
        }
        expect(bracket);
    }

    /** Consumes the closing bracket and returns false, or what stands before another element. */
    private boolean more(char close, boolean first) {
        if (peek() == close) {
            at++;
            depth--;
            return false;
        }
        if (!first) {
            expect(',');
        }
        return true;
    }

    private String string() {
        StringBuilder read = new StringBuilder();
        expect('"');
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at);
            if (c < ' ') {
                throw error("an escape such as \\n");
            }
            at++;
            read.append(c == '\\' ? escaped() : c);
        }
        if (at == text.length()) {
            throw error("'\"'");
        }
        at++;
        return read.toString();
    }

    private char escaped() {
        int i = at < text.length() ? "\"\\/bfnrtu".indexOf(text.charAt(at)) : -1;
        if (i < 0) {
            throw error("an escape");
        }
        at++;
        if (i < 8) {
            return "\"\\/\b\f\n\r\t".charAt(i);
        }
        int end = at + 4;
        int code = 0;
        for (; at < end; at++) {
            int digit = at < text.length() ? "0123456789abcdef".indexOf(Character.toLowerCase(text.charAt(at))) : -1;
            if (digit < 0) {
                throw error("a hexadecimal digit");
            }
            code = code * 16 + digit;
        }
        return (char) code;
    }

    private Object literal(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw error(word);
        }
        at += word.length();
        return value;
    }

    private Object number() {
        int start = at;
        while (at < text.length() && "+-.0123456789Ee".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(start, at);
        if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            at = start;
            throw error("a value");
        }
        return digits.matches("-?[0-9]{1,18}") ? (Object) Long.valueOf(digits) : new BigDecimal(digits);
    }

    /** Writes a value as parse returns it, also with dates, instants, spans and documents, or throws an IllegalArgumentException. */
    static String write(Object value) {
        StringBuilder written = new StringBuilder();
        write(written, value);
        return written.toString();
    }

    private static void write(StringBuilder to, Object value) {
        if (value instanceof Map<?, ?> members) {
            char before = '{';
            for (Map.Entry<?, ?> member : members.entrySet()) {
                quote(to.append(before), String.valueOf(member.getKey()));
                write(to.append(':'), member.getValue());
                before = ',';
            }
            to.append(members.isEmpty() ? "{}" : "}");
        } else if (value instanceof Collection<?> elements) {
            char before = '[';
            for (Object element : elements) {
                write(to.append(before), element);
                before = ',';
            }
            to.append(elements.isEmpty() ? "[]" : "]");
        } else if (value instanceof Document document) {
            write(to, document.value);
        } else if (value instanceof String || value instanceof Instant || value instanceof LocalDate || value instanceof Duration) {
            quote(to, value instanceof Duration ? span(value) : value.toString());
        } else if (value instanceof BigDecimal decimal) {
            to.append(decimal.toPlainString());
        } else if (value == null || value instanceof Boolean || value instanceof Number) {
            to.append(value);
        } else {
            throw new IllegalArgumentException("a body has no " + value.getClass().getName() + ": " + value);
        }
    }

    /** Returns a span as the control plane reads it: a Duration, a number of seconds, or a text such as 36h. */
    static String span(Object of) {
        if (of instanceof Duration d) {
            of = BigDecimal.valueOf(d.getSeconds()).add(BigDecimal.valueOf(d.getNano(), 9));
        }
        return of instanceof Number seconds ? new BigDecimal(seconds.toString()).stripTrailingZeros().toPlainString() + "s" : of.toString();
    }

    private static void quote(StringBuilder to, String string) {
        to.append('"');
        for (char c : string.toCharArray()) {
            if (c == '"' || c == '\\') {
                to.append('\\').append(c);
            } else if (c < ' ') {
                to.append(String.format("\\u%04x", (int) c));
            } else {
                to.append(c);
            }
        }
        to.append('"');
    }
}
