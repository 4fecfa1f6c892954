package console_test

import (
	"fmt"
	"strings"
	"testing"
)

// as sends a request with another key, and returns the page of its world.
func (v *visitor) as(key string) string {
	v.t.Helper()
	before := v.header.Get("Authorization")
	defer v.header.Set("Authorization", before)
	v.header.Set("Authorization", "Bearer "+key)
	return prefix + "worlds/" + v.send("GET", "/verification-requests/vr_completed", "", "").header.Get("Understudy-World")
}

func TestAWorldIsFoundByItsKey(t *testing.T) {
	t.Parallel()
	v := visit(t)
	other := v.as("svc_sk_test_of-somebody-else")
	for key, want := range map[string]string{
		key: v.world, "svc_sk_test_of-somebody-else": other, "of-somebody-else": other, "  svc_sk_test_of-somebody-else\n": other,
	} {
		if to := v.post(prefix+"worlds", "key", key).says(303).header.Get("Location"); to != want {
			t.Errorf("%q leads to %s, want %s", key, to, want)
		}
	}
	for _, key := range []string{"svc_sk_test_never-used", "never-used", "svc_sk_live_never-used", "<b>never-used"} {
		a := v.post(prefix+"worlds", "key", key).alerts(404, "No world has that key")
		if strings.Contains(a.body, "never-used") {
			t.Errorf("repeats the key: %s", a.body)
		}
	}
}

func TestWorldsAreFilteredByWhatIsShownOfTheirKeysAndByTheirIds(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for i := range 120 {
		v.as(fmt.Sprintf("svc_sk_test_many-worlds-%04d", i))
	}
	id := strings.TrimPrefix(v.world, prefix+"worlds/")
	rows := func(query string) (page answer, worlds int) {
		page = v.get(prefix + "worlds" + query).says(200)
		return page, strings.Count(page.body, `<th scope="row">`)
	}
	for query, want := range map[string]int{
		"?q=ESTS": 1, "?q=%23" + id[:4]: 1, "?q=" + id: 1, "?q=" + id[6:]: 1, "?q=…0077": 1, "?q=…00": 50, "?q=many-worlds": 0, "": 50,
	} {
		if _, worlds := rows(query); worlds != want {
			t.Errorf("%s: %d worlds, want %d", query, worlds, want)
		}
	}
	page, _ := rows("?q=…00")
	page.says(200, "Next page").has("q=%E2%80%A600")
	page, _ = rows("?q=nothing")
	page.says(200, "No world is like that")
	page, _ = rows("")
	page.says(200, "is its last four characters", "the first four of its world's id, which is a hash of the key")
}
