package sender_test

import (
	"errors"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/sender"
)

// The address is checked when it is dialled, whatever its name was.
func TestDial(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"http://192.0.2.1/", "http://[2001:db8::1]/", "http://[::ffff:192.0.2.1]/", "http://0.0.0.0:1/", "http://169.254.0.1/"} {
		if _, err := sender.NewClient(nil, delivery.Targets{}).Get(url); !errors.Is(err, sender.ErrRefused) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := sender.NewClient(nil, delivery.Targets{}).Get("http://localhost:1/"); err == nil || errors.Is(err, sender.ErrRefused) {
		t.Errorf("localhost: %v", err)
	}
}
