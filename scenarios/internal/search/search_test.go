package search_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/scenarios/internal/search"
)

var texts = []search.Text{
	text("error-451", "Unavailable for legal reasons", 0),
	text("error-500", "Internal server error", 0),
	text("cancel-error-451", "A cancel is answered 451", 0),
	text("canceled", "The request was canceled", 0),
	text("slow-approval", "The target approves late", 1),
	text("fast-approval", "The target approves soon", 0),
}

func text(name, title string, order int) search.Text {
	return search.Text{Fields: []search.Field{{"name", 10, name}, {"title", 6, title}}, Exact: []string{name, "vr_" + name}, Order: order}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		query string
		found []string // names, the best first
		whole bool
	}{
		"all words":                       {"cancel 451", []string{"cancel-error-451"}, true},
		"the whole name comes first":      {"error-451", []string{"error-451", "cancel-error-451"}, true},
		"an exact text comes first":       {"VR_Error-451", []string{"error-451", "cancel-error-451"}, false},
		"endings of a word":               {"cancelling", []string{"canceled", "cancel-error-451"}, true},
		"the beginning of a word":         {"appro", []string{"fast-approval", "slow-approval"}, true},
		"a part of a word":                {"prov", []string{"fast-approval", "slow-approval"}, true},
		"a typing error":                  {"aproval", []string{"fast-approval", "slow-approval"}, false},
		"swapped letters":                 {"solw", []string{"slow-approval"}, false},
		"another status of the class":     {"502", []string{"error-500"}, false},
		"a word that no text has":         {"zebra", nil, false},
		"fillers count only among others": {"what is the target with", []string{"fast-approval", "slow-approval"}, true},
		"the nearest lack a word":         {"slow zebra", []string{"slow-approval"}, false},
		"no word":                         {" ,.", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, whole := search.Search(texts, tt.query)
			var names []string
			for _, f := range found {
				names = append(names, texts[f.Index].Exact[0])
			}
			if diff := cmp.Diff(tt.found, names); diff != "" || whole != tt.whole {
				t.Errorf("whole %t, found (-want +got):\n%s", whole, diff)
			}
		})
	}
}

func TestSearch_why(t *testing.T) {
	t.Parallel()
	if found, _ := search.Search(texts, "slow late"); len(found) != 1 || found[0].Why != "name, title" {
		t.Errorf("%+v", found)
	}
}
