package frame

// Chip is a filter that one click sets, or takes away where it is set.
type Chip struct {
	Name    string
	Tip     string
	Link    string
	Count   int
	Current bool
}

// PerPage is the number of rows of a list on a page.
const PerPage = 50

// Rows returns the rows of a page, and the id of the last one when a longer list was found.
func Rows[T any](found []T, id func(T) string) (shown []T, last string) {
	if len(found) <= PerPage {
		return found, ""
	}
	return found[:PerPage], id(found[PerPage-1])
}

// Next returns the link to what comes after a row of a list's page, with the same query; "" without a row.
func (x *Exchange) Next(page, last string) string {
	if last == "" {
		return ""
	}
	query := x.Request.URL.Query()
	query.Set("after", last)
	return page + "?" + query.Encode()
}
