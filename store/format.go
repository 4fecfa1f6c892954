package store

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// A file of ours has two buckets: one tells it from the files of other programs and says how to read it, one has the data.
var (
	markBucket = []byte("understudy")
	formatKey  = []byte("format")
	format     = []byte("2")
	dataBucket = []byte("data")
)

// identify returns nil when the file is ours to use: it is empty, or we made it and know its format.
func identify(tx *bolt.Tx) error {
	if bucket, _ := tx.Cursor().First(); bucket == nil {
		return nil
	}
	mark := tx.Bucket(markBucket)
	if mark == nil || tx.Bucket(dataBucket) == nil {
		return faultForeign
	}
	if found := mark.Get(formatKey); !bytes.Equal(found, format) {
		return fault(fmt.Sprintf("has format %q, this Understudy knows %q: use the one that made it, or name another file", found, format))
	}
	return nil
}

// claim makes an empty file ours. It writes to no other.
func claim(db *bolt.DB) error {
	tx, err := db.Begin(true)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit
	if err := identify(tx); err != nil || tx.Bucket(markBucket) != nil {
		return err
	}
	mark, err := tx.CreateBucket(markBucket)
	if err != nil {
		return err
	}
	if err := mark.Put(formatKey, format); err != nil {
		return err
	}
	if _, err := tx.CreateBucket(dataBucket); err != nil {
		return err
	}
	return tx.Commit()
}
