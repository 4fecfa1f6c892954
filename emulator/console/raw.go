package console

import (
	"fmt"
	"strconv"
)

// rawView is a resource as the API shows it, in a page that shows it in other ways too.
type rawView struct {
	Title string
	JSON  string // "" when it is too long to stand in the page unasked
	Link  string // to the same page with it, then
	Alone bool   // it was asked for, and is all that the page shows

	text string // the JSON, however long it is
}

// longest is how long a JSON may be that stands in a page unasked, in bytes.
const longest = 48 << 10

// raw returns a resource as the API shows it; a long one when ?raw= asks for it.
func (x *exchange) raw(resource any) (rawView, error) {
	text, err := indented(resource)
	if err != nil {
		return rawView{}, err
	}
	alone := x.value("raw") != ""
	v := rawView{Title: fmt.Sprintf("The resource as JSON, %s", size(len(text))), JSON: text, Alone: alone, text: text}
	if len(text) > longest && !alone {
		v.JSON, v.Link = "", x.request.URL.EscapedPath()+"?raw=1"
	}
	return v, nil
}

// size says how long a text is.
func size(bytes int) string {
	if bytes < 1<<10 {
		return count(bytes, "byte", "bytes")
	}
	return fmt.Sprintf("%d KB", (bytes+1<<9)>>10)
}

// number returns which of several things a query asks for, from 1: the first unless it names one that there is.
func (x *exchange) number(name string, of int) int {
	n, err := strconv.Atoi(x.value(name))
	if err != nil || n < 1 || n > of {
		return 1
	}
	return n
}
