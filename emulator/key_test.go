package emulator_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestKeysAreJudgedByTheirForm(t *testing.T) {
	t.Parallel()
	url := serve(t)
	for name, tt := range map[string]struct {
		authorization string
		status        int
		message       string
	}{
		"contract 3: a sandbox key":                           {"Bearer svc_sk_test_a", 200, ""},
		"contract 3: all characters of a sandbox key":         {"Bearer svc_sk_test_AZaz09_-", 200, ""},
		"contract 3: 128 characters":                          {"Bearer svc_sk_test_" + strings.Repeat("k", 128), 200, ""},
		"contract 3: the scheme is case-insensitive":          {"bEARER svc_sk_test_a", 200, ""},
		"RFC 6750: more than one space":                       {"Bearer   svc_sk_test_a", 200, ""},
		"a word that begins like a magic one":                 {"Bearer svc_sk_test_expiredish", 200, ""},
		"a magic word that is not the first":                  {"Bearer svc_sk_test_my_expired", 200, ""},
		"contract 3: 129 characters":                          {"Bearer svc_sk_test_" + strings.Repeat("k", 129), 401, message401},
		"contract 3: no characters":                           {"Bearer svc_sk_test_", 401, message401},
		"contract 3: another character":                       {"Bearer svc_sk_test_a.b", 401, message401},
		"a space inside":                                      {"Bearer svc_sk_test_a b", 401, message401},
		"contract 3: expired":                                 {"Bearer svc_sk_test_expired", 401, message401},
		"contract 3: expired with a suffix":                   {"Bearer svc_sk_test_expired_7", 401, message401},
		"contract 3: revoked":                                 {"Bearer svc_sk_test_revoked", 401, message401},
		"contract 3: revoked with a suffix":                   {"Bearer svc_sk_test_revoked_team_a", 401, message401},
		"contract 3: forbidden":                               {"Bearer svc_sk_test_forbidden", 403, message403},
		"contract 3: forbidden with a suffix":                 {"Bearer svc_sk_test_forbidden_x", 403, message403},
		"contract 3: limited":                                 {"Bearer svc_sk_test_limited", 429, message429},
		"contract 3: limited with a suffix":                   {"Bearer svc_sk_test_limited_x", 429, message429},
		"contract 3: never accept a production key":           {"Bearer svc_sk_live1234", 401, message401},
		"contract 3: a publishable sandbox key":               {"Bearer svc_pk_test_a", 403, message403},
		"contract 3: a publishable production key":            {"Bearer svc_pk_a", 403, message403},
		"contract 3: missing":                                 {"", 401, message401},
		"contract 3: another scheme":                          {"Basic c3ZjX3NrX3Rlc3RfYQ==", 401, message401},
		"contract 3: no scheme (spec 5.4 is for the console)": {"svc_sk_test_a", 401, message401},
		"contract 3: the scheme alone":                        {"Bearer", 401, message401},
		"contract 3: another prefix":                          {"Bearer abc_sk_test_a", 401, message401},
		"the prefix in another case":                          {"Bearer SVC_SK_TEST_a", 401, message401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := apitest.New(t, url, "").With("Authorization", tt.authorization).Get("/verification-requests/vr_completed")
			wantStatus(t, r, tt.status, tt.message)
			if tt.status != 200 && r.Header.Get("Understudy-Diagnosis") == "" {
				t.Error("the refusal is not explained")
			}
		})
	}
}

func TestASandboxKeyWithoutItsLastPartIsNoProductionKey(t *testing.T) {
	t.Parallel()
	r := apitest.New(t, serve(t), "svc_sk_test").Get("/verification-requests/vr_completed")
	wantStatus(t, r, 401, message401)
	wantDiagnosis(t, r, "the key ends too early: behind its third part, test, come _ and 1 to 128 of A-Z a-z 0-9 _ -")
	if said := r.Header.Get("Understudy-Diagnosis"); strings.Contains(said, "production") {
		t.Error(said)
	}
}

func TestTwoAuthorizationLinesAreMalformed(t *testing.T) {
	t.Parallel()
	url := serve(t)
	r, err := http.NewRequest(http.MethodGet, url+"/verification-requests/vr_completed", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header["Authorization"] = []string{"Bearer svc_sk_test_a", "Bearer svc_sk_test_b"}
	wantStatus(t, apitest.New(t, url, "").Do(r), 401, message401)
}

func TestTheKeyPrefixCanBeAnotherVendors(t *testing.T) {
	t.Parallel()
	url := serve(t, emulator.WithKeyPrefix("acme"))
	for key, status := range map[string]int{"acme_sk_test_a": 200, "svc_sk_test_a": 401, "acme_sk_a": 401, "acme_pk_test_a": 403} {
		r := apitest.New(t, url, key).Get("/verification-requests/vr_completed")
		if r.Status != status {
			t.Errorf("%s: status %d, want %d", key, r.Status, status)
		}
	}
}
