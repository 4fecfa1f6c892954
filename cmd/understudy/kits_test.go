package main

import (
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

// kitSources are the files of a kit that have its public names: functions, and the methods of a server and of a world.
var kitSources = map[string]struct {
	files  []string
	public *regexp.Regexp // its groups are names
}{
	"Node.js": {
		[]string{"node/src/server.ts", "node/src/world.ts"},
		regexp.MustCompile(`(?m)^  (?:async )?([a-z]\w*)\(.*\{$|^export async function (\w+)|\breadonly (url|key|program)\??:`),
	},
	"Python": {
		[]string{"python/src/understudy/server.py", "python/src/understudy/world.py"},
		regexp.MustCompile(`(?m)^    def ([a-z]\w*)\(\s*self|^def (start|connect)\(|^    (url|key|program): str\b`),
	},
	"Java": {
		[]string{"java/src/main/java/io/github/understudysandbox/Understudy.java", "java/src/main/java/io/github/understudysandbox/World.java"},
		regexp.MustCompile(`(?m)^    public (?:static )?[\w<>]+ (\w+)\(`),
	},
}

// kitDifferences are the names that a kit lacks, and those that it alone has, with the reason.
var kitDifferences = map[string]map[string]string{
	"Go": {
		"start": "emulatortest.Run", "connect": "the emulator is in the process of the test", "stop": "the end of the test", "url": "a field",
		"program":      "the emulator is in the process of the test",
		"journalentry": "Journal returns whole entries", "client": "an http.Client is the language's own",
	},
	"Java": {"stop": "close is the language's own", "close": "stop in other kits", "requests": "for the extension, which prints them"},
}

// plainName returns a name without the casing of its language.
func plainName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// kitNames returns the public names of each kit, without the casing of its language.
func kitNames(t *testing.T) map[string]map[string]bool {
	t.Helper()
	names := map[string]map[string]bool{"Go": {}}
	for _, of := range []reflect.Type{reflect.TypeFor[*emulatortest.Server](), reflect.TypeFor[*emulatortest.World]()} {
		for method := range of.Methods() {
			names["Go"][plainName(method.Name)] = true
		}
	}
	for language, source := range kitSources {
		names[language] = make(map[string]bool)
		for _, file := range source.files {
			for _, found := range source.public.FindAllStringSubmatch(string(commandtest.ReadFile(t, path.Join(repository, "emulator/kits", file))), -1) {
				names[language][plainName(strings.Join(found[1:], ""))] = true
			}
		}
	}
	return names
}

// The kits have one vocabulary, but for the casing and the differences that are named. Its page has each name.
func TestVocabularyOfKits(t *testing.T) {
	t.Parallel()
	kits, all := kitNames(t), make(map[string]bool)
	for language, names := range kits {
		for name := range names {
			if kitDifferences[language][name] == "" { // else it has the name alone
				all[name] = true
			}
		}
	}
	if len(all) < 35 {
		t.Fatalf("only %d names: %v", len(all), all)
	}
	page := make(map[string]bool)
	for _, found := range regexp.MustCompile(`\w+`).FindAllString(string(commandtest.ReadFile(t, repository+"docs/testing.md")), -1) {
		page[plainName(found)] = true
	}
	for name := range all {
		for language, names := range kits {
			if names[name] == (kitDifferences[language][name] != "") {
				t.Errorf("%s lacks %s, or has it and a reason not to", language, name)
			}
		}
		if !page[name] {
			t.Errorf("docs/testing.md lacks %s", name)
		}
	}
	for language, differences := range kitDifferences {
		for name := range differences {
			if !kits[language][name] && !all[name] {
				t.Errorf("no kit has %s, which %s may lack", name, language)
			}
		}
	}
}
