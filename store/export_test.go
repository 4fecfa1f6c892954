package store

import bolt "go.etcd.io/bbolt"

// DB is the database under a store of this package.
func DB(s Store) *bolt.DB { return s.(*boltStore).db }
