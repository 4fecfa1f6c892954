package frame

import (
	"bytes"
	"cmp"
	"net/url"
	"strings"
)

// A proxy may serve the console below a path prefix, which only the browser has: https://tools.example/understudy/_understudy/.
// Within the console paths are those of the emulator; what leaves it is relative to the page that the browser shows.

// linkAttributes are the attributes of pages that have paths of the console.
var linkAttributes = []string{"href", "src", "action", "formaction", "hx-get", "hx-post", "data-schema"}

// relativeLinks makes the links of a page relative. first is the first page as seen from there.
func relativeLinks(page []byte, first string) []byte {
	for _, name := range linkAttributes {
		name = " " + name + `="`
		page = bytes.ReplaceAll(page, []byte(name+Prefix), []byte(name+first))
	}
	return page
}

// maxDepth limits the links of an answer to a path, or a header, of many slashes. No page is as deep.
const maxDepth = 16

// firstPage returns the first page of the console as a link from one of its pages.
func firstPage(from *url.URL) string {
	_, below, _ := strings.Cut(from.EscapedPath(), Prefix)
	return cmp.Or(strings.Repeat("../", min(strings.Count(below, "/"), maxDepth)), "./")
}

// shownIn returns the page in which the browser shows the answer: the requested one, but for a part that a script fetches.
func (x *Exchange) shownIn() *url.URL {
	open, err := url.Parse(x.Request.Header.Get("HX-Current-URL"))
	if err != nil || open.Path == "" || x.Request.Header.Get("HX-Boosted") != "" { // a boosted link takes the address first
		return x.Request.URL
	}
	return open
}

// outside returns the proxy's prefix, by X-Forwarded-Prefix or the page before; "" for none.
func (x *Exchange) outside() string {
	if sent := x.Request.Header.Get("X-Forwarded-Prefix"); strings.HasPrefix(sent, "/") {
		return strings.TrimRight(sent, "/")
	}
	if from, err := url.Parse(x.Request.Referer()); err == nil {
		if before, _, ok := strings.Cut(from.EscapedPath(), Prefix); ok {
			return before
		}
	}
	return ""
}
