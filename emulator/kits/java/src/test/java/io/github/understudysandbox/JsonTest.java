package io.github.understudysandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @Test
    void readsEveryKindOfValue() {
        Object read = Json.parse(" { \"a\" : [ 1 , -2.50, 1e3, 12345678901234567890, true, false, null, \"\", {}, [] ] }\r\n\t");
        List<?> a = (List<?>) ((Map<?, ?>) read).get("a");
        assertEquals(List.of(1L, new BigDecimal("-2.50"), new BigDecimal("1e3"), new BigDecimal("12345678901234567890"), true, false),
                a.subList(0, 6));
        assertEquals(null, a.get(6));
        assertEquals(List.of("", Map.of(), List.of()), a.subList(7, 10));
    }

    @Test
    void readsEscapes() {
        assertEquals("\"\\/\b\f\n\r\t\u00e9\ud83d\ude00", Json.parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[1", "[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "{\"a\":1,\"a\":2}", "01", "1.", ".5", "+1",
        "1e", "--1", "tru", "nulls", "'a'", "\"a", "\"\\x\"", "\"\\u00g0\"", "\"\\u00", "\"\n\"", "1 1", "{}}", "\uffff", "1\uffff"})
    void refusesWhatIsNotJson(String text) {
        assertThrows(IllegalArgumentException.class, () -> Json.parse(text));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{\"a\": tru} | not valid JSON at character 6: 't' in place of true",
        "{on: get} | not valid JSON at character 1: 'o' in place of a key in quotes",
        "[1 | not valid JSON at character 2: the end in place of ','"})
    void saysWhereTheErrorIs(String text, String message) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, () -> Json.parse(text)).getMessage());
    }

    @Test
    void refusesEndlessNesting() {
        assertThrows(IllegalArgumentException.class, () -> Json.parse("[".repeat(100_000)));
        assertEquals("[".repeat(500) + "]".repeat(500), Json.write(Json.parse("[".repeat(500) + "]".repeat(500))));
    }

    @Test
    void valuesDoNotChange() {
        Map<?, ?> read = (Map<?, ?>) Json.parse("{\"a\":[1]}");
        assertThrows(UnsupportedOperationException.class, read::clear);
        assertThrows(UnsupportedOperationException.class, ((List<?>) read.get("a"))::clear);
    }

    @Test
    void writesWhatItRead() {
        String text = "{\"b\":[1,-2.50,null,true,{},[]],\"a\":\"\\\"\\\\\\u000a\u00e9\"}";
        assertEquals(text, Json.write(Json.parse(text)));
    }

    @Test
    void writesValuesOfTheLanguage() {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("days", Set.of(LocalDate.parse("2022-01-10")));
        body.put("at", Instant.parse("2025-01-15T09:00:00Z"));
        body.put("for", Duration.ofMillis(90_500));
        body.put("money", new BigDecimal("6.2E4"));
        body.put("part", new Document(Json.parse("{\"a\":null}")));
        assertEquals("{\"days\":[\"2022-01-10\"],\"at\":\"2025-01-15T09:00:00Z\",\"for\":\"90.5s\",\"money\":62000,\"part\":{\"a\":null}}",
                Json.write(body));
        assertEquals("a body has no java.util.Date: Thu Jan 01 00:00:00 UTC 1970",
                assertThrows(IllegalArgumentException.class, () -> Json.write(List.of(new Date(0)))).getMessage());
    }

    @Test
    void writesSpans() {
        Map<Object, String> spans = Map.of(Duration.ZERO, "0s", Duration.ofHours(36), "129600s", Duration.ofNanos(1), "0.000000001s",
                600, "600s", 0.25, "0.25s", 1e-7, "0.0000001s", "36h", "36h");
        spans.forEach((of, written) -> assertEquals(written, Json.span(of)));
    }

    @Test
    void documentHasPaths() {
        Document d = new Document(Json.parse("{\"reports\":[{\"pay\":1450.00,\"to\":null}]}"));
        assertEquals("1450.00", d.text("reports.0.pay"));
        assertEquals(null, d.text("reports.0.to"));
        assertEquals("{\"pay\":1450.00,\"to\":null}", d.text("reports.0"));
        for (String path : List.of("report", "reports.1", "reports.x", "reports.0.pay.x", "reports.0.to.x")) {
            assertThrows(NoSuchElementException.class, () -> d.get(path), path);
        }
    }
}
