package snapshot

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/store"
)

// Bounds of one transaction of Fill.
const (
	filledKeys  = 100
	filledBytes = 512 << 10
)

// Fill stores the values of a checked snapshot under the key prefix of a generation that has not begun, with the index of its
// sessions.
func (d Text) Fill(ctx context.Context, to store.Store, prefix string) error {
	var batch []stored.Value
	size := 0
	put := func() error {
		return to.Update(ctx, func(tx store.Tx) error {
			for _, v := range batch {
				earlier, err := tx.Get(prefix + v.Name)
				if err == nil && earlier != nil {
					err = Refused(api.Quote(v.Name) + " is there twice")
				}
				if err == nil {
					err = tx.Put(prefix+v.Name, v.Bytes)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	for l, err := range d.Lines() {
		if err != nil {
			return err
		}
		at := l.Group()
		if at != Scenarios && at != Values {
			continue
		}
		value := stored.Value{Name: l.Key, Bytes: l.Value}
		if at == Scenarios {
			if value.Bytes, err = jsontext.AppendUnquote(nil, l.Value); err != nil {
				return err
			}
		}
		for _, v := range append(indexOf(value), value) {
			if len(batch) == filledKeys || len(batch) > 0 && size+len(v.Bytes) > filledBytes {
				if err := put(); err != nil {
					return err
				}
				batch, size = nil, 0
			}
			batch, size = append(batch, v), size+len(v.Bytes)
		}
	}
	return put()
}

// indexOf returns what a world stores beside a value, to find it: nothing beside most.
func indexOf(value stored.Value) []stored.Value {
	if about := delivery.IndexOf(value.Name, value.Bytes); about != "" {
		return []stored.Value{{Name: about}}
	}
	return resource.IndexOf(value)
}
