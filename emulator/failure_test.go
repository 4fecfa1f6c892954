package emulator_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func TestAPanicIsAnswered500AndLoggedWithItsStack(t *testing.T) {
	t.Parallel()
	log, option := logged(slog.LevelInfo)
	c := start(t, option, broken(t, func() error { panic("out of cheese") }))
	r := c.Get("/verification-requests/vr_completed")
	wantStatus(t, r, 500, "Internal server error")
	for _, part := range []string{"level=ERROR", "out of cheese", "goroutine", "brokenStore", r.Header.Get("Understudy-Request-Id")} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log does not say %q: %s", part, log)
		}
	}
}

func TestAPanicOfTheControlPlaneIsAnswered500Too(t *testing.T) {
	t.Parallel()
	log, option := logged(slog.LevelInfo)
	c := start(t, option, broken(t, func() error { panic("out of cheese") }))
	wantStatus(t, c.Get("/_understudy/v1/ready"), 500, "Internal server error")
	if !strings.Contains(log.String(), "out of cheese") {
		t.Errorf("logged: %s", log)
	}
}

func TestAnErrorOfTheEmulatorsOwnIs500AndOnlyTheLogTellsTheCause(t *testing.T) {
	t.Parallel()
	log, option := logged(slog.LevelInfo)
	c := start(t, option, broken(t, func() error { return errors.New("the disk is on fire") }))
	r := c.Get("/verification-requests/vr_completed")
	wantStatus(t, r, 500, "Internal server error")
	if strings.Contains(r.Header.Get("Understudy-Diagnosis"), "fire") {
		t.Error("the header tells the cause")
	}
	for _, part := range []string{"msg=failed", "method=GET", "path=/verification-requests/vr_completed", "operation=getVerificationRequest", "the disk is on fire"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log does not say %q: %s", part, log)
		}
	}
	wantStatus(t, c.Get("/_understudy/v1/health"), 200, "")
	wantStatus(t, c.Get("/_understudy/v1/ready"), 503, "The store cannot be used: the disk is on fire")
	if line := "level=ERROR msg=failed path=/_understudy/v1/ready"; !strings.Contains(log.String(), line) {
		t.Errorf("that it is not ready is not logged: %s", log)
	}
}

func TestABodyOver1MiBIs400(t *testing.T) {
	t.Parallel()
	c := start(t)
	fill := func(size int) string {
		const around = `{"name":""}`
		return `{"name":"` + strings.Repeat("x", size-len(around)) + `"}`
	}
	wantStatus(t, c.Put("/tenant-properties/tp_default", fill(api.MaxBody)), 200, "")
	r := c.Put("/tenant-properties/tp_default", fill(api.MaxBody+1))
	wantStatus(t, r, 400, "Invalid field values provided")
	wantDiagnosis(t, r, "larger than 1048576 bytes")
}
