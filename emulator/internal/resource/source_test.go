package resource_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
)

// A property's source sets every key that a property has but its id, also one that is null.
func TestSourceOfProperty(t *testing.T) {
	t.Parallel()
	text, err := resource.SourceOfProperty(resource.Scene{}, api.TenantProperty{ID: "tp_a", Name: "Quay House", City: new("Portland"), Status: "active"})
	if err != nil {
		t.Fatal(err)
	}
	var source struct {
		TenantProperty struct{ Set map[string]any } `json:"tenant_property"`
	}
	if err := json.Unmarshal(text, &source); err != nil {
		t.Fatal(err)
	}
	var want []string
	for field := range reflect.TypeFor[api.TenantProperty]().Fields() {
		if key := field.Tag.Get("json"); key != "id" {
			want = append(want, key)
		}
	}
	slices.Sort(want)
	set := source.TenantProperty.Set
	if got := slices.Sorted(maps.Keys(set)); !slices.Equal(got, want) {
		t.Errorf("it sets %q, want %q", got, want)
	}
	if set["name"] != "Quay House" || set["city"] != "Portland" || set["state"] != nil {
		t.Errorf("%s", text)
	}
}
