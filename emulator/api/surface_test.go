package api_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// A document of some parts is a part of the whole document: nothing else, and nothing more than it needs.
func TestParts(t *testing.T) {
	t.Parallel()
	whole := parts(ordered(t, api.Parts{Control: true, Extensions: true}.YAML()))
	for name, tt := range map[string]struct {
		api.Parts
		operations []api.Operation // beside the control plane
		tags       int
	}{
		"the five operations":           {api.Parts{}, operations, 4},
		"with the extensions":           {api.Parts{Extensions: true}, api.Operations(), 5},
		"with the control plane":        {api.Parts{Control: true}, operations, 5},
		"with both, the whole document": {api.Parts{Control: true, Extensions: true}, api.Operations(), 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := tt.YAML()
			part, err := openapi3.NewLoader().LoadFromData(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := part.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
				t.Error(err)
			}
			paths := map[string]bool{}
			for _, o := range tt.operations {
				paths[o.Path] = true
			}
			got := map[string]bool{}
			for path := range part.Paths.Map() {
				if !tt.Control || !strings.HasPrefix(path, "/_understudy/") {
					got[pathOf(path)] = true
				}
			}
			if diff := cmp.Diff(paths, got); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
			document := ordered(t, text)
			checkPart(t, string(text), parts(document), whole)
			if diff := cmp.Diff(tt.tags, len(part.Tags)); diff != "" {
				t.Errorf("tags (-want +got):\n%s", diff)
			}
			converted, err := tt.JSON()
			if err != nil || !json.Valid(converted) {
				t.Fatalf("%v: %.80s", err, converted)
			}
			if diff := cmp.Diff(document, ordered(t, converted)); diff != "" {
				t.Errorf("content and order (-YAML +JSON):\n%s", diff)
			}
		})
	}
}

// checkPart checks that each part of a document is as in the whole one, and that nothing is unused.
func checkPart(t *testing.T, text string, got, want map[string]any) {
	t.Helper()
	for name, value := range got {
		if diff := cmp.Diff(want[name], value); diff != "" {
			t.Errorf("%s (-whole +part):\n%s", name, diff)
		}
		if strings.HasPrefix(name, "#/components/") && !strings.HasPrefix(name, "#/components/securitySchemes/") && !strings.Contains(text, `"`+name+`"`) {
			t.Errorf("nothing refers to %s", name)
		}
	}
}

// parts returns the parts of a document that a smaller one may lack, and what both have, by reference.
func parts(doc yaml.MapSlice) map[string]any {
	all := map[string]any{}
	for _, key := range []string{"openapi", "info", "servers", "security"} {
		all["#/"+key] = member(doc, key)
	}
	for _, path := range member(doc, "paths").(yaml.MapSlice) {
		all["#/paths"+path.Key.(string)] = path.Value
	}
	for _, kind := range member(doc, "components").(yaml.MapSlice) {
		for _, component := range kind.Value.(yaml.MapSlice) {
			all["#/components/"+kind.Key.(string)+"/"+component.Key.(string)] = component.Value
		}
	}
	return all
}
