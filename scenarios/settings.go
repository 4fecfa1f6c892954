package scenarios

import (
	"fmt"
	"slices"
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
	paths := make([][]string, len(s))
	values := make(map[string]string)
	for i, text := range s {
		path, value, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return fmt.Errorf("%q is not of the form KEY=VALUE, such as pay.frequency=weekly", text)
		}
		paths[i], values[path] = strings.Split(path, "."), value
	}
	slices.SortFunc(paths, slices.Compare)
	var document strings.Builder // YAML, a line a key
	var before []string
	for _, path := range paths {
		common := 0
		for common < len(before) && common < len(path) && before[common] == path[common] {
			common++
		}
		if before != nil && common == len(before) {
			return fmt.Errorf("%q is set twice, or as a part of something else that is set", strings.Join(path, "."))
		}
		last := len(path) - 1
		for i := common; i < last; i++ {
			fmt.Fprintf(&document, "%*s%s:\n", 2*i, "", path[i])
		}
		fmt.Fprintf(&document, "%*s%s: %s\n", 2*last, "", path[last], values[strings.Join(path, ".")])
		before = path
	}
	if problems := Decode("", []byte(document.String()), structure); problems.Errors() > 0 {
		return fmt.Errorf("%s", problems[0].What)
	}
	return nil
}
