package store

import (
	"context"
	"errors"

	bolt "go.etcd.io/bbolt"
)

// Checker is a store that can tell whether what it holds is whole.
type Checker interface {
	// Check returns all that is wrong. It reads everything, and is for tests.
	Check(ctx context.Context) error
}

// Readier is a store that can tell why what is written to it would be refused, which reading it does not show.
type Readier interface{ Ready() error }

// Check has bbolt check its file as of the last commit, and reads all that is in it.
func (s *boltStore) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.health.err(); err != nil {
		return err
	}
	return closed(s.db.View(func(tx *bolt.Tx) error {
		var wrong []error
		for err := range tx.Check() {
			wrong = append(wrong, err)
		}
		wrong = append(wrong, records{tx.Bucket(dataBucket), s.health}.verify())
		return errors.Join(wrong...)
	}))
}
