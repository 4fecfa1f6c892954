package store

// Figured is a store that has figures of its own for whoever watches over it.
type Figured interface{ Figures() []Figure }

// Figure is one of them. It is named as Prometheus wants: what only grows ends with _total.
type Figure struct {
	Name   string
	Help   string
	Labels map[string]string
	Read   func() float64 // as it is now
}
