package console_test

import (
	"compress/gzip"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestAsset(t *testing.T) {
	cases{
		"first page is under 60 KB, and a later one under 30 KB, with all that they load": func(t *testing.T, v *visitor) {
			all := pages(v)
			v.header.Set("Accept-Encoding", "gzip")
			seen := make(map[string]bool)
			load := func(path string) (size int) {
				page := v.get(path)
				size = len(page.body)
				for _, asset := range assets(unzipped(t, page)) {
					size += v.load(t, asset, seen)
				}
				return size
			}
			if size := load(prefix); size > 60_000 {
				t.Errorf("the first page: %d bytes", size)
			}
			for _, path := range all {
				if size := load(path); size > 30_000 {
					t.Errorf("%s: %d bytes", path, size)
				}
			}
		},
		"is cached forever under a versioned path": func(t *testing.T, v *visitor) {
			found := assets(v.get(prefix).body)
			for _, path := range found {
				v.header.Set("Accept-Encoding", "identity")
				plain := v.get(path).shows(200)
				v.header.Set("Accept-Encoding", "br, gzip;q=0.8")
				zipped := v.get(path)
				if plain.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || plain.header.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s: %v", path, plain.header)
				}
				if zipped.header.Get("Content-Encoding") != "gzip" || unzipped(t, zipped) != plain.body || zipped.header.Get("Vary") != "Accept-Encoding" {
					t.Errorf("%s, compressed: %v", path, zipped.header)
				}
				v.header.Set("Accept-Encoding", "gzip;q=0")
				if refused := v.get(path); refused.header.Get("Content-Encoding") != "" {
					t.Errorf("%s is compressed for one who does not take it", path)
				}
			}
			v.get(prefix + "assets/000000000000/base.css").shows(404)
			version := strings.Split(found[0], "/")[3]
			for _, name := range []string{"vendor/README.md", "vendor/LICENSE.htmx", "", "vendor", "../console.go", "none.css"} {
				if v.get(prefix+"assets/"+version+"/"+name).status == 200 {
					t.Errorf("%s is served", name)
				}
			}
		},
	}.run(t)
}

// assets returns the paths of the files that a page loads.
func assets(body string) []string {
	paths := regexp.MustCompile(prefix+`assets/[^"#]+`).FindAllString(body, -1)
	slices.Sort(paths)
	return slices.Compact(paths)
}

// load returns the size of an asset and of the typefaces that it names, 0 when it was seen before. The editor of the
// text does not count.
func (v *visitor) load(t *testing.T, path string, seen map[string]bool) int {
	t.Helper()
	if seen[path] || strings.HasSuffix(path, "/editor.min.js") {
		return 0
	}
	seen[path] = true
	got := v.get(path).shows(200)
	size := len(got.body)
	if strings.HasSuffix(path, ".css") {
		for _, font := range regexp.MustCompile(`url\("([^"]+)"\)`).FindAllStringSubmatch(unzipped(t, got), -1) {
			size += v.load(t, path[:strings.LastIndex(path, "/")+1]+font[1], seen)
		}
	}
	return size
}

func unzipped(t *testing.T, a answer) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
