package console_test

import (
	"bytes"
	_ "embed"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed testdata/har-1.2.schema.json
var harSchema []byte

// isHAR checks that an answer is a valid HTTP Archive, and that nothing secret is in it.
func (a answer) isHAR(t *testing.T) answer {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(harSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("har.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("har.json")
	if err != nil {
		t.Fatal(err)
	}
	archive, err := jsonschema.UnmarshalJSON(strings.NewReader(a.shows(200).raw))
	if err == nil {
		err = schema.Validate(archive)
	}
	if err != nil {
		t.Errorf("%v:\n%s", err, a.raw)
	}
	return a.lacks(key, "000-00-1001", "000001001")
}

func TestHAR(t *testing.T) {
	cases{
		"list is valid, masked and filtered": func(t *testing.T, v *visitor) {
			v.session("000-00-1001")
			v.ask("GET", "/verification-requests/vr_large?fields=id%2Cstate&x=%zz", "")
			v.ask("GET", "/verification-requests/vr_large", "")
			v.ask("GET", "/verification-requests/a%20%3C%22b", "")
			broken := v.ask("GET", "/verification-requests/vr_error_451", "").header.Get("Understudy-Request-Id")
			v.get(v.world+"/har").isHAR(t).has(`***-**-1001`, `"status":451`, `"statusText":"Unavailable For Legal Reasons"`, `"method":"POST"`, broken, `"comment":"The beginning of`)
			v.get(v.world+"/har?status=451").isHAR(t).counts(1, `"startedDateTime"`)
			v.get(v.world + "/har?q=nothing-is-so").isHAR(t).has(`"entries":[]`)
			v.get(v.world + "/har?status=none").shows(400)
		},
		"one request": func(t *testing.T, v *visitor) {
			id := v.ask("GET", "/verification-requests/vr_error_451", "").header.Get("Understudy-Request-Id")
			v.get(v.world+"/har?id="+id).isHAR(t).counts(1, `"startedDateTime"`).has(v.url + "/verification-requests/vr_error_451")
			v.get(v.world + "/har?id=none").shows(404)
		},
		"requests outside any world": func(t *testing.T, v *visitor) {
			v.send("GET", "/verification-requests/vr_stray", "").shows(401)
			v.get(prefix+"worlds/none/har").isHAR(t).counts(1, `"startedDateTime"`)
		},
	}.run(t)
}
