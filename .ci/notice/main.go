// Command notice prints the licences of everything that the program contains and that others wrote: Go's library, the modules
// that are linked on some system, and embedded files. Run it in the root of a clone:
//
//	go run ./.ci/notice >docs/NOTICE
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := printAll(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

func printAll(to io.Writer) error {
	licences, err := allLicences()
	if err != nil {
		return err
	}
	fmt.Fprint(to, "Understudy contains software and fonts of others, under the licences below.\n")
	for _, l := range licences {
		fmt.Fprintf(to, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(l.of, "\n"), l.text)
	}
	return nil
}

// licence is a text, and what is under it.
type licence struct {
	text string
	of   []string
}

func allLicences() (all []*licence, err error) {
	byText := make(map[string]*licence)
	add := func(of, file string) error {
		raw, err := os.ReadFile(file)
		text := strings.TrimSpace(strings.ReplaceAll(string(raw), "\r", ""))
		if byText[text] == nil {
			byText[text] = &licence{text: text}
			all = append(all, byText[text])
		}
		byText[text].of = append(byText[text].of, of)
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	if err := add("Go's standard library", filepath.Join(strings.TrimSpace(string(root)), "LICENSE")); err != nil {
		return nil, err
	}
	packages, err := linked()
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		files, err := p.licences()
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if err := add(p.name(file), file); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// linkedPackage is what go list says of a package.
type linkedPackage struct {
	Dir        string
	EmbedFiles []string
	Module     *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// linked returns our packages, and a package of each other module, that are linked on at least one system.
func linked() (all []linkedPackage, err error) {
	seen := make(map[string]bool)
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-json=Dir,EmbedFiles,Module", "./cmd/understudy")
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH=amd64")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", list, err)
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			var p linkedPackage
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module != nil && !seen[p.key()] {
				seen[p.key()] = true
				all = append(all, p)
			}
		}
	}
	slices.SortFunc(all, func(a, b linkedPackage) int { return strings.Compare(a.key(), b.key()) })
	return all, nil
}

// key is the folder of a package of ours, and else the path of the module.
func (p linkedPackage) key() string {
	if p.Module.Main {
		return p.Dir
	}
	return p.Module.Path
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)\b`)

// licences returns the files with the terms of a module, or of what a package of ours embeds.
func (p linkedPackage) licences() (files []string, err error) {
	if p.Module.Main {
		for _, file := range p.EmbedFiles {
			if licenceName.MatchString(filepath.Base(file)) {
				files = append(files, filepath.Join(p.Dir, file))
			}
		}
		return files, nil
	}
	entries, err := os.ReadDir(p.Module.Dir)
	for _, entry := range entries {
		if licenceName.MatchString(entry.Name()) {
			files = append(files, filepath.Join(p.Module.Dir, entry.Name()))
		}
	}
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no file with a licence", p.Module.Path)
	}
	return files, err
}

// name returns what a file with a licence is of.
func (p linkedPackage) name(file string) string {
	if p.Module.Main {
		return strings.TrimPrefix(filepath.Ext(file), ".")
	}
	return p.Module.Path + " " + p.Module.Version
}
