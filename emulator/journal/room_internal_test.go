package journal

import (
	"fmt"
	"testing"
)

// weighed returns what all entries that are there weigh, counted anew.
func weighed(j *memory) (total int64, worlds int) {
	for i := range j.shards {
		s := &j.shards[i]
		again := &shard{bodies: make(map[*byte]*sharedBody)}
		for _, b := range s.books {
			worlds++
			for _, e := range b.entries(0) {
				total += again.charge(e)
			}
		}
	}
	return total, worlds
}

func TestTheLongestUnusedWorldsGoFirst(t *testing.T) {
	t.Parallel()
	j := newMemory(100)
	j.most = 100 << 10
	answer := make([]byte, 500)
	for i := range 1000 {
		j.append(fmt.Sprint("w", i), 1, NewEntry(Asked{Method: "GET"}, answer))
		j.append("busy", 1, NewEntry(Asked{Method: "GET"}, answer))
	}
	if held := j.held.Load(); held > j.most {
		t.Errorf("%d bytes are held", held)
	}
	if total, _ := weighed(j); total != j.held.Load() {
		t.Errorf("%d bytes are held, %d are there", j.held.Load(), total)
	}
	if entries, _, _ := j.read(t.Context(), "busy", 1); len(entries) == 0 {
		t.Error("the world in use has lost its entries")
	}
	if entries, dropped, _ := j.read(t.Context(), "w0", 1); len(entries) != 0 || dropped != 1 {
		t.Errorf("the longest unused has %d entries, %d dropped", len(entries), dropped)
	}
	if entries, dropped, _ := j.read(t.Context(), "w999", 1); len(entries) != 1 || dropped != 0 {
		t.Errorf("the last one has %d entries, %d dropped", len(entries), dropped)
	}
}

func TestAWorldThatIsTooLargeAloneLosesItsOlderEntries(t *testing.T) {
	t.Parallel()
	j := newMemory(100_000)
	j.most = 100 << 10
	for range 1000 {
		j.append("w", 1, NewEntry(Asked{Method: "GET"}, make([]byte, 500)))
	}
	entries, dropped, _ := j.read(t.Context(), "w", 1)
	if len(entries) == 0 || uint64(len(entries))+dropped != 1000 || entries[len(entries)-1].Sequence != 1000 {
		t.Errorf("%d entries, %d dropped", len(entries), dropped)
	}
	if total, _ := weighed(j); total != j.held.Load() || total > j.most {
		t.Errorf("%d bytes are held, %d are there", j.held.Load(), total)
	}
}

func TestADocumentThatIsAnsweredOftenWeighsOnce(t *testing.T) {
	t.Parallel()
	j := newMemory(10)
	document := make([]byte, 11<<10)
	for range 25 {
		j.append("w", 1, NewEntry(Asked{Method: "GET"}, document))
	}
	if held := j.held.Load(); held > 20<<10 {
		t.Errorf("ten entries of one document weigh %d bytes", held)
	}
	_ = j.clear(t.Context(), "w", 1)
	if held := j.held.Load(); held != 0 || len(j.shard("w").bodies) != 0 {
		t.Errorf("nothing weighs %d bytes", held)
	}
}

// Issue: a million keys do not exhaust memory.
func TestWorldsAtRestDoNotPileUp(t *testing.T) {
	t.Parallel()
	j := newMemory(10)
	j.most = 100 << 10
	const keys = 200_000
	for i := range keys {
		world := fmt.Sprint("w", i)
		j.append(world, 1, &Entry{})
		if i%3 == 0 {
			_ = j.clear(t.Context(), world, 1)
		}
	}
	if _, worlds := weighed(j); worlds > shards*(mostForgotten+1)+200 {
		t.Errorf("of %d worlds %d are known", keys, worlds)
	}
}

func BenchmarkAppend(b *testing.B) {
	j := newMemory(DefaultSize)
	document := make([]byte, 11<<10)
	asked := Asked{
		Method: "GET", Path: "/verification-requests/vr_completed", Query: "",
		Header: map[string][]string{"Accept": {"application/json; version=2019-10-15"}, "User-Agent": {"Go-http-client/1.1"}},
	}
	session := asked
	session.Method, session.Path = "POST", "/credentials/session"
	session.Body = []byte(`{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage","target":{"first_name":"Ada","last_name":"Example","social_security_number":"000-12-3456","date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`)
	session.Size = int64(len(session.Body))
	for name, asked := range map[string]Asked{"read": asked, "session": session} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				j.append("w", 1, NewEntry(asked, document))
			}
		})
		b.Run(name+", by all at once, while it is read", func(b *testing.B) {
			b.ReportAllocs()
			done := make(chan bool)
			go func() {
				for {
					select {
					case <-done:
						return
					default:
						j.read(b.Context(), "w", 1)
					}
				}
			}()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					j.append("w", 1, NewEntry(asked, document))
				}
			})
			close(done)
		})
	}
}
