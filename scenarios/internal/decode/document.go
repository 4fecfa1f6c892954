package decode

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// One decodes the only document of a file. With strict the values must have JSON's types.
func One(name string, data []byte, strict bool, into any) Decoder {
	d := Read(name, data)
	d.Strict = strict
	if len(d.Problems) == 0 {
		d.Decode(d.Body, reflect.ValueOf(into).Elem())
	}
	d.Problems = source.Report(d.Problems, string(data))
	return d
}

// Read returns the decoder of the only document of a file.
func Read(name string, data []byte) (d Decoder) {
	d.File = name
	begin := source.Position{File: name, Line: 1, Column: 1}
	if len(data) > source.MaxFile {
		what := fmt.Sprintf("it may have %d bytes (64 KiB) and has %d: leave something out", source.MaxFile, len(data))
		d.Problems = source.Problems{{At: begin, What: what}}
		return d
	}
	documents, problems := source.Read(name, data)
	switch d.Problems = problems; {
	case len(problems) > 0:
	case len(documents) != 1:
		d.Problems = source.Problems{{At: begin, What: "must be one document, such as a JSON object"}}
	default:
		d.Body = documents[0]
	}
	return d
}

// Settings decodes single values with their paths, such as pay.frequency=weekly, into a structure of the language's
// types, over the values that it has. Its error names the invalid setting.
func Settings(settings []string, into any) error {
	if len(settings) == 0 {
		return nil
	}
	paths := make([][]string, len(settings))
	values := make(map[string]string)
	for i, text := range settings {
		path, value, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return fmt.Errorf("%q is not of the form KEY=VALUE, such as pay.frequency=weekly", text)
		}
		paths[i], values[path] = strings.Split(path, "."), value
	}
	slices.SortFunc(paths, slices.Compare)
	var document strings.Builder // YAML with one key on each line
	var before []string
	for _, path := range paths {
		common := 0
		for common < len(before) && common < len(path) && before[common] == path[common] {
			common++
		}
		if before != nil && common == len(before) {
			return fmt.Errorf("%q is set twice, or is a part of another setting", strings.Join(path, "."))
		}
		last := len(path) - 1
		for i := common; i < last; i++ {
			fmt.Fprintf(&document, "%*s%s:\n", 2*i, "", path[i])
		}
		fmt.Fprintf(&document, "%*s%s: %s\n", 2*last, "", path[last], values[strings.Join(path, ".")])
		before = path
	}
	if problems := One("", []byte(document.String()), json.Valid([]byte(document.String())), into).Problems; len(problems) > 0 {
		return fmt.Errorf("%s", problems[0].What)
	}
	return nil
}
