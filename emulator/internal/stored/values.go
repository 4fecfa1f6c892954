// Package stored reads and writes what a world stores: values in JSON under names. It also has the checks that values of a snapshot
// pass before they are stored.
package stored

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/store"
)

// Value is a value of a world, under its name.
type Value struct {
	Name  string
	Bytes []byte
}

// Values are the values of a world in one generation, in a transaction of the store.
type Values struct {
	Tx     store.Tx
	Prefix string // of their keys
}

// Get returns the bytes of a value, nil for none.
func (v Values) Get(name string) ([]byte, error) { return v.Tx.Get(v.Prefix + name) }

// Put stores the bytes of a value.
func (v Values) Put(name string, value []byte) error { return v.Tx.Put(v.Prefix+name, value) }

// Delete deletes a value.
func (v Values) Delete(name string) error { return v.Tx.Delete(v.Prefix + name) }

// Load decodes a value. Without one it leaves into as it is.
func (v Values) Load(name string, into any) error { return Load(v.Tx, v.Prefix+name, into) }

// Load decodes the value of a key. Without one it leaves into as it is.
func Load(tx store.Tx, key string, into any) error {
	value, err := tx.Get(key)
	if err != nil || value == nil {
		return err
	}
	return Decode(key, value, into)
}

// Decode decodes a value that was stored under a name.
func Decode(name string, value []byte, into any) error {
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("read %s: %w", api.Quote(name), err)
	}
	return nil
}

// Save encodes and stores a value, and returns its bytes.
func (v Values) Save(name string, value any) (bytes []byte, err error) {
	if bytes, err = json.Marshal(value); err != nil {
		return nil, err
	}
	return bytes, v.Put(name, bytes)
}

// Scan calls visit for each value whose name has a prefix, with the rest of the name, in byte order, from the first after a rest. It
// ends when visit wants no more.
func (v Values) Scan(prefix, after string, visit func(rest string, value []byte) (more bool, err error)) error {
	begin := v.Prefix + prefix
	for entry, err := range v.Tx.Scan(begin, begin+after) {
		if err != nil {
			return err
		}
		if more, err := visit(entry.Key[len(begin):], entry.Value); err != nil || !more {
			return err
		}
	}
	return nil
}

// CountUp counts a counter up to the first number for which nothing is stored under the names that it gives.
func (v Values) CountUp(counter string, names func(number int) []string) error {
	var number int
	if err := v.Load(counter, &number); err != nil {
		return err
	}
	for taken := true; taken; {
		number++
		taken = false
		for _, name := range names(number) {
			value, err := v.Get(name)
			if err != nil {
				return err
			}
			taken = taken || value != nil
		}
	}
	_, err := v.Save(counter, number)
	return err
}

// Number returns the number in an id of a prefix and a number from 1, 0 for another text.
func Number(prefix, id string) int {
	number, err := strconv.Atoi(strings.TrimPrefix(id, prefix))
	if err != nil || number < 1 || prefix+strconv.Itoa(number) != id {
		return 0
	}
	return number
}

// Ages has since when this process has seen values unchanged, so that nothing is decided by another machine's clock.
type Ages struct {
	mu   sync.Mutex
	seen map[string]Sighting // by key
}

// Sighting is a value, and when it was seen first.
type Sighting struct {
	Value string
	Since time.Duration // by the process's own clock
}

// Look returns the values that are there now as they were seen first, and drops all others.
func (a *Ages) Look(values map[string]string, now time.Duration) map[string]Sighting {
	a.mu.Lock()
	defer a.mu.Unlock()
	seen := make(map[string]Sighting, len(values))
	for key, value := range values {
		s, ok := a.seen[key]
		if !ok || s.Value != value {
			s = Sighting{value, now}
		}
		seen[key] = s
	}
	a.seen = seen
	return seen
}

// Of returns how a key was seen; ok is false when it was not, at the last look.
func (a *Ages) Of(key string) (s Sighting, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok = a.seen[key]
	return s, ok
}
