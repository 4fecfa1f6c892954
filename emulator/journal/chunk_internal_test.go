package journal

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// asked returns an entry whose request and answer have secrets.
func asked(id string, answer []byte) *Entry {
	e := NewEntry(Asked{
		Method: "POST", Path: "/credentials/session", Query: "key=svc_sk_test_secretive",
		Header: http.Header{"User-Agent": {"svc_sk_test_secretive"}},
		Body:   []byte(`{"social_security_number":"000-12-3456"}`), Size: 40,
	}, answer)
	e.ID = id
	return e
}

func TestAChunkHasNothingSecret(t *testing.T) {
	t.Parallel()
	c := newChunk(make(map[*byte][]byte))
	c.add(asked("a", []byte(`{"id":"svc_sk_test_secretive","social_security_number":"000-12-3456"}`)))
	for _, secret := range []string{"000-12", "secretive"} {
		if bytes.Contains(c.raw, []byte(secret)) {
			t.Errorf("%s stands in %q", secret, c.raw)
		}
	}
	if !bytes.Contains(c.raw, []byte("3456")) {
		t.Errorf("the body is not there: %q", c.raw)
	}
}

func TestAChunkHasABodyOnce(t *testing.T) {
	t.Parallel()
	c := newChunk(make(map[*byte][]byte))
	document := bytes.Repeat([]byte("x"), 10<<10)
	for range 100 {
		c.add(asked("a", document))
	}
	if len(c.raw) > 40<<10 || len(c.value()) > 4<<10 {
		t.Errorf("a hundred entries of one document take %d bytes, %d compressed", len(c.raw), len(c.value()))
	}
	entries, err := readChunk(c.value(), 1100)
	if err != nil || len(entries) != 100 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i, e := range entries {
		if e.Sequence != uint64(1001+i) || !bytes.Equal(e.answer.text, document) {
			t.Fatalf("entry %d has the number %d and %d bytes", i, e.Sequence, len(e.answer.text))
		}
	}
}

func TestAFullChunkTakesNoMore(t *testing.T) {
	t.Parallel()
	redacted := make(map[*byte][]byte)
	c := newChunk(redacted)
	for c.add(asked("a", []byte(strings.Repeat("x", 15<<10)))) {
	}
	if len(c.raw) > maxChunk || c.entries < 10 {
		t.Errorf("%d entries take %d bytes", c.entries, len(c.raw))
	}
	if entries, err := readChunk(c.value(), 100); err != nil || len(entries) != c.entries {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	document := []byte("x")
	for c = newChunk(redacted); c.add(asked("a", document)); {
	}
	if c.entries != maxChunkEntries {
		t.Errorf("%d entries", c.entries)
	}
}

func TestADamagedChunkIsAnError(t *testing.T) {
	t.Parallel()
	c := newChunk(make(map[*byte][]byte))
	c.add(asked("a", []byte("{}")))
	c.add(asked("b", []byte("{}")))
	whole := c.raw
	for size := range whole {
		if _, err := decodeEntries(whole[:size], 2, 2); err == nil {
			t.Errorf("of %d bytes %d are enough", len(whole), size)
		}
	}
	value := c.value()
	for size := range len(value) - 8 { // the last bytes say that it ends
		if _, err := readChunk(value[:size], 2); err == nil {
			t.Errorf("of %d compressed bytes %d are enough", len(value), size)
		}
	}
	value[0]++
	if _, err := readChunk(value, 2); err == nil || !strings.Contains(err.Error(), "a form that this release does not read") {
		t.Errorf("the error of another form is %v", err)
	}
}

// BenchmarkGather is what a shared journal adds to a request.
func BenchmarkGather(b *testing.B) {
	q, document := newQueue(), make([]byte, 11<<10)
	e := NewEntry(Asked{Method: "GET", Path: "/verification-requests/vr_completed"}, document)
	b.ReportAllocs()
	for b.Loop() {
		q.add(gathered{world: "w", generation: 1, entry: e})
		select {
		case <-q.full:
			var bytes int64
			taken := q.take()
			for _, g := range taken {
				bytes += g.size
			}
			q.done(len(taken), bytes, true)
		default:
		}
	}
}

// BenchmarkCompose is what the writing of a batch takes, an entry.
func BenchmarkCompose(b *testing.B) {
	document := []byte(strings.Repeat(`{"id":"vr_completed","state":"completed"},`, 270))
	entries := make([]gathered, enough)
	for i := range entries {
		entries[i] = gathered{world: "w", generation: 1, entry: NewEntry(Asked{Method: "GET", Path: "/verification-requests/vr_completed"}, document)}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range chunks(entries, make(map[*byte][]byte)) {
			c.value()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*enough), "ns/entry")
}

// BenchmarkReadChunk is what the reading of a batch takes.
func BenchmarkReadChunk(b *testing.B) {
	document := []byte(strings.Repeat(`{"id":"vr_completed","state":"completed"},`, 270))
	c := newChunk(make(map[*byte][]byte))
	for range enough {
		c.add(NewEntry(Asked{Method: "GET", Path: "/verification-requests/vr_completed"}, document))
	}
	value := c.value()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readChunk(value, enough); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*enough), "ns/entry")
}
