// Package understudy has the pages of this version: README, the chapters of docs, and those of other folders to which they lead.
package understudy

import "embed"

// Docs has the pages and their pictures, by their paths in the repository. Programs and the emulator show them.
//
//go:embed README.md CHANGELOG.md docs/*.md docs/*.png docs/deploy/kubernetes/README.md scenarios/README.md fixtures/README.md
//go:embed fixtures/population.md emulator/api/README.md emulator/api/skill.md emulator/kits/*/README.md
var Docs embed.FS
