package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// maxResident is the memory that no upload may exceed, in KiB.
const maxResident = 200 << 10

// measuresMemory leaves a test to CI, without the race detector, which takes more memory.
func measuresMemory(t *testing.T) {
	t.Helper()
	if !commandtest.Thorough() {
		t.Skip("memory is measured with CI=true, and without -short")
	}
}

// No upload, however large or often sent at once, takes more than a bounded memory.
func TestUploadMemory(t *testing.T) {
	measuresMemory(t)
	const size = 120 << 20 // of a snapshot: two are more than the limit
	members := manyMembers(1 << 20)
	form := "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
	head := `{"understudy_snapshot":2,"seed":1,"created":"2025-01-15T09:30:00Z","now":"2025-01-15T09:30:00Z","frozen":true,` +
		`"scenarios":[],"scenarios_made":0,"faults":[],"faults_made":0}` + "\n"
	for name, tt := range map[string]struct {
		method, path, contentType string
		times                     int
		body                      func() io.Reader
	}{
		"snapshots of one string":   {"PUT", "/_understudy/v1/snapshot", "", 2, endless(head+`{"key":"a","value":"`, "aaaaaaaa", size)},
		"snapshots of space":        {"PUT", "/_understudy/v1/snapshot", "", 2, endless(``, "        ", size)},
		"nested snapshots":          {"PUT", "/_understudy/v1/snapshot", "", 2, endless(`{"faults":`, "[", size)},
		"snapshots of many entries": {"PUT", "/_understudy/v1/snapshot", "", 2, endless(head, `{"key":"journal/1","value":{}}`, size)},
		"snapshots of many values":  {"PUT", "/_understudy/v1/snapshot", "", 2, endless(head, `{"key":"calls/vr/vr_a","value":{}}`, size)},
		"snapshots of many members": {"PUT", "/_understudy/v1/snapshot", "", 2, endless(`{`, `"a":{},`, size)},
		"snapshots in forms":        {"POST", "/_understudy/worlds/%s/snapshot", "multipart/form-data; boundary=B", 2, endless(form, "aaaaaaaa", size)},
		"snapshots in plain forms":  {"POST", "/_understudy/worlds/%s/snapshot", "application/x-www-form-urlencoded", 2, endless("snapshot=", "aaaaaaaa", size)},
		"forms":                     {"POST", "/_understudy/worlds", "application/x-www-form-urlencoded", 100, whole(strings.Repeat("a=&", 300_000))},
		"sessions":                  {"POST", "/credentials/session", "application/json", 200, whole(members)},
		"faults":                    {"POST", "/_understudy/v1/faults", "", 200, whole(members)},
		"expectations":              {"POST", "/_understudy/v1/journal/verify", "", 100, whole(`{"body":` + members + `}`)},
		"requests to resolve":       {"POST", "/_understudy/v1/scenarios/resolve", "", 100, whole(`{"method":"POST","path":"/credentials/session","body":` + members[:1<<19] + `":1}}`)},
		"large scenario files":      {"PUT", "/_understudy/v1/scenarios/a", "", 100, whole(strings.Repeat("- a\n", 1<<18))},
		"scenario files of aliases": {"PUT", "/_understudy/v1/scenarios/a", "", 50, whole("a: &a [a, a]\n" + strings.Repeat("b: &b [*a, *a, *a]\n", 2000))},
	} {
		t.Run(name, func(t *testing.T) {
			s := commandtest.StartProcess(t)
			path := tt.path
			if strings.Contains(path, "%s") {
				path = fmt.Sprintf(path, upload(s, t, "GET", "/verification-requests/vr_completed", "", nil).Header.Get("Understudy-World"))
			}
			var sending sync.WaitGroup
			for range tt.times {
				sending.Go(func() { upload(s, t, tt.method, path, tt.contentType, tt.body()) })
			}
			sending.Wait()
			resident := commandtest.ProcessStatus(t, s.Process.Process.Pid, "VmHWM")
			t.Logf("%d MiB", resident>>10)
			if resident > maxResident {
				t.Errorf("it took %d KiB, want %d at most", resident, maxResident)
			}
			if r := upload(s, t, "GET", "/verification-requests/vr_completed", "", nil); r.StatusCode != http.StatusOK {
				t.Errorf("afterwards a read is %d", r.StatusCode)
			}
		})
	}
}

// However large what many clients read at once, it takes a bounded memory, and small answers do not wait for it.
func TestReadMemory(t *testing.T) {
	measuresMemory(t)
	s := commandtest.StartProcess(t)
	client := s.API(t)
	made := upload(s, t, "POST", "/credentials/session", "application/json", strings.NewReader(
		`{"type":"employment-income","use_case":"mortgage","permissible_purpose":"credit-application","target":{"first_name":"Ada","last_name":"Example",`+
			`"date_of_birth":"1990-02-28","social_security_number":"000-12-3456"},"metadata":`+strings.ReplaceAll(manyMembers(700_000), ":1", `:""`)+`}`))
	if made.StatusCode != http.StatusCreated {
		t.Fatalf("the large request is %d", made.StatusCode)
	}
	list := client.Get("/_understudy/v1/verification-requests?world=" + made.Header.Get("Understudy-World"))
	_, id, _ := strings.Cut(string(list.Body), `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	path := "/verification-requests/" + id
	var reading sync.WaitGroup
	var served atomic.Int32
	for i := range 400 {
		reading.Go(func() {
			switch r := upload(s, t, "GET", []string{path, "/_understudy/v1" + path}[i%2], "", nil); r.StatusCode {
			case http.StatusOK:
				served.Add(1)
			case http.StatusTooManyRequests:
				if r.Header.Get("Retry-After") == "" {
					t.Error("a refusal has no Retry-After")
				}
			default:
				t.Errorf("a read is %d", r.StatusCode)
			}
		})
	}
	began := time.Now()
	commandtest.WantStatus(t, client.Get("/verification-requests/vr_completed"), http.StatusOK)
	small := time.Since(began)
	reading.Wait()
	resident := commandtest.ProcessStatus(t, s.Process.Process.Pid, "VmHWM")
	t.Logf("%d MiB, %d of 400 were served, a small answer took %s", resident>>10, served.Load(), small)
	if resident > maxResident || served.Load() == 0 || small > commandtest.AttackPatience/2 {
		t.Errorf("it took %d KiB, want %d at most; %d of 400 were served; a small answer took %s", resident, maxResident, served.Load(), small)
	}
	if r := upload(s, t, "GET", path, "", nil); r.StatusCode != http.StatusOK {
		t.Errorf("afterwards a large read is %d", r.StatusCode)
	}
}

// With the memory of a small container small requests are served, and large ones are refused.
func TestSmallMemory(t *testing.T) {
	measuresMemory(t)
	c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", commandtest.ServeArgs()...)
	c.Env = append(c.Env, "GOMEMLIMIT=48MiB") // as limitMemory sets it in 64 MiB
	s := commandtest.Launch(t, c)
	var sending sync.WaitGroup
	for range 60 {
		sending.Go(func() {
			r := upload(s, t, "POST", "/credentials/session", "application/json", strings.NewReader(manyMembers(900_000)))
			if r.StatusCode != 0 && r.StatusCode != http.StatusTooManyRequests { // 0: the server ended the body
				t.Errorf("an upload is %d", r.StatusCode)
			}
		})
	}
	sending.Wait()
	if resident := commandtest.ProcessStatus(t, s.Process.Process.Pid, "RssAnon"); resident > 48<<10 {
		t.Errorf("it takes %d KiB", resident)
	}
	commandtest.WantStatus(t, s.API(t).Put("/tenant-properties/tp_default", `{"name":"Quay"}`), http.StatusOK)
}

// A snapshot for which the folder of temporary files has no room is refused with the folder and the cure, and logged.
func TestUploadWithoutRoom(t *testing.T) {
	t.Parallel()
	c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", commandtest.ServeArgs()...)
	c.Args = append([]string{"sh", "-c", `ulimit -f 32768 && exec "$0" "$@"`, c.Path}, c.Args[1:]...)
	c.Path = "/bin/sh"
	s := commandtest.Launch(t, c)
	id := upload(s, t, "GET", "/verification-requests/vr_completed", "", nil).Header.Get("Understudy-World")
	for path, body := range map[string]string{
		"PUT /_understudy/v1/snapshot":                 "{}",
		"POST /_understudy/worlds/" + id + "/snapshot": "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n{}",
	} {
		method, path, _ := strings.Cut(path, " ")
		if r := upload(s, t, method, path, "multipart/form-data; boundary=B", endless(body, "        ", 64<<20)()); r.StatusCode != 0 && r.StatusCode != http.StatusInsufficientStorage {
			t.Errorf("it is answered %d", r.StatusCode) // 0: the server ended the body
		}
		s.Stderr.Find(t, "level=ERROR msg=failed path="+path+" (cause=.*file too large)")
	}
	if r := upload(s, t, "GET", "/_understudy/v1/snapshot", "", nil); r.StatusCode != http.StatusOK {
		t.Errorf("afterwards a snapshot is %d", r.StatusCode)
	}
}

// upload sends a request. The server may end a body that it refuses.
func upload(s commandtest.Server, t *testing.T, method, path, contentType string, body io.Reader) *http.Response {
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, body)
	if err != nil {
		t.Error(err)
		return new(http.Response)
	}
	r.Header.Set("Authorization", "Bearer "+commandtest.Key)
	r.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return new(http.Response)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response
}

func whole(text string) func() io.Reader {
	return func() io.Reader { return strings.NewReader(text) }
}

// endless returns a body that begins with a text and repeats another one.
func endless(begin, unit string, size int) func() io.Reader {
	block := strings.Repeat(unit, 1000)
	return func() io.Reader {
		parts := []io.Reader{strings.NewReader(begin)}
		for n := 0; n < size; n += len(block) {
			parts = append(parts, strings.NewReader(block))
		}
		return io.MultiReader(parts...)
	}
}

// manyMembers returns a JSON object of small members, almost of a size.
func manyMembers(size int) string {
	text := bytes.NewBufferString("{")
	for i := 0; text.Len() < size-30; i++ {
		fmt.Fprintf(text, `"%x":1,`, i)
	}
	return text.String() + `"last":1}`
}
