package emulator_test

import (
	"bufio"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// standing is a machine's clock that does not advance.
func standing() time.Time { return lab.Epoch.Add(90 * time.Minute) }

func playInfo(p *player) {
	p.play(`
		GET /_understudy/v1/health
		GET /_understudy/v1/health?x=1
		GET /_understudy/v1/ready
		GET /_understudy/v1/ready?x=1
		GET /_understudy/v1/info
		GET /_understudy/v1/info?verbose=1
		HEAD /_understudy/v1/clock
		GET /_understudy/openapi.json
		GET /_understudy/openapi.yaml
		GET /_understudy/ca.pem
		GET /_understudy/v1
		GET /_understudy/v1/nothing
		GET /_understudy/v2/clock
		POST /_understudy/v1/health {}
		DELETE /_understudy/v1/clock
		PATCH /_understudy/v1/journal {}
		OPTIONS /_understudy/v1/clock
		POST /_understudy/openapi.json {}
		POST /_understudy/metrics {}
		GET /verification-requests/vr_completed?fields=id
		GET /verification-requests/vr_error_451
	`)
	p.metrics()
	p.title("an authority, a seed, a journal that is off")
	p.restart(emulator.WithCertificateAuthority([]byte("-----BEGIN CERTIFICATE-----\n")), emulator.WithSeed(2), emulator.WithJournalSize(0), emulator.WithVersion("v1.2.3"))
	p.play(`
		GET /_understudy/ca.pem
		GET /_understudy/v1/info
		GET /verification-requests/vr_processing
		GET /_understudy/v1/journal
		GET /_understudy/v1/journal/x
		GET /_understudy/v1/journal/stream
		DELETE /_understudy/v1/journal
		POST /_understudy/v1/journal/verify {}
		GET /_understudy/v1/snapshot
	`)
}

// metrics records the values of the request metrics, and the names of the others.
func (p *player) metrics() {
	a := p.exchange("GET", "/_understudy/metrics", "")
	var lines []string
	for line := range strings.Lines(string(a.body)) {
		if strings.HasPrefix(line, "understudy_requests_total") || strings.HasPrefix(line, "# TYPE understudy_") && !strings.HasPrefix(line, "# TYPE understudy_store_") {
			lines = append(lines, line)
		}
	}
	a.body = []byte("(in part)\n" + strings.Join(lines, ""))
	a.header.Del("Content-Length")
	a.header.Del("Transfer-Encoding")
	p.record("GET", "/_understudy/metrics", "", a)
}

func playGuard(p *player) {
	p.play(`
		# names and origins
		Host: evil.example
		GET /_understudy/v1/clock
		Host: evil.example
		GET /_understudy/v1/health
		Host: 127.0.0.1
		GET /_understudy/v1/clock
		Host: evil.example
		GET /verification-requests/vr_completed?fields=id
		Origin: https://evil.example
		POST /_understudy/v1/reset
		Origin: http://localhost
		POST /_understudy/v1/reset
		Sec-Fetch-Site: cross-site
		POST /_understudy/v1/reset
		Origin: https://evil.example
		GET /_understudy/v1/clock
		# a token
	`)
	p.restart(emulator.WithControlToken("correct-horse"), emulator.WithControlHosts("sandbox.example"))
	p.play(`
		GET /_understudy/v1/clock
		Understudy-Control-Token: battery-staple
		GET /_understudy/v1/clock
		Understudy-Control-Token: correct-horse
		GET /_understudy/v1/clock
		Authorization: Bearer correct-horse
		GET /_understudy/v1/info
		Authorization: Bearer correct-horse
		GET /_understudy/v1/clock
		Host: sandbox.example
		Understudy-Control-Token: correct-horse
		GET /_understudy/v1/clock
		GET /_understudy/v1/health
		GET /_understudy/v1/ready
		GET /_understudy/openapi.yaml
		GET /_understudy/metrics
		GET /_understudy/v1/worlds
		GET /verification-requests/vr_completed?fields=id
		GET /_understudy/
	`)
}

// page records the status and type of a page of the console.
func (p *player) page(method, path, form string) {
	if form != "" {
		p.header = append(p.header, "Content-Type: application/x-www-form-urlencoded")
	}
	a := p.exchange(method, path, form)
	seen := http.Header{}
	for _, name := range []string{"Content-Type", "Location"} {
		if value := a.header.Get(name); value != "" {
			seen.Set(name, value)
		}
	}
	p.record(method, path, form, answer{status: a.status, header: seen, end: a.end})
}

func playConsole(p *player) {
	p.play(`
		GET /verification-requests/vr_lifecycle?fields=state
		PUT /tenant-properties/tp_default {"name":"a"}
		GET /qualification-checks/qc_qualified
	`)
	made, _ := p.askSession(lab.Session("000-12-3456"))
	id := p.worldID()
	for _, path := range []string{
		"", "catalogue", "catalogue/lifecycle", "catalogue/nothing", "worlds", "worlds/" + id, "worlds/000000000000000000000000",
		"worlds/" + id + "/reset", "worlds/" + id + "/delete", "worlds/" + id + "/clock", "worlds/" + id + "/clock/instant", "worlds/" + id + "/faults",
		"worlds/" + id + "/snapshot", "worlds/" + id + "/snapshot/file", "search?q=vr_completed&world=" + id, "worlds/" + id + "/verification-requests/vr_lifecycle",
		"worlds/" + id + "/verification-requests/vr_none", "worlds/" + id + "/qualification-checks/qc_qualified", "worlds/" + id + "/tenant-properties/tp_default",
		"worlds/" + id + "/credentials-sessions/" + made, "worlds/" + id + "/journal/", "worlds/" + id + "/journal/{request-1}", "worlds/" + id + "/journal/nothing", "login", "nothing",
	} {
		p.key = ""
		p.page("GET", "/_understudy/"+path, "")
	}
	p.page("POST", "/_understudy/worlds/"+id+"/clock/advance", "by=1h")
	p.page("POST", "/_understudy/worlds/"+id+"/faults", "rule=%7Bon%3A+get%2C+respond%3A+%7Bstatus%3A+500%7D%7D")
	p.page("POST", "/_understudy/worlds/"+id+"/journal/clear", "x=1")
	p.page("POST", "/_understudy/worlds/"+id+"/reset", "x=1")
	p.page("POST", "/_understudy/worlds/"+id+"/delete", "x=1")
	p.page("POST", "/_understudy/login", "token=x")
}

// worldID returns the id of the world.
func (p *player) worldID() string {
	return p.ask("GET", "/verification-requests/vr_completed?fields=id", "").header.Get("Understudy-World")
}

func playWorlds(p *player) {
	p.play(`
		GET /_understudy/v1/worlds
		GET /_understudy/v1/clock
		GET /_understudy/v1/worlds
		GET /verification-requests/vr_lifecycle?fields=state
		GET /verification-requests/vr_lifecycle?fields=state
	`)
	first := p.worldID()
	p.world("2")
	second := p.worldID()
	p.world(strings.Repeat("long", 20))
	p.worldID()
	p.play(strings.NewReplacer("FIRST", first, "SECOND", second).Replace(`
		GET /_understudy/v1/worlds
		GET /_understudy/v1/worlds?limit=1
		GET /_understudy/v1/worlds?limit=1&after=FIRST
		GET /_understudy/v1/worlds?limit=0
		GET /_understudy/v1/worlds?limit=1001
		GET /_understudy/v1/worlds?limit=x
		GET /_understudy/v1/worlds?limt=1
		GET /_understudy/v1/worlds?limit=1&limit=2
		GET /_understudy/v1/worlds?after=x
		# by its id
		GET /_understudy/v1/clock?world=FIRST
		GET /_understudy/v1/verification-requests?world=FIRST
		POST /_understudy/v1/clock/advance?world=FIRST {"by":"1h"}
		GET /_understudy/v1/clock?world=000000000000000000000000
		GET /_understudy/v1/clock?world=x
		GET /_understudy/v1/clock?world=
		GET /_understudy/v1/clock?wrld=FIRST
		GET /_understudy/v1/worlds?world=FIRST
		# a name
		PATCH /_understudy/v1/worlds/SECOND {"name":"Payroll"}
		PATCH /_understudy/v1/worlds/SECOND {"name":""}
		PATCH /_understudy/v1/worlds/SECOND {"name":7}
		PATCH /_understudy/v1/worlds/SECOND {}
		PATCH /_understudy/v1/worlds/SECOND {"name":"a","seed":2}
		PATCH /_understudy/v1/worlds/000000000000000000000000 {"name":"a"}
		POST /_understudy/v1/reset?world=SECOND
		PATCH /_understudy/v1/worlds/SECOND {"name":null}
		# reset
		POST /_understudy/v1/reset?world=FIRST
		POST /_understudy/v1/reset {}
		POST /_understudy/v1/reset?x=1
		GET /_understudy/v1/verification-requests?world=FIRST
		GET /_understudy/v1/journal?world=FIRST
		GET /_understudy/v1/clock?world=FIRST
		# forgotten
		DELETE /_understudy/v1/worlds/SECOND
		DELETE /_understudy/v1/worlds/SECOND
		DELETE /_understudy/v1/worlds/x
		DELETE /_understudy/v1/worlds/FIRST?x=1
		GET /_understudy/v1/journal?world=SECOND
		GET /_understudy/v1/worlds
	`))
	p.world("2")
	p.ask("GET", "/verification-requests/vr_lifecycle?fields=state", "")
}

// playClocks plays a clock that is frozen, and one that runs with the machine's.
func playClocks(p *player) {
	playClock(p)
	playClockRefused(p)
	p.title("a clock that runs with the machine's, which stands")
	p.restart(emulator.WithClock(emulator.Clock{Wall: standing}))
	p.world("2")
	playClock(p)
	playClockRefused(p)
	p.play(`
		# frozen, and no longer
		PUT /_understudy/v1/clock {"frozen":true}
		POST /_understudy/v1/clock/advance {"by":"1h"}
		PUT /_understudy/v1/clock {"frozen":false}
		GET /_understudy/v1/clock
		GET /verification-requests/vr_completed?fields=id
	`)
}

func playClock(p *player) {
	p.play(`
		GET /_understudy/v1/clock
		GET /verification-requests/vr_lifecycle_timed?fields=state,created
		POST /_understudy/v1/clock/advance {"by":"59m59s"}
		GET /verification-requests/vr_lifecycle_timed?fields=state,created
		POST /_understudy/v1/clock/advance {"by":"1s"}
		GET /verification-requests/vr_lifecycle_timed?fields=state,created
		POST /_understudy/v1/clock/advance {"by":"1.5s"}
		GET /_understudy/v1/clock
		PUT /_understudy/v1/clock {"now":"2025-01-16T09:30:00Z"}
		GET /verification-requests/vr_lifecycle_timed?fields=state,created,date_of_completion
		GET /_understudy/v1/verification-requests/vr_lifecycle_timed
		PUT /_understudy/v1/clock {"now":"2025-03-01T10:00:00+01:00","frozen":true}
		GET /verification-requests/vr_lifecycle_timed?fields=state,date_of_completion
		GET /verification-requests/vr_completed?income_analytics=true
		GET /verification-requests/vr_lifecycle
		GET /qualification-checks/qc_qualified
	`)
}

func playClockRefused(p *player) {
	p.play(`
		# refused
		PUT /_understudy/v1/clock {"now":"2024-01-01T00:00:00Z"}
		PUT /_understudy/v1/clock {"now":"9999-01-01T00:00:00Z"}
		PUT /_understudy/v1/clock {"now":"yesterday"}
		PUT /_understudy/v1/clock {"now":null}
		PUT /_understudy/v1/clock {"frozen":"yes"}
		PUT /_understudy/v1/clock {"forzen":true}
		PUT /_understudy/v1/clock {}
		PUT /_understudy/v1/clock
		PUT /_understudy/v1/clock [
		POST /_understudy/v1/clock/advance {"by":"-1h"}
		POST /_understudy/v1/clock/advance {"by":"0s"}
		POST /_understudy/v1/clock/advance {"by":"soon"}
		POST /_understudy/v1/clock/advance {"by":36}
		POST /_understudy/v1/clock/advance {"by":"2562047h"}
		POST /_understudy/v1/clock/advance {}
		POST /_understudy/v1/clock/advance
		GET /_understudy/v1/clock/advance
		GET /_understudy/v1/clock?x=1
		GET /_understudy/v1/clock
		POST /_understudy/v1/reset
	`)
}

// stream opens the journal's stream, and records a number of its events.
func (p *player) stream(path string, events int, between func()) {
	header := slices.Clone(p.header)
	conn, sent := p.send("GET", path, "")
	header, p.header = p.header, header
	if conn == nil {
		return
	}
	defer conn.Close()
	r, err := http.ReadResponse(bufio.NewReader(conn), sent)
	if err != nil {
		p.t.Error(err)
		return
	}
	lines := bufio.NewScanner(r.Body)
	event := func() (text string) {
		for lines.Scan() && lines.Text() != "" {
			text += lines.Text() + "\n"
		}
		return text + "\n"
	}
	text := event()
	p.header = nil
	between()
	for range events {
		text += event()
	}
	p.header = header
	p.record("GET", path, "", answer{status: r.Proto + " " + r.Status, header: r.Header, body: []byte(text)})
}

func playStream(p *player) {
	const at = "/_understudy/v1/journal/stream"
	p.play(`
		GET /verification-requests/vr_completed?fields=id
		GET /qualification-checks/qc_qualified
	`)
	p.stream(at+"?since=2025-01-15T09:30:00Z", 2, func() {})
	p.stream(at+"?since={request-1}", 1, func() {})
	p.header = []string{"Last-Event-ID: {request-1}"}
	p.stream(at, 1, func() {})
	p.header = []string{"Last-Event-ID: 01000000000000000000000000"}
	p.stream(at, 3, func() {})
	p.stream(at+"?operation=getVerificationRequest&status=4xx", 1, func() {
		p.play(`
			GET /verification-requests/vr_completed?fields=id
			GET /verification-requests/vr_none
		`)
	})
	p.stream(at, 1, func() { p.ask("POST", "/_understudy/v1/reset", "") })
	p.play(fmt.Sprintf(`
		HEAD %[1]s
		GET %[1]s?operation=x
		GET %[1]s?status=fine
		GET %[1]s?since=yesterday
		GET %[1]s?path=x
		GET %[1]s?x=1
	`, at))
}
