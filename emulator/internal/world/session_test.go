package world_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const forSessions = "name: a\ntitle: a\nmagic: {ssn: any}\n"

// makeSessions creates credentials sessions in the world a. It returns them in the order of their ids, and the ids of their
// verification requests.
func makeSessions(t *testing.T, worlds *world.Worlds, count int) (all []api.CredentialsSession, requests map[string]string) {
	t.Helper()
	requests = make(map[string]string)
	for range count {
		var s api.CredentialsSession
		do(t, worlds, "a", func(tx *world.Tx) (err error) {
			s, _, err = tx.CreateSession(api.NewCredentialsSession{
				Type: api.TypeEmployment, UseCase: "auto", PermissiblePurpose: "employment",
				Target: api.SessionTarget{FirstName: "Ada", LastName: "Example"},
			})
			return err
		})
		all = append(all, s)
		v, err := keyOf(worlds, "a").CredentialsSession(t.Context(), s.ID)
		noError(t, err)
		requests[v.SessionID] = v.ID
	}
	slices.SortFunc(all, func(a, b api.CredentialsSession) int { return strings.Compare(a.ID, b.ID) })
	return all, requests
}

// wantSessions checks that a world has these sessions, each found by its id and its token, and no other.
func wantSessions(t *testing.T, worlds *world.Worlds, name string, want []api.CredentialsSession, requests map[string]string) {
	t.Helper()
	var listed, wanted []string
	for after, w := "", keyOf(worlds, name); ; {
		page, err := w.ListCredentialsSessions(t.Context(), after, 7)
		noError(t, err)
		for _, v := range page {
			after = v.SessionID
			listed = append(listed, v.SessionID+" "+v.ID)
		}
		if len(page) < 7 {
			break
		}
	}
	for _, s := range want {
		wanted = append(wanted, s.ID+" "+requests[s.ID])
		do(t, worlds, name, func(tx *world.Tx) error {
			v, err := tx.SessionOfToken(s.Token)
			if v.SessionID != s.ID {
				t.Errorf("%s has the token of %s, not of %s", s.Token, v.SessionID, s.ID)
			}
			return err
		})
		v, err := keyOf(worlds, name).CredentialsSession(t.Context(), s.ID)
		noError(t, err)
		if v.ID != requests[s.ID] || v.SessionID != s.ID {
			t.Errorf("%s has the request %s of %s, want %s", s.ID, v.ID, v.SessionID, requests[s.ID])
		}
	}
	if !slices.Equal(listed, wanted) {
		t.Errorf("listed are %q, want %q", listed, wanted)
	}
}

// wantNoSession checks that a session is not found.
func wantNoSession(t *testing.T, worlds *world.Worlds, name string, s api.CredentialsSession) {
	t.Helper()
	_, err := keyOf(worlds, name).CredentialsSession(t.Context(), s.ID)
	wantStatus(t, err, 404)
	wantStatus(t, keyOf(worlds, name).Do(t.Context(), func(tx *world.Tx) error {
		_, err := tx.SessionOfToken(s.Token)
		return err
	}), 404)
}

func TestSessions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T, worlds *world.Worlds){
		"unrelated to their requests and tokens": func(t *testing.T, worlds *world.Worlds) {
			all, requests := makeSessions(t, worlds, 20)
			wantSessions(t, worlds, "a", all, requests)
			for _, s := range all {
				for _, id := range []string{s.ID, s.Token} {
					_, random, _ := strings.Cut(id, "_")
					if random = random[len("01JHMMRQE0"):]; strings.Contains(requests[s.ID], random) {
						t.Errorf("%s has the request %s", id, requests[s.ID])
					}
				}
			}
		},
		"deleted with their requests": func(t *testing.T, worlds *world.Worlds) {
			all, requests := makeSessions(t, worlds, 3)
			noError(t, keyOf(worlds, "a").DeleteVerificationRequest(t.Context(), requests[all[1].ID]))
			wantNoSession(t, worlds, "a", all[1])
			wantSessions(t, worlds, "a", []api.CredentialsSession{all[0], all[2]}, requests)
		},
		"gone after a reset": func(t *testing.T, worlds *world.Worlds) {
			all, requests := makeSessions(t, worlds, 3)
			_, err := keyOf(worlds, "a").Reset(t.Context())
			noError(t, err)
			wantNoSession(t, worlds, "a", all[0])
			wantSessions(t, worlds, "a", nil, requests)
		},
		"restored with their requests": func(t *testing.T, worlds *world.Worlds) {
			all, requests := makeSessions(t, worlds, 20)
			s := snapshot(t, worlds, "a")
			if n := len(s.Stored); n != 20+1 { // and the count of sessions
				t.Errorf("the snapshot has %d values: the sessions' index is made from the requests", n)
			}
			noError(t, restore(t, keyOf(worlds, "b"), s.text()))
			wantSessions(t, worlds, "b", all, requests)
		},
		"refused twice in a snapshot": func(t *testing.T, worlds *world.Worlds) {
			all, requests := makeSessions(t, worlds, 1)
			s := snapshot(t, worlds, "a")
			s.Stored["vr/vr_other"] = s.Stored["vr/"+requests[all[0].ID]]
			wantStatus(t, restore(t, keyOf(worlds, "b"), s.text()), 400)
		},
		"drawn anew where a request of another id has the session": func(t *testing.T, worlds *world.Worlds) {
			all, requests := makeSessions(t, worlds, 1)
			s := snapshot(t, worlds, "a")
			request := "vr/" + requests[all[0].ID]
			s.Stored["vr/vr_other"] = s.Stored[request]
			delete(s.Stored, request)
			delete(s.Stored, "sessions")
			noError(t, restore(t, keyOf(worlds, "a"), s.text()))
			more, requests := makeSessions(t, worlds, 1)
			requests[all[0].ID] = "vr_other"
			both := append(all, more...)
			slices.SortFunc(both, func(a, b api.CredentialsSession) int { return strings.Compare(a.ID, b.ID) })
			wantSessions(t, worlds, "a", both, requests)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, startFile(t, forSessions))
		})
	}
}
