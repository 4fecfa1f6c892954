package sender_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// Two emulators with the same seed, clock and requests send the same bytes, in the same order.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	var received [2][]string
	r := lab.Receive(t)
	for i := range received {
		c, before := lab.Start(t), len(r.Bodies())
		r.SetAnswer(func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(503) })
		lab.Subscribe(t, c, r.URL)
		lab.PlayScript(t, c, "GET /verification-requests/"+timed+" → 200\nPOST /credentials/session SESSION(000-00-0000) → 201\nadvance 2h")
		r.SetAnswer(nil)
		lab.PlayScript(t, c, "move vr_lifecycle processing\nadvance 48h\nGET deliveries?status=due → 200 items.#=0")
		received[i] = r.Bodies()[before:]
	}
	if diff := cmp.Diff(received[0], received[1]); diff != "" {
		t.Error(diff)
	}
}
