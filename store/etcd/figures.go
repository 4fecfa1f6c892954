package etcd

import (
	"sync/atomic"

	"github.com/understudy-sandbox/understudy/store"
)

var _ store.Figured = (*Store)(nil)

// recalls counts what [Store.Recall] was asked.
type recalls struct{ kept, asked atomic.Uint64 }

// Figures returns those of this replica's part in its group.
func (s *Store) Figures() []store.Figure {
	const help = "Values that may be kept in memory, by where they were found: memory, or etcd, which was asked."
	return []store.Figure{
		{Name: "understudy_store_group_joined", Help: "Whether the replica is in its group, and may use what it keeps in memory.",
			Read: func() float64 { return map[bool]float64{true: 1}[s.kept.usable()] }},
		{Name: "understudy_store_group_rejoins_total", Help: "How often the replica was out of its group, and came back.",
			Read: func() float64 { return float64(s.group.absent.rejoined.Load()) }},
		{Name: "understudy_store_recalls_total", Help: help, Labels: map[string]string{"from": "memory"},
			Read: func() float64 { return float64(s.recalls.kept.Load()) }},
		{Name: "understudy_store_recalls_total", Help: help, Labels: map[string]string{"from": "etcd"},
			Read: func() float64 { return float64(s.recalls.asked.Load()) }},
	}
}

// usable reports whether what is kept may be returned now.
func (k *kept) usable() bool {
	if !k.live() {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.open
}
