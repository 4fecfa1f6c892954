// Package manual serves the project's pages below /_understudy/docs/: the Markdown of this version comes in, and a site of flat files
// goes out, which can also be read from a folder. A page is rendered when somebody opens it.
package manual

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/docs"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/provenance"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// List is the name of the file that lists all files of the site.
const List = "files.txt"

// ownFiles are the layout of a page, and what all pages load.
//
//go:embed assets
var ownFiles embed.FS

// consoleFiles are files of the console that pages load.
var consoleFiles = []string{"base.css", "layout.css", "icon.svg", "fonts/sans.woff2", "fonts/mono.woff2"}

// readmes are pages outside of docs, by their paths in the repository.
var readmes = map[string]func() string{
	"emulator/api/README.md": api.Readme, "fixtures/README.md": fixtures.Readme, "scenarios/README.md": scenarios.Readme,
	"emulator/internal/provenance/decisions.csv": provenance.Table,
}

// introductions begin the pages of comma-separated values.
var introductions = map[string]string{
	"emulator/internal/provenance/decisions.csv": "# Decisions\n\nWhat the emulator does where the specification is silent.",
	"docs/population.csv":                        "# Population\n\n100,000 people of [the mix](../fixtures/population.yaml), and documents of some, on 2025-01-15 with seed 1, beside what is published.",
}

// markdownOf returns a page by its path in the repository.
func markdownOf(source string) (page []byte, err error) {
	if readme := readmes[source]; readme != nil {
		page = []byte(readme())
	} else {
		page, err = docs.Pages.ReadFile(strings.TrimPrefix(source, "docs/"))
	}
	if introduction := introductions[source]; introduction != "" && err == nil {
		return tablePage(introduction, page)
	}
	return page, err
}

// tablePage returns a page with a table, whose first row has the names of the columns.
func tablePage(introduction string, values []byte) ([]byte, error) {
	rows, err := csv.NewReader(bytes.NewReader(values)).ReadAll()
	page := introduction + "\n"
	for i, row := range rows {
		page += "\n| " + strings.Join(row, " | ") + " |"
		if i == 0 {
			page += "\n" + strings.Repeat("|---", len(row)) + "|"
		}
	}
	return []byte(page + "\n"), err
}

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
}

// site is the pages of a version.
type site struct {
	version string
	asset   func(name string) ([]byte, error) // a file of the console
	pages   []page                            // those of the left bar in its order, then the others
	bySlug  map[string]int                    // index in pages
	files   map[string]string                 // paths of pictures in docs, by name
	search  func() []byte
}

// page is a Markdown file.
type page struct {
	source string // its path in the repository
	slug   string // its file in the site is SLUG.html
	name   string // in the left bar
	group  string // in the left bar; "" for a page that is not there
}

// New returns the handler of the paths below /_understudy/docs/, whose pages look as the console's. They are listed at the first request.
func New(version string, consoleAsset func(name string) ([]byte, error)) http.Handler {
	load := sync.OnceValue(func() *site { return newSite(version, consoleAsset) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, name, _ := strings.Cut(r.URL.Path, "/docs/")
		content, err := load().file(cmp.Or(name, "index.html"))
		if err != nil {
			api.WriteError(w, api.Because(http.StatusNotFound, "There is no such page: the first, index.html, leads to all"))
			return
		}
		for header, value := range map[string]string{
			"Content-Type": contentTypes[path.Ext(cmp.Or(name, "index.html"))], "Content-Security-Policy": policy,
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-cache",
		} {
			w.Header().Set(header, value)
		}
		w.Write(content)
	})
}

// policy lets a page load the files of the site and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// newSite lists the pages. README of docs is the index: its headings and links are the left bar.
func newSite(version string, asset func(name string) ([]byte, error)) *site {
	s := &site{version: version, asset: asset, bySlug: make(map[string]int), files: make(map[string]string)}
	s.search = sync.OnceValue(s.searchIndex)
	s.add(page{source: "docs/README.md", name: "All pages", group: "Start"})
	for _, p := range indexed("docs/README.md") {
		if _, err := markdownOf(p.source); err == nil { // else it is at the repository's host
			s.add(p)
		}
	}
	// the file system is in the program: walking it does not fail
	fs.WalkDir(docs.Pages, ".", func(name string, _ fs.DirEntry, err error) error {
		switch path.Ext(name) {
		case ".md":
			s.add(page{source: "docs/" + name})
		case ".png", ".svg":
			s.files[path.Base(name)] = name
		}
		return err
	})
	return s
}

// add adds a page, unless the site has it.
func (s *site) add(p page) {
	if slices.ContainsFunc(s.pages, func(other page) bool { return other.source == p.source }) {
		return
	}
	p.slug = slug(p.source)
	s.bySlug[p.slug] = len(s.pages)
	s.pages = append(s.pages, p)
}

// slug returns the name of a page's file: that of a README is the name of its folder.
func slug(source string) string {
	switch base := strings.TrimSuffix(path.Base(source), path.Ext(source)); {
	case source == "docs/README.md":
		return "index"
	case base == "README":
		return path.Base(path.Dir(source))
	default:
		return strings.ToLower(base)
	}
}

// file returns a file of the site.
func (s *site) file(name string) ([]byte, error) {
	if i, isPage := s.bySlug[strings.TrimSuffix(name, ".html")]; isPage && path.Ext(name) == ".html" {
		return s.render(s.pages[i])
	}
	switch {
	case name == "search.js":
		return s.search(), nil
	case name == List:
		return []byte(strings.Join(s.names(), "\n") + "\n"), nil
	case slices.Contains(consoleFiles, name):
		return s.asset(name)
	case s.files[name] != "":
		return docs.Pages.ReadFile(s.files[name])
	case name != layoutFile:
		return ownFiles.ReadFile("assets/" + name)
	}
	return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// names lists the files of the site.
func (s *site) names() []string {
	all := append([]string{"manual.css", "manual.js", "search.js"}, consoleFiles...)
	for _, p := range s.pages {
		all = append(all, p.slug+".html")
	}
	for name := range s.files {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
