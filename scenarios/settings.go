package scenarios

import (
	"fmt"
	"strings"
)

// Settings are single values of a structure of the language, by their paths, as a command line has them:
// pay.frequency=weekly.
type Settings []string

// Into reads the settings into a structure, over what it has. Its error says which setting is not right.
func (s Settings) Into(structure any) error {
	if len(s) == 0 {
		return nil
	}
	tree := &setting{}
	for _, text := range s {
		path, value, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return fmt.Errorf("%q is not of the form KEY=VALUE, such as pay.frequency=weekly", text)
		}
		if !tree.put(strings.Split(path, "."), value) {
			return fmt.Errorf("%q is set twice, or as a part of something else that is set", path)
		}
	}
	var document strings.Builder
	tree.write(&document)
	problems := Decode("", []byte(document.String()), structure)
	if problems.Errors() > 0 {
		return fmt.Errorf("%s", problems[0].What)
	}
	return nil
}

// setting is a value, or what is set below a key.
type setting struct {
	value string
	below map[string]*setting
	keys  []string // in the order in which they came
}

// put sets a value at a path; it is not ok where something is set already.
func (s *setting) put(path []string, value string) (ok bool) {
	next := s.below[path[0]]
	if len(path) == 1 && next != nil || next != nil && next.below == nil {
		return false
	}
	if next == nil {
		next = &setting{}
		if s.below == nil {
			s.below = make(map[string]*setting)
		}
		s.below[path[0]] = next
		s.keys = append(s.keys, path[0])
	}
	if len(path) == 1 {
		next.value = value
		return true
	}
	return next.put(path[1:], value)
}

// write writes YAML: a line a key.
func (s *setting) write(to *strings.Builder) { s.indented(to, "") }

func (s *setting) indented(to *strings.Builder, indent string) {
	for _, key := range s.keys {
		next := s.below[key]
		fmt.Fprintf(to, "%s%s: %s\n", indent, key, next.value)
		next.indented(to, indent+"  ")
	}
}
