package scenarios

import (
	"bytes"
	"fmt"
)

// What a scenario file may have at most. The YAML library's time grows faster than what it reads, above all with depth.
const (
	maxFile  = 256 << 10 // bytes
	maxDepth = 32        // lists and mappings within one another; the language has 5
)

// unwieldy finds a file that is not worth reading.
func unwieldy(file string, data []byte) (p Problem, bad bool) {
	if len(data) > maxFile {
		return Problem{Position{file, 1, 1}, fmt.Sprintf("a scenario file may have %d bytes, this one has %d: split it", maxFile, len(data))}, true
	}
	flow, number := 0, 0
	for line := range bytes.Lines(data) {
		number++
		indent := len(line) - len(bytes.TrimLeft(line, " -?:\t"))
		for _, c := range line {
			switch c {
			case '[', '{':
				flow++
			case ']', '}':
				flow = max(0, flow-1)
			}
			if flow > maxDepth {
				break
			}
		}
		if flow > maxDepth || indent > 4*maxDepth {
			return Problem{Position{file, number, 1}, fmt.Sprintf("nested deeper than %d lists and mappings", maxDepth)}, true
		}
	}
	return Problem{}, false
}
