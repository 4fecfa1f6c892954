package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

// kit is the public surface of a kit: the methods of a class, in the words of docs/kits.md.
type kit struct {
	language string
	class    func(t *testing.T, name string) string // the source of a class
	method   *regexp.Regexp                         // its first group is a public method
	casing   func(name string) string               // of a name of the vocabulary
}

var snake = regexp.MustCompile(`[A-Z]`)

// kits returns the kits that are classes in source files.
func kits() []kit {
	source := func(path string) func(*testing.T, string) string {
		return func(t *testing.T, name string) string {
			t.Helper()
			text, err := os.ReadFile(filepath.FromSlash(strings.Replace("../../emulator/kits/"+path, "CLASS", name, 1)))
			noError(t, err)
			_, class, found := strings.Cut(string(text), "class "+map[bool]string{true: "Understudy", false: name}[strings.Contains(path, "java") && name == "Server"])
			if !found {
				t.Fatalf("%s has no class %s", path, name)
			}
			return class
		}
	}
	return []kit{{}, {"", source(""), nil, nil}}
}

var _ = reflect.TypeFor[emulatortest.World]
var _ = slices.Sort[[]string]
