package etcd

import (
	"encoding/json"
	"fmt"
)

// notice says what was amended. Without a key nothing was: the replicas are to say how far they have heard.
type notice struct {
	By     string `json:"by"`
	Key    []byte `json:"key,omitempty"`
	Settle bool   `json:"settle,omitempty"` // nothing was: what the replicas have yet to write is to be written
}

func (n notice) encode() string {
	text, err := json.Marshal(n)
	if err != nil {
		panic(err) // such a value is always JSON
	}
	return string(text)
}

// progress is how far a replica says that it has come, in revisions of the store.
type progress struct {
	heard   int64 // of what was amended
	settled int64 // see [Store.Settle]
}

// String writes the progress as parseProgress reads it.
func (p progress) String() string { return fmt.Sprintf("%d %d", p.heard, p.settled) }

// parseProgress reads a progress; of a later release's it reads nothing, and its replica is waited for until its lease has
// run out.
func parseProgress(text []byte) (p progress) {
	if n, err := fmt.Sscanf(string(text), "%d %d", &p.heard, &p.settled); n != 2 || err != nil {
		return progress{}
	}
	return p
}
