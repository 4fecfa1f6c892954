package emulator_test

import "testing"

func TestAnEmulatorThatIsWarmAnswersTheSameAndRemembersNothing(t *testing.T) {
	t.Parallel()
	warm, c := inGo(t)
	warm.Warm()
	for w, err := range warm.Worlds(t.Context()) {
		t.Errorf("there is a world: %v, %v", w, err)
	}
	const path = "/verification-requests/vr_completed?income_analytics=true"
	got, want := c.Get(path), start(t).Get(path)
	if got.Status != want.Status || string(got.Body) != string(want.Body) {
		t.Errorf("%d %s\n\ncold it answers %d %s", got.Status, got.Body, want.Status, want.Body)
	}
}
