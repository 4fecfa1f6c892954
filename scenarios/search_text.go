package scenarios

import (
	_ "embed"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// maxText bounds the text of a scenario that counts, in bytes.
const maxText = 8 << 10

// newCandidate returns what can be found of a scenario: what its file says, and synonyms.
func newCandidate(s *Scenario) *candidate {
	c := &candidate{scenario: s, exact: []string{s.Name}}
	add := func(name string, weight float64, text string) {
		c.fields = append(c.fields, searchField{name, weight, splitWords(text)})
	}
	file := path.Base(s.At.File)
	add("name", 10, s.Name)
	add("name", 10, strings.ReplaceAll(s.Name, "-", ""))
	add("title", 6, s.Title)
	if s.Magic.VerificationRequest == "" {
		c.order = 1 // requests are wanted most
	}
	for _, m := range s.MagicValues() {
		c.exact = append(c.exact, strings.ToLower(m.Value))
		add("magic value", 9, m.Value+" "+strings.ReplaceAll(m.Value, "-", ""))
		add("kind", 4, string(m.Kind))
	}
	add("file", 3, path.Base(path.Dir(s.At.File))+" "+strings.TrimSuffix(file, path.Ext(file)))
	for i := range s.Rules {
		add("rule", 3, s.Rules[i].String())
		if answer := s.Rules[i].Respond; answer != nil && answer.Status > 0 {
			add("status", 7, fmt.Sprintf("%d %dxx %s %s", answer.Status, answer.Status/100, http.StatusText(answer.Status), synonymsOf(strconv.Itoa(answer.Status))))
		}
	}
	if s.VerificationRequest != nil {
		for _, step := range s.VerificationRequest.Timeline {
			add("state", 3, string(step.State))
		}
	}
	if len(s.Matrix) == 0 { // the text of a row of a matrix is costly, and has no more than its title
		text := s.Source()
		add("text", 1, text[:min(len(text), maxText)])
	}
	add("synonym", 8, synonymsOf(s.Name)+" "+synonymsOf(file))
	for part := range strings.SplitSeq(s.Name, "-") {
		if part != s.Name && !isNumber(part) {
			add("synonym", 7, synonymsOf(part))
		}
	}
	return c
}

// synonymTable has the words of people for what scenarios do, where the scenarios have other words. They are by the name of a
// scenario, a word of names, a file, or a status.
//
//go:embed synonyms.tsv
var synonymTable string

// synonymsOf returns the words of people for a name, "" without any.
func synonymsOf(name string) string { return strings.Join(synonyms()[name], "") }

var synonyms = sync.OnceValue(func() map[string][]string { return tableOf(synonymTable) })
