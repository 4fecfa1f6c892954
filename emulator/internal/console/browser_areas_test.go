package console_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

// With a control token the console asks for it once.
func TestBrowserToken(t *testing.T) {
	t.Parallel()
	b := look(t, emulator.WithControlToken("correct-horse"))
	b.expect("401")
	b.open(prefix + "catalogue")
	b.reads("h1", "token")
	b.fill(`input[name="token"]`, "wrong-horse")
	b.follow("Log in")
	b.reads("[role=alert]", "token")
	b.fill(`input[name="token"]`, "correct-horse")
	b.follow("Log in")
	b.reads("h1", "scenarios")
	b.open(prefix + "worlds")
	b.reads("h1", "One world for each key")
	if cookies := value[string](b, "document.cookie"); cookies != "" {
		t.Errorf("scripts see the cookie: %s", cookies)
	}
}
