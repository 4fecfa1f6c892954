package limits_test

import (
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// spaces is an endless reader of spaces that takes no memory.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// The journal has the start of a body that is too large and its whole size; the body is read to its end, so that the client
// receives the answer. The test is not parallel, because it measures memory.
func TestBodyTooLarge(t *testing.T) {
	const size = 30 << 20
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key)
	fill := func(size int) string { return `{"name":"` + strings.Repeat("x", size-len(`{"name":""}`)) + `"}` }
	lab.WantStatus(t, c.Put("/tenant-properties/tp_default", fill(api.MaxBody)), 200, "")
	lab.WantStatus(t, c.Put("/tenant-properties/tp_default", fill(api.MaxBody+1)), 400, lab.Invalid)
	for name, length := range map[string]int64{"announced": size, "in pieces": -1} {
		request := lab.RequestTo("POST", url+"/credentials/session", lab.Key, "")
		request.Body, request.ContentLength = io.NopCloser(io.LimitReader(spaces{}, size)), length
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := c.Do(request)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 16*api.MaxBody {
			t.Errorf("%s: %d MiB were allocated", name, took>>20)
		}
		lab.WantStatus(t, r, 400, lab.Invalid)
		lab.WantDiagnosis(t, r, "the body is larger than 1048576 bytes")
		var body struct {
			Size      int64 `json:"size"`
			Truncated bool  `json:"truncated"`
		}
		e, _ := lab.EntryOf(t, c, lab.IDOf(r))
		lab.NoError(t, json.Unmarshal(e.Request, &body))
		if body.Size != size || !body.Truncated || e.Status != 400 {
			t.Errorf("the journal has %d bytes, truncated %t, status %d", body.Size, body.Truncated, e.Status)
		}
	}
}
