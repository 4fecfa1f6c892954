// Package docs has the pages of this version.
package docs

import "embed"

// Pages has the chapters, their tables and their pictures, by their paths in this folder.
//
//go:embed *.md *.csv *.png *.svg deploy/kubernetes/README.md
var Pages embed.FS
