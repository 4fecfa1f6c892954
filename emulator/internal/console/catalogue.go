package console

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// group is the scenario files of one folder.
type group struct {
	Name  string
	Files []file
}

type file struct {
	Name      string
	Scenarios []scenarioRow
}

type scenarioRow struct {
	Name, Title string
	Magic       []scenarios.MagicValue
	Own         bool   // a world scenario
	Search      string // the searched text, in lower case
}

// catalogue returns the scenarios of the world that ?world= names, and its world scenarios; else those of every world.
func (x *exchange) catalogue() (all *scenarios.Catalogue, own []*scenarios.Scenario, err error) {
	if x.request.URL.Query().Get("world") == "" {
		return x.Worlds.Config().Catalogue, nil, nil
	}
	if err := x.open(); err != nil {
		return nil, nil, err
	}
	return x.world.Catalogue(x.context())
}

// showCatalogue lists the scenarios with all words of ?q=, by folder and file.
func showCatalogue(x *exchange) (answer, error) {
	catalogue, own, err := x.catalogue()
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(x.value("q")))
	var groups []group
	found := 0
	for _, s := range catalogue.All() {
		row := rowOfScenario(s, slices.Contains(own, s))
		if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(row.Search, word) }) {
			continue
		}
		found++
		groups = addRow(groups, s, row)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(groupOrder(a.Name), groupOrder(b.Name)) })
	for _, g := range groups {
		slices.SortStableFunc(g.Files, func(a, b file) int { return cmp.Compare(fileOrder(a.Name), fileOrder(b.Name)) })
	}
	return page{name: "catalogue", title: "Catalogue", data: struct {
		Groups     []group
		Found, All int
	}{groups, found, catalogue.Len()}}, nil
}

func rowOfScenario(s *scenarios.Scenario, own bool) scenarioRow {
	row := scenarioRow{Name: s.Name, Title: s.Title, Magic: s.MagicValues(), Own: own}
	search := []string{s.Name, s.Title, s.At.File}
	for _, m := range row.Magic {
		search = append(search, string(m.Kind), m.Value)
	}
	row.Search = strings.ToLower(strings.Join(append(search, synonymsOf(s.Name)...), " "))
	return row
}

// groupOrder puts the most requested resources first, and files that are not built in last.
func groupOrder(folder string) int {
	kinds := resourceKinds()
	if at := slices.IndexFunc(kinds, func(k resourceKind) bool { return k.Path == folder }); at >= 0 {
		return at
	}
	return len(kinds)
}

// filesInOrder are the first files of a group and, after "", the last ones. Others stand in the place of "".
var filesInOrder = []string{"lifecycle", "states", "types", "reports", "incidents", "", "errors", "pay-frequencies", "employment-status"}

func fileOrder(name string) int {
	if at := slices.Index(filesInOrder, name); at >= 0 {
		return at
	}
	return slices.Index(filesInOrder, "")
}

// addRow adds a row to the group of its folder and file. The scenarios of a file are in sequence.
func addRow(groups []group, s *scenarios.Scenario, row scenarioRow) []group {
	folder, name := path.Base(path.Dir(s.At.File)), strings.TrimSuffix(path.Base(s.At.File), path.Ext(s.At.File))
	if folder == "." || folder == "/" {
		folder = "of your own"
	}
	at := slices.IndexFunc(groups, func(g group) bool { return g.Name == folder })
	if at < 0 {
		groups = append(groups, group{Name: folder})
		at = len(groups) - 1
	}
	g := &groups[at]
	if last := len(g.Files) - 1; last < 0 || g.Files[last].Name != name {
		g.Files = append(g.Files, file{Name: name})
	}
	f := &g.Files[len(g.Files)-1]
	f.Scenarios = append(f.Scenarios, row)
	return groups
}

// synonyms are further search words of scenarios, by a name or a word of a name.
var synonyms = map[string]string{
	"400":                     "bad request invalid body",
	"401":                     "unauthorized authentication wrong key",
	"403":                     "forbidden permission denied",
	"404":                     "not found missing unknown",
	"406":                     "not acceptable version accept header",
	"429":                     "rate limit limited throttled throttling too many requests",
	"451":                     "legal unavailable",
	"500":                     "internal server error crash outage",
	"501":                     "not implemented",
	"action-required":         "stuck waiting",
	"assets":                  "bank balance",
	"canceled":                "cancelled cancellation aborted",
	"cancel":                  "cancellation cancelling",
	"contractor":              "self-employed self employed freelance freelancer gig",
	"disputed":                "contested correction",
	"dribble":                 "slow late timeout streaming chunked",
	"empty":                   "no response hang up eof",
	"fault":                   "network broken outage",
	"flaky":                   "retry retries rate limit too many requests server error intermittent",
	"frequency":               "payroll pay schedule period",
	"furloughed":              "frozen suspended",
	"guarantor":               "co-signer cosigner",
	"invalid":                 "rejected error failed",
	"large":                   "big huge many long heavy",
	"lay":                     "unemployed fired laid off",
	"leave":                   "absent parental sick",
	"lifecycle":               "happy path poll polling progress workflow",
	"malformed":               "corrupt garbage broken parse",
	"multiple":                "several many jobs",
	"not-enough-information":  "unknown undecided missing incomplete",
	"not-qualified":           "unqualified declined denied rejected failed",
	"guarantor-not-qualified": "unqualified declined denied rejected failed",
	"null":                    "missing blank nil optional",
	"pending":                 "waiting consent stuck",
	"processing":              "stuck frozen waiting in progress never completes",
	"qualified":               "approved passed",
	"reset":                   "disconnect connection refused dropped",
	"retired":                 "pension pensioner",
	"separated":               "former terminated fired quit unemployed",
	"slow":                    "timeout late latency delay delayed hang",
	"stale":                   "old outdated expired late",
	"target":                  "consent applicant",
	"tenant":                  "rent rental landlord property",
	"timed":                   "clock time frozen late delay webhook",
	"truncated":               "partial incomplete cut broken",
	"variable":                "volatile volatility commission irregular",
	"zero":                    "no income nothing unpaid unemployed",
}

// synonymsOf returns the further search words of a scenario.
func synonymsOf(name string) (all []string) {
	for _, word := range slices.Compact(append(strings.Split(name, "-"), name)) {
		if also, ok := synonyms[word]; ok {
			all = append(all, also)
		}
	}
	return all
}
