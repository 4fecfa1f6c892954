package scenarios

import (
	_ "embed"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/scenarios/internal/decode"
	"github.com/understudy-sandbox/understudy/scenarios/internal/search"
)

// maxText bounds the text of a scenario that counts, in bytes.
const maxText = 8 << 10

// Match is a scenario that a search finds.
type Match struct {
	*Scenario
	Why string // where the words are, such as "name, status"
}

// Search returns the scenarios that have to do with all words of a query, the best first. When there is none, whole is false,
// and the scenarios are the nearest: those with the most words, or with words of another spelling.
func (c *Catalogue) Search(query string) (matches []Match, whole bool) {
	all := c.All()
	texts := make([]search.Text, len(all))
	for i, s := range all {
		texts[i] = s.searched()
	}
	found, whole := search.Search(texts, query)
	for _, f := range found {
		matches = append(matches, Match{all[f.Index], f.Why})
	}
	return matches, whole
}

// searched returns what can be found of a scenario: what its file says, and synonyms.
func (s *Scenario) searched() search.Text {
	t := search.Text{Exact: []string{s.Name}}
	add := func(name string, weight float64, text string) {
		t.Fields = append(t.Fields, search.Field{Name: name, Weight: weight, Text: text})
	}
	file := path.Base(s.At.File)
	add("name", 10, s.Name)
	add("name", 10, strings.ReplaceAll(s.Name, "-", ""))
	add("title", 6, s.Title)
	if s.Magic.VerificationRequest == "" {
		t.Order = 1 // requests are wanted most
	}
	for _, m := range s.MagicValues() {
		t.Exact = append(t.Exact, m.Value)
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
		if _, err := strconv.Atoi(part); part != s.Name && err != nil {
			add("synonym", 7, synonymsOf(part))
		}
	}
	return t
}

// synonymTable has the words of people for what scenarios do, where the scenarios have other words. They are by the name of a
// scenario, a word of names, a file, or a status.
//
//go:embed synonyms.tsv
var synonymTable string

// synonymsOf returns the words of people for a name, "" without any.
func synonymsOf(name string) string { return strings.Join(synonyms()[name], "") }

var synonyms = sync.OnceValue(func() map[string][]string { return decode.Table(synonymTable) })
