package manual_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/console"
	"github.com/understudy-sandbox/understudy/emulator/internal/manual"
)

const folder = "/_understudy/docs/"

// get returns a file of the site.
func get(t *testing.T, name string) (status int, header http.Header, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	manual.New("v1.2.3", console.Asset).ServeHTTP(w, httptest.NewRequest(http.MethodGet, folder+name, nil))
	return w.Code, w.Header(), w.Body.String()
}

// files returns all files of the site by their names.
func files(t *testing.T) map[string]string {
	t.Helper()
	_, _, list := get(t, manual.List)
	all := make(map[string]string)
	for name := range strings.FieldsSeq(list) {
		status, header, body := get(t, name)
		if status != 200 || header.Get("Content-Type") == "" || header.Get("X-Content-Type-Options") != "nosniff" || body == "" {
			t.Errorf("%s: %d %v, %d bytes", name, status, header, len(body))
		}
		all[name] = body
	}
	return all
}

var (
	link    = regexp.MustCompile(`\s(?:href|src)="([^"]*)"`)
	anchor  = regexp.MustCompile(`\sid="([^"]*)"`)
	element = regexp.MustCompile(`<[a-z][^>]*>`)
	quoted  = regexp.MustCompile(`="[^"]*"`)
)

// links returns the links of a page to files of the site, and the anchors with them.
func links(page string) (all []string) {
	for _, found := range link.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(found[1], ":") {
			all = append(all, found[1])
		}
	}
	return all
}

// Every link of the site leads to a file of it, and to an anchor of that file, or to a file of the repository.
func TestLinks(t *testing.T) {
	t.Parallel()
	site := files(t)
	if len(site) < 35 {
		t.Fatalf("the site has %d files", len(site))
	}
	for name, body := range site {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, to := range links(body) {
			file, wanted, _ := strings.Cut(to, "#")
			target, exists := site[file]
			if file == "" {
				target = body
			} else if !exists {
				t.Errorf("%s: the link %s leads nowhere", name, to)
			}
			ids := anchor.FindAllStringSubmatch(target, -1)
			if wanted != "" && !slices.ContainsFunc(ids, func(id []string) bool { return id[1] == wanted }) {
				t.Errorf("%s: the link %s leads to no anchor", name, to)
			}
		}
		for _, found := range link.FindAllStringSubmatch(body, -1) {
			source, ofRepository := strings.CutPrefix(found[1], "https://github.com/understudy-sandbox/understudy/blob/v1.2.3/")
			source, _, _ = strings.Cut(source, "#")
			if _, err := os.Stat("../../../" + source); ofRepository && err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", name, found[1], err)
			}
		}
	}
}

// From the first page each page is two clicks away at most, and the links to the next page go through all of the left bar.
func TestReach(t *testing.T) {
	t.Parallel()
	site := files(t)
	near := map[string]bool{"index.html": true}
	for range 2 {
		for from := range near {
			for _, to := range links(site[from]) {
				file, _, _ := strings.Cut(to, "#")
				near[file] = true
			}
		}
	}
	for name := range site {
		if path.Ext(name) == ".html" && !near[name] {
			t.Errorf("%s is more than two clicks away", name)
		}
	}
	next := regexp.MustCompile(`rel="next" href="([^"]*)"`)
	bar := regexp.MustCompile(`(?s)<nav aria-label="(?:Start|Tutorial|How-to|Reference|Explanation)">.*?</nav>`)
	var inBar, read []string
	for _, part := range bar.FindAllString(site["index.html"], -1) {
		inBar = append(inBar, links(part)...)
	}
	for page := "index.html"; len(read) <= len(inBar); {
		read = append(read, page)
		found := next.FindStringSubmatch(site[page])
		if found == nil {
			break
		}
		page = found[1]
	}
	if len(inBar) < 20 || !slices.Equal(inBar, read) {
		t.Errorf("the left bar has\n%v\nand the next links lead to\n%v", inBar, read)
	}
}

// A page has its own title, marks its entry in the left bar, and loads and runs the site's files alone.
func TestPages(t *testing.T) {
	t.Parallel()
	titles := make(map[string]string)
	for name, body := range files(t) {
		if path.Ext(name) != ".html" {
			continue
		}
		title := regexp.MustCompile(`<title>(.+) – Understudy</title>`).FindStringSubmatch(body)
		if title == nil || titles[title[1]] != "" {
			t.Errorf("%s: the title is %q, as that of %s", name, title, titles[title[1]])
			continue
		}
		titles[title[1]] = name
		if current := strings.Count(body, `aria-current="page"`); current > 1 || current == 0 && !strings.HasPrefix(name, "population") && !slices.Contains([]string{"node.html", "python.html", "java.html", "docs.html"}, name) {
			t.Errorf("%s marks %d entries of the left bar", name, current)
		}
		for _, tag := range element.FindAllString(body, -1) {
			if strings.HasPrefix(tag, "<style") || strings.Contains(quoted.ReplaceAllString(tag, ""), " on") || strings.Contains(tag, " style=") || strings.HasPrefix(tag, "<script") && !strings.Contains(tag, ` src="`) {
				t.Errorf("%s has %s", name, tag)
			}
		}
		if _, header, _ := get(t, name); !strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'; ") || strings.Contains(body, "raw HTML omitted") {
			t.Errorf("%s: %v", name, header)
		}
	}
}

// The search has every section of every page.
func TestSearch(t *testing.T) {
	t.Parallel()
	_, _, index := get(t, "search.js")
	for _, want := range []string{
		`window.sections = [{"page":`, `"title":"Strict mode","link":"behaviour.html#strict-mode"`, "there is no Authorization header", "vr_lifecycle",
	} {
		if !strings.Contains(index, want) {
			t.Errorf("the index has no %s", want)
		}
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nowhere.html", "page.html", "../README.md", "README.md", "assets/manual.css", "tour"} {
		if status, _, body := get(t, name); status != 404 || !strings.Contains(body, "index.html") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

// Each diagnosis of a refusal that the transcript has is explained by a line of the troubleshooting page.
func TestCodes(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../../testdata/transcript/*.txt")
	if err != nil || len(names) < 30 {
		t.Fatalf("%d transcripts, %v", len(names), err)
	}
	answer := regexp.MustCompile(`(?s)\nHTTP/1\.1 (\d+) .*?\n\n`)
	diagnosis := regexp.MustCompile(`\nUnderstudy-Diagnosis: (.*)\n`)
	refusals, met := 0, make(map[string]bool)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range answer.FindAllStringSubmatch(string(text), -1) {
			sentence := diagnosis.FindStringSubmatch(found[0])
			if sentence == nil {
				continue
			}
			code := manual.Code(sentence[1])
			met[code] = true
			if found[1] < "400" {
				continue
			}
			if refusals++; code == "" {
				t.Errorf("%s: no line explains %s: %s", path.Base(name), found[1], sentence[1])
			}
		}
	}
	for sentence, want := range map[string]string{
		`no verification request is "vr_1x": did you mean vr_1?; no version was asked for: send Accept: application/json; version=2019-10-15`: "typo",
		"use_case is required; no version was asked for":                          "field",
		"scenario error-451 answers so, by its rule at catalogue/errors.yaml:8:5": "scenario",
		"unknown query parameter fieds was ignored: did you mean fields?":         "query",
		"an unheard-of sentence": "",
	} {
		if code := manual.Code(sentence); code != want {
			t.Errorf("the code of %s is %q, want %q", sentence, code, want)
		}
	}
	if refusals < 300 || len(met) < 15 {
		t.Errorf("%d refusals, with the codes %v", refusals, met)
	}
}
