package api

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api/internal/document"
)

//go:embed openapi.yaml
var openAPI string

// Parts are the parts of the OpenAPI document beside the five operations of the spec.
type Parts struct{ Control, Extensions bool }

// YAML returns the OpenAPI document with these parts: without the paths, components and tags that only others use. It parses the
// document on each call, unless it is whole. The caller owns the bytes.
func (p Parts) YAML() []byte {
	if p == (Parts{true, true}) {
		return []byte(openAPI)
	}
	return document.Only(openAPI, p.have)
}

// JSON returns [Parts.YAML] as indented JSON with keys in the same order. It converts on each call.
func (p Parts) JSON() ([]byte, error) { return document.JSON(p.YAML()) }

// have reports whether a path of the document belongs to the parts.
func (p Parts) have(path string) bool {
	if strings.HasPrefix(path, "/_understudy/") {
		return p.Control
	}
	path = parameter.ReplaceAllString(path, ":id")
	return slices.ContainsFunc(Operations(), func(o Operation) bool { return o.Path == path && (p.Extensions || !o.Extension) })
}

// parameter matches the parameter of a path.
var parameter = regexp.MustCompile(`\{\w+\}`)
