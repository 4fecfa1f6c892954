package console_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

// BenchmarkFirstContentfulPaint opens each page of a world with 10,000 requests and 5,000 resources, and reports
// its first contentful paint: the median of the slowest page. The bar is 200 ms.
func BenchmarkFirstContentfulPaint(b *testing.B) {
	tab := look(b, emulator.WithJournalSize(10_000))
	const requests, resources = 10_000, 5_000
	for n := range resources {
		tab.ask("POST", prefix+"v1/verification-requests", fmt.Sprintf(`{"id":"vr_%04d","scenario":"lifecycle-timed"}`, n)).shows(201)
	}
	for n := range requests {
		tab.ask("GET", fmt.Sprintf("/verification-requests/vr_%04d", n%resources), "").shows(200)
	}
	all, painted := pages(tab.visitor), map[string][]float64{}
	for b.Loop() {
		for _, path := range all {
			tab.open(path)
			painted[path] = append(painted[path], value[float64](tab, firstPaint))
		}
	}
	slowest, worst := 0.0, ""
	for path, times := range painted {
		slices.Sort(times)
		if median := times[len(times)/2]; median > slowest {
			slowest, worst = median, path
		}
	}
	b.Logf("the slowest page is %s", worst)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(slowest, "ms-to-first-paint")
}

// firstPaint is the first contentful paint of the page, in milliseconds.
const firstPaint = `new Promise((done) => new PerformanceObserver((list) => done(list.getEntriesByName("first-contentful-paint")[0].startTime)).observe({type: "paint", buffered: true}))`

// BenchmarkOpenJournals reads a completed request with fifty browsers that show its world open, and without, by turns;
// of-none is the ratio of the throughputs: the bar is 0.95.
func BenchmarkOpenJournals(b *testing.B) {
	v := visit(b)
	var with, without []time.Duration
	for b.Loop() {
		without = append(without, v.reads(2_000))
		closeAll := v.openJournals(50)
		with = append(with, v.reads(2_000))
		closeAll()
	}
	slices.Sort(with)
	slices.Sort(without)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(without[len(without)/2].Seconds()/with[len(with)/2].Seconds(), "of-none")
}

func (v *visitor) reads(requests int) time.Duration {
	began := time.Now()
	for range requests {
		v.ask("GET", "/verification-requests/vr_completed", "")
	}
	return time.Since(began)
}

// openJournals starts readers of the live stream, as browsers with open pages are.
func (v *visitor) openJournals(pages int) (closeAll func()) {
	v.t.Helper()
	var open []*http.Response
	for range pages {
		response, err := http.Get(v.url + prefix + "live")
		if err != nil {
			v.t.Fatal(err)
		}
		if line, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil || !strings.HasPrefix(line, ":") {
			v.t.Fatalf("%q, %v", line, err)
		}
		go io.Copy(io.Discard, response.Body) // until it is closed
		open = append(open, response)
	}
	return func() {
		for _, response := range open {
			response.Body.Close()
		}
	}
}

// BenchmarkRequests renders the pages of requests in a world of 10,000, without a browser: the slowest of each kind of page
// must take 30 ms at most.
func BenchmarkRequests(b *testing.B) {
	v := visit(b, emulator.WithJournalSize(10_000))
	first := v.ask("GET", "/verification-requests/vr_completed", "")
	for n := range 9_990 {
		v.ask("GET", fmt.Sprintf("/verification-requests/vr_%d", n), "")
	}
	last := v.ask("GET", "/verification-requests/vr_completed", "")
	for name, path := range map[string]string{
		"list":     v.world + "/journal/",
		"filtered": v.world + "/journal/?status=4xx&operation=getVerificationRequest",
		"search":   v.world + "/journal/?q=vr_77",
		"nothing":  v.world + "/journal/?q=nowhere-at-all",
		"entry":    v.entry(first),
		"compared": v.entry(last) + "?with=" + first.header.Get("Understudy-Request-Id"),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				v.get(path).shows(200)
			}
		})
	}
}
