package io.github.understudysandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
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
