package stored

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Strictly decodes JSON without unknown or missing keys, and checks the value.
func Strictly[T any](text []byte, check func(T) error) error {
	var value T
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("cannot be read: %s", api.Excerpt(strings.TrimPrefix(err.Error(), "json: ")))
	}
	if lack := api.Missing(text, reflect.TypeFor[T]()); lack != "" {
		return errors.New("lacks something: " + strings.TrimPrefix(lack, " "))
	}
	return check(value)
}

// CheckCounts returns an error for a count from which a world could not count on.
func CheckCounts(path string, counts map[string]int) error {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if count := counts[name]; count < 0 || count > journal.MaxCount {
			return errors.New(strings.TrimSpace(fmt.Sprintf("%s%s is %d: a count goes from 0 to %d", path, name, count, journal.MaxCount)))
		}
	}
	return nil
}

// CheckInstants returns an error for an instant that no stored value can have.
func CheckInstants(instants map[string]time.Time) error {
	for _, name := range slices.Sorted(maps.Keys(instants)) {
		if OutOfTime(instants[name]) {
			return fmt.Errorf("has at %s an instant that no clock shows: they are of the years %d to %d", name, earliestYear, latestYear)
		}
	}
	return nil
}

// The years of stored instants: requests that existed before their world are at most ten years older than its clock, and
// limits and faults may end after its last instant.
const (
	earliestYear = clock.FirstYear - 11
	latestYear   = 9999
)

// OutOfTime reports whether no stored value can have an instant.
func OutOfTime(at time.Time) bool { return at.Year() < earliestYear || at.Year() > latestYear }
