package store

import bolt "go.etcd.io/bbolt"

// DB returns the bbolt database of a store.
func DB(s Store) *bolt.DB { return s.(*boltStore).db }
