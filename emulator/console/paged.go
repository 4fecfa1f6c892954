package console

import "net/url"

// rows cuts a list that was read one row longer than a page shows it, and returns the id of the last row when there is
// more.
func rows[T any](found []T, id func(T) string) (shown []T, last string) {
	if len(found) <= atOnce {
		return found, ""
	}
	shown = found[:atOnce]
	return shown, id(shown[atOnce-1])
}

// next returns the page behind a row, with what else the query asks for; "" behind the last.
func (x *exchange) next(last string) string {
	if last == "" {
		return ""
	}
	query := url.Values{}
	for name, values := range x.request.URL.Query() {
		if name != "done" {
			query[name] = values
		}
	}
	query.Set("after", last)
	return x.request.URL.EscapedPath() + "?" + query.Encode()
}
