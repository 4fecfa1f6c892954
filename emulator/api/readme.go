package api

import _ "embed"

//go:embed README.md
var readme string

// Readme returns the page of this package, in Markdown.
func Readme() string { return readme }
