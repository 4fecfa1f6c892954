package emulator_test

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// The diagrams of docs are drawn from the catalogue, from answers, and from the compose file of replicas.
func TestDiagrams(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(*testing.T) drawing{"states": drawStates, "worlds": drawWorlds, "order": drawOrder, "replicas": drawReplicas} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := draw(t)
			file, want := "../docs/"+name+".svg", d.svg()
			if *update {
				if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != want {
				t.Errorf("%s is out of date (%v): run go test ./emulator -run Diagrams -update", file, err)
			}
		})
	}
}

// drawing is a picture. It has light colours in any theme.
type drawing struct {
	title         string
	width, height int
	shapes        strings.Builder
}

func (d *drawing) add(format string, values ...any) { fmt.Fprintf(&d.shapes, format+"\n", values...) }

// text writes lines around a point, the first of them bold.
func (d *drawing) text(x, y int, class string, lines ...string) {
	y -= 9 * (len(lines) - 1)
	for i, line := range lines {
		d.add(`<text x="%d" y="%d" class="%s">%s</text>`, x, y+18*i+4, class, html.EscapeString(line))
		class = "small"
	}
}

// box draws a box around a point.
func (d *drawing) box(x, y, width, height int, class string, lines ...string) {
	d.add(`<rect x="%d" y="%d" width="%d" height="%d" rx="8" class="%s"/>`, x-width/2, y-height/2, width, height, class)
	d.text(x, y, "name", lines...)
}

// arrow draws an arrow between two points, bent to its right, with lines at its middle.
func (d *drawing) arrow(x1, y1, x2, y2, bend int, lines ...string) {
	length := math.Hypot(float64(x2-x1), float64(y2-y1))
	mx := (x1+x2)/2 - int(float64(bend)*float64(y2-y1)/length)
	my := (y1+y2)/2 + int(float64(bend)*float64(x2-x1)/length)
	d.add(`<path d="M%d %dQ%d %d %d %d" class="edge" marker-end="url(#tip)"/>`, x1, y1, 2*mx-(x1+x2)/2, 2*my-(y1+y2)/2, x2, y2)
	width := 0
	for _, line := range lines {
		width = max(width, 7*len([]rune(line)))
	}
	if len(lines) > 0 {
		d.add(`<rect x="%d" y="%d" width="%d" height="%d" class="page"/>`, mx-width/2, my-9*len(lines), width, 18*len(lines))
		d.text(mx, my, "small", lines...)
	}
}

func (d *drawing) svg() string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" role="img" aria-label="%[3]s">
<style>text{font:13px system-ui,sans-serif;fill:#151a23;text-anchor:middle}.name{font-weight:600}.small{font-size:12px;fill:#4b5565}.left{text-anchor:start}rect{fill:#fff;stroke:#c9d0da}.page{stroke:none}.ended{fill:#e0f4e8;stroke:#74d3a0}.moving{fill:#edecfd;stroke:#a9adff}.edge{fill:none;stroke:#5a6474;stroke-width:1.5}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#5a6474"/></marker></defs>
<rect width="%[1]d" height="%[2]d" class="page"/>
%[4]s</svg>
`, d.width, d.height, html.EscapeString(d.title), d.shapes.String())
}

// some returns the first ids of a list, and how many more there are.
func some(ids []string, most int) []string {
	if len(ids) <= most {
		return ids
	}
	return append(slices.Clone(ids[:most]), fmt.Sprintf("and %d more", len(ids)-most))
}

// drawStates draws the states of a request, and the magic ids that go from one to another or stay in one.
func drawStates(t *testing.T) (d drawing) {
	d = drawing{title: "The states of a verification request, with magic ids on the transitions", width: 960, height: 380}
	at := map[api.State][2]int{
		"action-required": {125, 60}, api.StateCanceled: {480, 60}, api.StateCompleted: {835, 60},
		api.StatePendingApproval: {125, 300}, api.StateProcessing: {480, 300}, api.StateInvalid: {835, 300},
	}
	type edge struct{ from, to api.State }
	moves, stays := make(map[edge][]string), make(map[api.State]string)
	catalogue, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range catalogue.All() {
		id := s.Magic.VerificationRequest
		if id == "" {
			continue
		}
		line := s.Timeline()
		if state := line[0].State; len(line) == 1 && id == "vr_"+strings.ReplaceAll(string(state), "-", "_") {
			stays[state] = id
		}
		for i := 1; i < len(line); i++ {
			e := edge{line[i-1].State, line[i].State}
			if !slices.Contains(moves[e], id) {
				moves[e] = append(moves[e], id)
			}
		}
	}
	ask := asker(t)
	for from, id := range stays {
		if status, _ := ask("PUT", "/verification-requests/"+id+"/cancel", "me", "", `{"cancellation_reason":"other"}`); status == http.StatusOK {
			e := edge{from, api.StateCanceled}
			moves[e] = append([]string{"PUT …/cancel"}, moves[e]...)
		}
	}
	for _, state := range api.State("").Values() {
		p, has := at[state]
		if !has {
			t.Fatalf("the diagram has no %s", state)
		}
		class := "moving"
		if state.Terminal() {
			class = "ended"
		}
		lines := []string{string(state)}
		if id := stays[state]; id != "" {
			lines = append(lines, id+" stays")
		}
		d.box(p[0], p[1], 190, 56, class, lines...)
	}
	for _, from := range api.State("").Values() {
		for _, to := range api.State("").Values() {
			if ids := moves[edge{from, to}]; ids != nil {
				a, b := at[from], at[to]
				x1, y1 := edgeOf(a, b)
				x2, y2 := edgeOf(b, a)
				bend := 0
				if moves[edge{to, from}] != nil {
					bend = 44
				}
				d.arrow(x1, y1, x2, y2, bend, some(ids, 3)...)
			}
		}
	}
	return d
}

// edgeOf returns where the line from the middle of a box to another leaves the box.
func edgeOf(from, to [2]int) (x, y int) {
	dx, dy := float64(to[0]-from[0]), float64(to[1]-from[1])
	scale := math.Min(97/math.Max(math.Abs(dx), 1), 30/math.Max(math.Abs(dy), 1))
	return from[0] + int(dx*scale), from[1] + int(dy*scale)
}

// asker asks an emulator, and returns statuses and answers.
func asker(t *testing.T, options ...emulator.Option) func(method, path, key, accept, body string) (int, map[string]any) {
	e, err := emulator.New(append([]emulator.Option{emulator.WithClock(emulator.FrozenAt(time.Date(2025, time.January, 15, 9, 0, 0, 0, time.UTC)))}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(method, path, key, accept, body string) (int, map[string]any) {
		r, w := httptest.NewRequest(method, path, strings.NewReader(body)), httptest.NewRecorder()
		r.Header.Set("Content-Type", "application/json")
		if key != "" {
			r.Header.Set("Authorization", "Bearer svc_sk_test_"+key)
		}
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		e.ServeHTTP(w, r)
		var answer map[string]any
		_ = json.Unmarshal(w.Body.Bytes(), &answer) // some have none
		return w.Code, answer
	}
}

// drawWorlds draws two keys, and what each of their worlds has after some requests.
func drawWorlds(t *testing.T) (d drawing) {
	d = drawing{title: "Each key has a world of its own", width: 920, height: 330}
	ask := asker(t)
	const request = "/verification-requests/vr_lifecycle"
	for range 3 {
		ask("GET", request, "checkout", "", "")
	}
	ask("POST", "/_understudy/v1/clock/advance", "checkout", "", `{"by":"36h"}`)
	ask("POST", "/_understudy/v1/faults", "checkout", "", `{"rule":"{on: cancel, respond: {status: 500}}"}`)
	ask("GET", request, "billing", "", "")
	d.box(460, 170, 150, 230, "", "one emulator", "one seed", "one catalogue")
	for i, key := range []string{"checkout", "billing"} {
		y := 90 + 160*i
		_, clock := ask("GET", "/_understudy/v1/clock", key, "", "")
		_, inspected := ask("GET", "/_understudy/v1"+request, key, "", "")
		_, journal := ask("GET", "/_understudy/v1/journal", key, "", "")
		_, faults := ask("GET", "/_understudy/v1/faults", key, "", "")
		d.box(140, y, 220, 60, "moving", "the tests of "+key, "key svc_sk_test_"+key)
		d.arrow(252, y, 383, y, 0, "requests")
		d.arrow(537, y, 634, y, 0)
		d.box(760, y, 250, 120, "ended", "world "+key, fmt.Sprint("clock ", clock["now"]), fmt.Sprint("vr_lifecycle is ", inspected["state"]),
			fmt.Sprintf("requests in the journal: %d", len(journal["items"].([]any))), fmt.Sprintf("faults: %d", len(faults["items"].([]any))))
	}
	return d
}

// drawOrder draws the checks of a request in their order. Each request fails a check and those after it, and gets that check's status.
func drawOrder(t *testing.T) (d drawing) {
	const accept, session = "application/json; version=1999-01-01", `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",` +
		`"target":{"first_name":"Ada","last_name":"Example","social_security_number":"000-00-0451"}}`
	type probe struct{ method, path, key, accept, body string }
	checks := []struct {
		name, about string
		options     []emulator.Option
		probes      []probe
	}{
		{"path and method", "", nil, []probe{{"GET", "/nowhere", "", accept, ""}, {"DELETE", "/credentials/session", "", accept, ""}, {"GET", "/reports", "", accept, ""}}},
		{"key", "", nil, []probe{{"GET", "/verification-requests/vr_error_500", "", accept, ""}, {"GET", "/verification-requests/vr_error_500", "forbidden", accept, ""}, {"GET", "/verification-requests/vr_error_500", "limited", accept, ""}}},
		{"version", "Accept", nil, []probe{{"PUT", "/verification-requests/vr_error_500/cancel", "me", accept, "{"}}},
		{"rate limit", "--rate-limit", []emulator.Option{emulator.WithRateLimit(emulator.Limit{Requests: 1, Per: time.Second})}, []probe{{"PUT", "/verification-requests/vr_error_500/cancel", "me", "", "{"}}},
		{"faults, rules of the id", "such as vr_error_500", nil, []probe{{"PUT", "/verification-requests/vr_error_500/cancel", "me", "", "{"}}},
		{"query and body", "", nil, []probe{{"PUT", "/verification-requests/vr_nobody/cancel", "me", "", "{}"}}},
		{"rules of the number", "such as 000-00-0451", nil, []probe{{"POST", "/credentials/session", "me", "", session}}},
		{"the resource", "is there", nil, []probe{{"GET", "/verification-requests/vr_nobody", "me", "", ""}, {"GET", "/qualification-checks/qc_nothing", "me", "", ""}}},
		{"its state", "a cancel", nil, []probe{{"PUT", "/verification-requests/vr_completed/cancel", "me", "", `{"cancellation_reason":"other"}`}}},
		{"the answer", "", nil, []probe{{"GET", "/verification-requests/vr_completed", "me", "", ""}}},
	}
	d = drawing{title: "The checks of a request in their order, with the status of each", width: 920, height: 40 + 62*len(checks)}
	for i, check := range checks {
		ask := asker(t, check.options...)
		var statuses []string
		if check.options != nil {
			ask("GET", "/verification-requests/vr_completed", "me", "", "")
		}
		for _, p := range check.probes {
			status, _ := ask(p.method, p.path, p.key, p.accept, p.body)
			statuses = append(statuses, fmt.Sprintf("%d %s", status, http.StatusText(status)))
		}
		y, class := 50+62*i, "moving"
		if i == len(checks)-1 {
			class = "ended"
		}
		lines := []string{check.name}
		if check.about != "" {
			lines = append(lines, check.about)
		}
		d.box(170, y, 240, 44, class, lines...)
		if i > 0 {
			d.arrow(170, y-40, 170, y-23, 0)
		}
		d.arrow(292, y, 360, y, 0)
		d.text(372, y, "left", strings.Join(statuses, ", "))
	}
	return d
}

// drawReplicas draws what compose.replicas.yaml starts, and what depends on what.
func drawReplicas(t *testing.T) (d drawing) {
	d = drawing{title: "Three replicas on one store, behind a proxy", width: 920, height: 400}
	text, err := os.ReadFile("../compose.replicas.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			DependsOn any `yaml:"depends_on"`
		}
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	rows := [][]string{{"clients"}, {"proxy"}, nil, nil}
	for _, name := range slices.Sorted(maps.Keys(compose.Services)) {
		switch {
		case strings.HasPrefix(name, "replica"):
			rows[2] = append(rows[2], name)
		case strings.HasPrefix(name, "etcd"):
			rows[3] = append(rows[3], name)
		}
	}
	about := map[string]string{"clients": "any key, any replica", "proxy": "asks /_understudy/v1/ready", "replica": "no state of its own", "etcd": "a member of the store"}
	at := make(map[string][2]int)
	for i, row := range rows {
		for j, name := range row {
			at[name] = [2]int{460 + 300*j - 150*(len(row)-1), 50 + 100*i}
			d.box(at[name][0], at[name][1], 220, 56, map[bool]string{true: "ended", false: "moving"}[i == 3], name, about[strings.TrimRight(name, "123")])
		}
	}
	d.arrow(460, 78, 460, 121, 0)
	for _, name := range slices.Sorted(maps.Keys(compose.Services)) {
		for _, needed := range slices.Sorted(maps.Keys(at)) {
			if strings.Contains(fmt.Sprint(compose.Services[name].DependsOn), needed) {
				d.arrow(at[name][0], at[name][1]+28, at[needed][0], at[needed][1]-29, 0)
			}
		}
	}
	return d
}
