package api_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// The document of the five operations is a part of the whole document: nothing else, and nothing more than they need.
func TestSurface(t *testing.T) {
	t.Parallel()
	text := string(api.SurfaceYAML())
	part, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("it is valid", func(t *testing.T) {
		t.Parallel()
		if err := part.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
			t.Error(err)
		}
	})
	t.Run("it has the five operations", func(t *testing.T) {
		t.Parallel()
		var want []string
		for _, o := range operations {
			want = append(want, o.path)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(maps.Keys(part.Paths.Map()))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("each part is as in the whole document", func(t *testing.T) {
		t.Parallel()
		got, want := parts(t, []byte(text)), parts(t, api.OpenAPIYAML())
		for name, value := range got {
			if diff := cmp.Diff(want[name], value); diff != "" {
				t.Errorf("%s (-whole +part):\n%s", name, diff)
			}
		}
	})
	t.Run("nothing is unused", func(t *testing.T) {
		t.Parallel()
		for name := range parts(t, []byte(text)) {
			if strings.HasPrefix(name, "#/components/") && !strings.Contains(text, `"`+name+`"`) && name != "#/components/securitySchemes/bearer" {
				t.Errorf("nothing refers to %s", name)
			}
		}
		if diff := cmp.Diff(4, len(part.Tags)); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
	})
	t.Run("JSON is the same document", func(t *testing.T) {
		t.Parallel()
		converted, err := api.SurfaceJSON()
		if err != nil || !json.Valid(converted) {
			t.Fatalf("%v: %.80s", err, converted)
		}
		if diff := cmp.Diff(ordered(t, []byte(text)), ordered(t, converted)); diff != "" {
			t.Errorf("content and order (-YAML +JSON):\n%s", diff)
		}
	})
}

// parts returns the parts of a document that a smaller one may lack, and what both have, by reference.
func parts(t *testing.T, text []byte) map[string]any {
	t.Helper()
	doc, all := ordered(t, text), map[string]any{}
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
