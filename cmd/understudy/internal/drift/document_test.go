package drift

import (
	"fmt"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The document closes every object of an answer, so that a validation finds unknown keys.
func TestDocumentIsClosed(t *testing.T) {
	t.Parallel()
	all, err := operations()
	noError(t, err)
	var ids []string
	for _, op := range all {
		ids = append(ids, op.id)
		if op.accept == "" {
			t.Errorf("%s has no version", op.id)
		}
		for status, r := range op.responses {
			for _, s := range []*schema{r.whole, r.selected} {
				if s != nil {
					closed(t, fmt.Sprint(op.id, " ", status), s.Schema)
				}
			}
		}
	}
	if slices.Sort(ids); !slices.Equal(ids, []string{"getQualificationCheck", "getVerificationRequest"}) {
		t.Errorf("the operations are %s", ids)
	}
}

// closed reports an object of a schema that may have any key.
func closed(t *testing.T, at string, s *jsonschema.Schema) {
	t.Helper()
	if s == nil {
		return
	}
	if len(s.Properties) > 0 && s.AdditionalProperties != false {
		t.Errorf("%s: an object may have unknown keys", at)
	}
	closed(t, at, s.Ref)
	closed(t, at+".*", s.Items2020)
	for key, below := range s.Properties {
		closed(t, join(at, key), below)
	}
	for _, alternatives := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, alternative := range alternatives {
			closed(t, at, alternative)
		}
	}
}
