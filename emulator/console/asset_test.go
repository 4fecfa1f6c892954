package console_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"strings"
	"testing"
)

var assetPaths = regexp.MustCompile(prefix + `assets/[^"]+`)

// Issue of the console: every page under 100 KB transferred.
func TestAPageWithAllThatItLoadsIsUnder100KB(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.header.Set("Accept-Encoding", "gzip")
	for _, path := range pages(v) {
		page := v.get(prefix + path)
		body := page.body
		if page.header.Get("Content-Encoding") == "gzip" {
			body = unzipped(t, page.body)
		}
		total := len(page.body)
		for _, asset := range uniq(assetPaths.FindAllString(body, -1)) {
			total += len(v.get(asset).body)
		}
		if total > 100_000 {
			t.Errorf("%s: %d bytes", path, total)
		}
	}
}

func TestAnAssetIsKeptForGoodUnderAPathOfItsOwnText(t *testing.T) {
	t.Parallel()
	v := visit(t)
	found := uniq(assetPaths.FindAllString(v.get(prefix).body, -1))
	if len(found) != 5 {
		t.Fatalf("the layout loads %v", found)
	}
	for _, path := range found {
		v.header.Set("Accept-Encoding", "identity")
		plain := v.get(path)
		v.header.Set("Accept-Encoding", "br, gzip;q=0.8")
		zipped := v.get(path)
		if plain.status != 200 || plain.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || plain.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, plain.status, plain.header)
		}
		if zipped.header.Get("Content-Encoding") != "gzip" || unzipped(t, zipped.body) != plain.body || zipped.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s, compressed: %v", path, zipped.header)
		}
		v.header.Set("Accept-Encoding", "gzip;q=0")
		if refused := v.get(path); refused.header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed for one who does not take it", path)
		}
	}
	v.get(prefix + "assets/000000000000/console.css").says(404)
	version := strings.Split(found[0], "/")[3]
	for _, name := range []string{"vendor/README.md", "vendor/LICENSE.htmx", "", "vendor", "../console.go", "none.css"} {
		if a := v.get(prefix + "assets/" + version + "/" + name); a.status == 200 {
			t.Errorf("%s is served", name)
		}
	}
}

func uniq(all []string) (once []string) {
	seen := make(map[string]bool)
	for _, one := range all {
		if !seen[one] {
			seen[one] = true
			once = append(once, one)
		}
	}
	return once
}

func unzipped(t *testing.T, body string) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
