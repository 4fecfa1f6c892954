package api

import (
	"net/http"
	"slices"
	"strings"
)

// Allowed returns the methods that a router has found for a path and put into the header Allow, in order and without
// OPTIONS, which it finds everywhere and nothing answers.
func Allowed(header http.Header) []string {
	methods := strings.Split(header.Get("Allow"), ", ")
	methods = slices.DeleteFunc(methods, func(method string) bool { return method == http.MethodOptions })
	slices.Sort(methods)
	return methods
}
