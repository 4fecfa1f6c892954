package emulator

import "iter"

// atOnce is how many things of a list are read from the store at once.
const atOnce = 100

// paged goes through a list in the order of its ids: read returns the next things of it, from the first behind an id, at
// most [atOnce]. It ends with the first error.
func paged[T any](id func(T) string, read func(after string) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for last := ""; ; {
			some, err := read(last)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, thing := range some {
				if last = id(thing); !yield(thing, nil) {
					return
				}
			}
			if len(some) < atOnce {
				return
			}
		}
	}
}
