package snapshot

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/inventory"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// checkValue returns an error for a value that a world could not read under a name.
func checkValue(at resource.Scene, name string, part []byte) error {
	kind, id, _ := strings.Cut(name, "/")
	switch of := resource.KindOf(name); {
	case of != "" && !scenarios.ValidID(id):
		return errors.New("has an id that no resource has")
	case of == scenarios.VerificationRequestID:
		return stored.Strictly(part, func(v resource.Request) error { return v.Check(at, id) })
	case of == scenarios.TenantPropertyID:
		return stored.Strictly(part, func(p api.TenantProperty) error { return resource.CheckProperty(id, p) })
	case of == scenarios.QualificationCheckID:
		return stored.Strictly(part, func(q resource.Qualification) error { return q.Check(at, id) })
	case kind == "calls" && isCounter(id):
		return stored.Strictly(part, func(c scenarios.Counters) error {
			return cmp.Or(stored.CheckCounts("at calls.", c.Calls), stored.CheckCounts("at applied.", c.Applied), stored.CheckInstants(c.Arrivals))
		})
	case name == "sessions" || name == "created":
		return stored.Strictly(part, func(count int) error { return stored.CheckCounts("", map[string]int{"": count}) })
	case name == "limit":
		return stored.Strictly(part, func(arrival time.Time) error { return stored.CheckInstants(map[string]time.Time{name: arrival}) })
	}
	if ok, err := delivery.Check(name, part, inventory.IsStep); ok {
		return err
	}
	return errors.New("is no name of a value that a world stores")
}

// isCounter reports whether a name is that of a rule's counters: of a resource, a fault, or a scenario for sessions or for
// every request.
func isCounter(of string) bool {
	kind, name, _ := strings.Cut(of, "/")
	scenario := slices.Contains([]string{"fault", "cs", "all"}, kind)
	return resource.KindOf(of) != "" && scenarios.ValidID(name) || scenario && scenarios.ValidName(name)
}
