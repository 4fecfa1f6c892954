package console

// chip is a filter that one click sets, or takes away where it is set.
type chip struct {
	Name    string
	Tip     string
	Link    string
	Count   int
	Current bool
}

const perPage = 50 // rows of a list on a page

// rows returns the rows of a page, and the id of the last one when a longer list was found.
func rows[T any](found []T, id func(T) string) (shown []T, last string) {
	if len(found) <= perPage {
		return found, ""
	}
	return found[:perPage], id(found[perPage-1])
}

// next returns the link to what comes after a row of a list's page, with the same query; "" without a row.
func (x *exchange) next(page, last string) string {
	if last == "" {
		return ""
	}
	query := x.request.URL.Query()
	query.Set("after", last)
	return page + "?" + query.Encode()
}
