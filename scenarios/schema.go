package scenarios

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of one document of a scenario file.
func Schema() []byte { return slices.Clone(schema) }
