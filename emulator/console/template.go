package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// files are the pages' templates: layout.html and part_*.html are in all of them, every other one is a page and defines
// "main".
//
//go:embed pages/*.html
var files embed.FS

// pages are the templates of all pages, parsed when the first is rendered.
var pages = sync.OnceValues(parsePages)

// render renders a template of a page.
func render(page, name string, data any) ([]byte, error) {
	parsed, err := pages()
	if err != nil {
		return nil, err
	}
	t, ok := parsed[page]
	if !ok {
		return nil, fmt.Errorf("console: there is no page %s", page)
	}
	var out bytes.Buffer
	err = t.ExecuteTemplate(&out, name, data)
	return out.Bytes(), err
}

func parsePages() (map[string]*template.Template, error) {
	shared, err := template.New("").Funcs(funcs()).ParseFS(files, "pages/layout.html", "pages/part_*.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "pages/*.html")
	if err != nil {
		return nil, err
	}
	parsed := make(map[string]*template.Template)
	for _, name := range names {
		base := strings.TrimSuffix(path.Base(name), ".html")
		if base == "layout" || strings.HasPrefix(base, "part_") {
			continue
		}
		t, err := shared.Clone()
		if err != nil {
			return nil, err
		}
		if parsed[base], err = t.ParseFS(files, name); err != nil {
			return nil, err
		}
	}
	return parsed, nil
}

// funcs are what templates may call beside the language's own.
func funcs() template.FuncMap {
	return template.FuncMap{
		"link":    link,
		"asset":   assetLink,
		"instant": instant,
		"iso":     func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
		"words":   words,
		"class":   class,
		"bytes":   bytesOf,
		"clock":   func(at time.Time) string { return at.UTC().Format("2 Jan 15:04:05") },
		"took": func(span time.Duration) string {
			return strconv.FormatFloat(float64(span.Microseconds())/1000, 'f', -1, 64) + " ms"
		},
	}
}

// instant writes an instant for people.
func instant(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

// words writes a name of the API as words: pending-approval, or a type of such names.
func words(name any) string { return strings.NewReplacer("-", " ", "_", " ").Replace(fmt.Sprint(name)) }

// class returns what a status is like: ok, moved, refused, failed or broken. 0 is a connection that was broken off.
func class(status int) string {
	switch status / 100 {
	case 2:
		return "ok"
	case 3:
		return "moved"
	case 4:
		return "refused"
	case 5:
		return "failed"
	}
	return "broken"
}
