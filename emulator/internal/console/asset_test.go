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
		"every page with its assets is under 100 KB": func(t *testing.T, v *visitor) {
			all, count := pages(v), 0
			v.header.Set("Accept-Encoding", "gzip")
			for _, asset := range assets(unzipped(t, v.get(prefix))) {
				count += len(v.get(asset).body)
			}
			for _, path := range all {
				page := v.get(path)
				if more := assets(unzipped(t, page)); len(more) != 5 {
					t.Errorf("%s loads %v", path, more)
				}
				total := len(page.body) + count
				if total > 100_000 {
					t.Errorf("%s: %d bytes", path, total)
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
			v.get(prefix + "assets/000000000000/console.css").shows(404)
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
	paths := regexp.MustCompile(prefix+`assets/[^"]+`).FindAllString(body, -1)
	slices.Sort(paths)
	return slices.Compact(paths)
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
