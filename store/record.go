package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"iter"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// castagnoli is the checksum that processors compute by themselves. Its table is made when it is first used: a temporary
// store that commits nothing starts without.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// What a damaged file does to what was written.
var (
	errChanged   = errors.New("a value is not what was written")
	errMissing   = errors.New("something that was written is missing")
	errMisplaced = errors.New("a key is not where it belongs")
)

// records are the keys and values of a file. bbolt trusts what it reads, so each value has a checksum of its key and
// itself behind it, which is compared whenever it is read: in a copy, since what is mapped may change, or be there no more,
// a moment later. The sum of all these is the sequence number of the bucket, so that whoever reads all (see verify) knows
// whether all are there.
type records struct {
	bucket *bolt.Bucket
	health *health
}

// record is a key, its value, and the checksum of both.
type record struct {
	key, value []byte
	sum        uint32
}

// get returns a nil value where there is no such key. The value is the caller's.
func (r records) get(key []byte) (found record, err error) {
	err = r.health.careful(func() (err error) {
		found, err = unseal(key, bytes.Clone(r.bucket.Get(key)))
		return err
	})
	return found, err
}

func (r records) put(key, value []byte) error {
	old, err := r.get(key)
	if err != nil {
		return err
	}
	sum := checksum(key, value)
	sealed := binary.BigEndian.AppendUint32(append(make([]byte, 0, len(value)+crc32.Size), value...), sum)
	return r.health.careful(func() error {
		return errors.Join(r.bucket.Put(key, sealed), r.bucket.SetSequence(r.bucket.Sequence()-uint64(old.sum)+uint64(sum)))
	})
}

func (r records) delete(key []byte) error {
	old, err := r.get(key)
	if err != nil {
		return err
	}
	return r.health.careful(func() error {
		return errors.Join(r.bucket.Delete(key), r.bucket.SetSequence(r.bucket.Sequence()-uint64(old.sum)))
	})
}

// all yields the keys that begin with prefix and come behind after, in order, and their values, which are good until the
// next. An error is the last.
func (r records) all(prefix, after string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		c, move := r.bucket.Cursor(), func(c *bolt.Cursor) (k, v []byte) { return seek(c, prefix, after) }
		var last, key, sealed []byte // copies
		for {
			var found record
			err := r.health.careful(func() (err error) {
				k, v := move(c)
				if k == nil {
					return nil
				}
				last, key, sealed = key, append(last[:0], k...), append(sealed[:0], v...)
				if v == nil || len(last) > 0 && bytes.Compare(key, last) <= 0 {
					return errMisplaced
				}
				found, err = unseal(key, sealed)
				return err
			})
			if err == nil && (found.key == nil || !bytes.HasPrefix(found.key, []byte(prefix))) || !yield(found, err) || err != nil {
				return
			}
			move = (*bolt.Cursor).Next
		}
	}
}

// seek moves a cursor to the first key that all yields, if there is one.
func seek(c *bolt.Cursor, prefix, after string) (k, v []byte) {
	if k, v = c.Seek([]byte(max(prefix, after))); after != "" && string(k) == after {
		return c.Next()
	}
	return k, v
}

// unseal takes the checksum off a value, which it must be that of.
func unseal(key, sealed []byte) (record, error) {
	if sealed == nil {
		return record{key: key}, nil
	}
	size := len(sealed) - crc32.Size
	if size < 0 {
		return record{}, errChanged
	}
	value, sum := sealed[:size:size], binary.BigEndian.Uint32(sealed[size:])
	if checksum(key, value) != sum {
		return record{}, errChanged
	}
	return record{key, value, sum}, nil
}

func checksum(key, value []byte) uint32 {
	table := castagnoli()
	return crc32.Update(crc32.Checksum(key, table), table, value)
}

// verify reads all, and looks for each key that it has read.
func (r records) verify() error {
	sum := uint64(0)
	for found, err := range r.all("", "") {
		if err != nil {
			return err
		}
		again, err := r.get(found.key)
		if err != nil {
			return err
		}
		if again.value == nil {
			return errMisplaced
		}
		sum += uint64(found.sum)
	}
	if sum != r.bucket.Sequence() {
		return errMissing
	}
	return nil
}
