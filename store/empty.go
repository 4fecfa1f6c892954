package store

import (
	_ "embed"
	"encoding/binary"
)

// empty is a file of ours with nothing in it, as bbolt lays it out on machines of this byte order. A temporary store
// begins with it: bbolt waits for the disk when it lays out a file, whatever its options, and a start waits with it.
//
//go:embed empty.bbolt
var empty string

// blank returns what a new temporary file begins with: "" where bbolt has to lay it out.
func blank() string {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return "" // bbolt writes numbers as the machine does
	}
	return empty
}
