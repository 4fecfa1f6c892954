package emulator_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// spaces is a body that takes no memory. At one place of it something happens.
type spaces struct {
	left, place int
	happens     func()
}

func (s *spaces) Read(p []byte) (n int, err error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n = min(len(p), s.left)
	for i := range p[:n] {
		p[i] = ' '
	}
	if s.left >= s.place && s.left-n < s.place && s.happens != nil {
		s.happens()
	}
	s.left -= n
	return n, nil
}

// sendSpaces asks for a session with a body of spaces, which is announced to have a length, or -1.
func sendSpaces(t *testing.T, c *apitest.Client, url string, body io.Reader, length int64) *apitest.Response {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url+"/credentials/session", body)
	noError(t, err)
	req.ContentLength = length
	req.Header.Set("Content-Type", "application/json")
	return c.Do(req)
}

func wantTooLarge(t *testing.T, c *apitest.Client, r *apitest.Response, size int64) {
	t.Helper()
	wantStatus(t, r, 400, "Invalid field values provided")
	wantDiagnosis(t, r, "the body is larger than 1048576 bytes")
	var kept struct {
		Size      int64 `json:"size"`
		Truncated bool  `json:"truncated"`
	}
	e, _ := entryOf(t, c, idOf(r))
	noError(t, json.Unmarshal(e.Request, &kept))
	if kept.Size != size || !kept.Truncated || e.Status != 400 {
		t.Errorf("the journal has %d bytes, truncated %t, status %d", kept.Size, kept.Truncated, e.Status)
	}
}

// Of a body that is too large is kept what a body may have; all of it is read, so that its client hears why, and counted.
// No other test runs beside this one.
func TestABodyThatIsTooLargeCostsNoMoreMemoryThanOneThatIsNot(t *testing.T) {
	const size = 30 << 20
	url := serve(t)
	c := apitest.New(t, url, key)
	for name, length := range map[string]int64{"announced": size, "in pieces": -1} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := sendSpaces(t, c, url, &spaces{left: size}, length)
		runtime.ReadMemStats(&after)
		wantTooLarge(t, c, r, size)
		if took := after.TotalAlloc - before.TotalAlloc; took > 16*api.MaxBody {
			t.Errorf("%s: %d MiB were allocated", name, took>>20)
		}
	}
}

// Contract 6, reset: a call that it overtakes is judged again, and hears the same of a body that nobody has whole any more.
func TestABodyThatIsTooLargeIsSoAfterAResetToo(t *testing.T) {
	t.Parallel()
	const size = 30 << 20
	e, err := emulator.New(emulator.WithClock(emulator.FrozenAt(epoch)))
	noError(t, err)
	server := httptest.NewServer(e)
	t.Cleanup(func() { server.Close(); noError(t, e.Close()) })
	w, err := e.World(key)
	noError(t, err)
	c := apitest.New(t, server.URL, key)
	body := &spaces{left: size, place: size / 2, happens: func() {
		if err := w.Reset(t.Context()); err != nil {
			t.Error(err)
		}
	}}
	wantTooLarge(t, c, sendSpaces(t, c, server.URL, body, size), size)
	if items, _ := listed(t, c, ""); len(items) != 1 {
		t.Errorf("the journal has %d requests", len(items))
	}
}
