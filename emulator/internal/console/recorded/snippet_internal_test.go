package recorded

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// runner runs code of a language: all snippets in one process, because a compiler takes long to start. %d is a piece's number.
type runner struct {
	programs []string // that it needs
	file     string   // of a piece
	from, to string   // what a piece has once, and has instead beside others
	main     string   // the file that calls the snippets: it begins, calls and ends
	begin    string
	call     string
	end      string
	commands []string          // without a shell
	kit      map[string]string // files that stand for the kit, by name
}

var runners = map[string]runner{
	"curl": {[]string{"sh", "curl"}, "%d.sh", "", "", "main.sh", "set -e\n", ". ./%d.sh\n", "", []string{"sh main.sh"}, nil},
	"go": {[]string{"go"}, "a%d.go", "func main()", "func main%d()", "main.go", "package main\n\nfunc main() {\n", "\tmain%d()\n", "}\n",
		[]string{"go mod init snippets", "gofmt -d -e .", "go vet .", "go run ."}, nil},
	"python": {[]string{"python3"}, "%d.py", "", "", "main.py", "import runpy\n", "runpy.run_path('%d.py')\n", "", []string{"python3 main.py"}, nil},
	"node":   {[]string{"node"}, "%d.mjs", "", "", "main.mjs", "", "await import('./%d.mjs');\n", "", []string{"node main.mjs"}, nil},
	"java": {[]string{"java", "javac"}, "Request%d.java", "class Request", "class Request%d", "Main.java",
		"class Main {\n    public static void main(String[] args) throws Exception {\n", "        Request%d.main(args);\n", "    }\n}\n",
		[]string{"javac Main.java", "java Main"}, nil},
}

// run runs snippets of code, for a server, in the language's way. Tests among them pass, or fail if that is wanted.
func (r runner) run(t *testing.T, server string, snippets []string, fail bool) {
	t.Helper()
	folder, main := t.TempDir(), r.begin
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range r.kit {
		write(name, text)
	}
	for i, code := range snippets {
		if r.from != "" {
			code = strings.Replace(code, r.from, fmt.Sprintf(r.to, i), 1)
		}
		write(fmt.Sprintf(r.file, i), code)
		if r.call != "" {
			main += fmt.Sprintf(r.call, i)
		}
	}
	write(r.main, main+r.end)
	write("body", fromFile)
	for i, line := range r.commands {
		words := strings.Fields(line)
		command := exec.CommandContext(t.Context(), words[0], words[1:]...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "no_proxy=*", "NO_PROXY=*", "SERVER="+server)
		fails := fail && i == len(r.commands)-1
		if out, err := command.CombinedOutput(); (err != nil) != fails || words[0] == "gofmt" && len(out) > 0 {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
}

const fromFile = "\xff\x00the body"

// received is what a server got of a snippet.
type received struct {
	Method, Path, Body string
	Query              url.Values
	Header             http.Header
}

// signs are those that some language or address has a use for.
var signs = []string{"'", `"`, "`", "\\", "$", "${x}", "$(x)", "{", "}", "%", "#", "&", "?", "+", " ", "\n", "\r\n", "\t", "\x7f", "\x01", "é", "日本", "😀", "\u2028", "\u202e", "<b>", "</script>", "%s", "\\u0041", "\\n", "'''", `"""`, "/", "a", "Z", "0", "!", "\ufeff"}

func signsOf(r *rand.Rand, most int, not string) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		if sign := signs[r.IntN(len(signs))]; !strings.ContainsAny(sign, not) {
			b.WriteString(sign)
		}
	}
	return b.String()
}

// drawSnippet returns a request, and what a server must receive.
func drawSnippet(r *rand.Rand, server string) (Snippet, received) {
	s := Snippet{ID: "code", Method: http.MethodPut, Key: "svc_sk_test_YOUR-KEY", Base: server, Status: 200, Fault: []string{"", kitFault}[r.IntN(2)]}
	id, query := "x"+signsOf(r, 6, ""), ""
	for range r.IntN(3) {
		query += "&" + signsOf(r, 4, "%&;+") + "=" + signsOf(r, 4, "%&;+")
	}
	s.URL = server + "/verification-requests/" + url.PathEscape(id) + "?" + address(query)
	want := received{Method: s.Method, Path: "/verification-requests/" + id, Header: http.Header{"Authorization": {"Bearer " + s.Key}}}
	want.Query, _ = url.ParseQuery(strings.ReplaceAll(query, "?", "%3F"))
	for _, name := range []string{"Accept", "Content-Type", "X-Request-Id", "X-Request-Id", "Traceparent"}[r.IntN(2):] {
		value := strings.TrimSpace("v" + signsOf(r, 5, "\r\n\x7f\x01é日😀\u2028\u202e\ufeff"))
		if name == "Traceparent" {
			value = ""
		}
		s.Headers = append(s.Headers, journal.Header{Name: name, Value: value})
		want.Header.Add(name, value)
	}
	switch r.IntN(6) {
	case 0:
		s.Method, want.Method = http.MethodGet, http.MethodGet
	case 1:
		s.File, want.Body = true, fromFile
	default:
		s.Body = `{"a":"` + signsOf(r, 12, "") + `"}`
		want.Body = s.Body
		if r.IntN(3) == 0 {
			s.Headers = slices.DeleteFunc(s.Headers, func(h journal.Header) bool { return h.Name == "Content-Type" })
			want.Header.Del("Content-Type")
		}
	}
	return s, want
}

// A snippet sends in every language the request that it is made of.
func TestSnippetsSendTheRequest(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("snippets are not run: -short")
	}
	all := maps.Clone(runners)
	maps.Copy(all, testRunners)
	for language, r := range all {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			for _, program := range r.programs {
				if _, err := exec.LookPath(program); err != nil && os.Getenv("CI") == "true" {
					t.Fatalf("snippets are run by %s, which CI must have", program)
				} else if err != nil {
					t.Skipf("snippets are run by %s, which is not here", program)
				}
			}
			if os.Getenv("CI") != "true" && (slices.ContainsFunc(r.programs, func(p string) bool { return p == "go" || p == "javac" })) {
				t.Skip("a compiler takes long to start: these snippets are run with CI=true only")
			}
			if r.programs[0] == "python3" && os.Getenv("CI") != "true" && exec.Command("python3", "-c", "import requests").Run() != nil {
				t.Skip("snippets are run by python3 with requests, which is not here: pip install requests")
			}
			checkSnippets(t, language, r)
		})
	}
}

func checkSnippets(t *testing.T, language string, r runner) {
	var mu sync.Mutex
	var got []received
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		query, _ := url.ParseQuery(r.URL.RawQuery)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, received{r.Method, r.URL.Path, string(body), query, r.Header})
	}))
	t.Cleanup(server.Close)
	random := rand.New(rand.NewPCG(1, 2))
	var snippets []string
	var want []received
	for range 60 {
		s, w := drawSnippet(random, server.URL)
		codes := s.Codes()
		c := codes[slices.IndexFunc(codes, func(c code) bool { return c.Lexer == language })]
		if r.kit == nil && len(c.Parts) != 2 {
			t.Fatalf("the key is not once in it: %q", c.Parts)
		}
		snippets, want = append(snippets, strings.Join(c.Parts, s.Key)), append(want, w)
	}
	r.run(t, server.URL, snippets, false)
	if len(got) != len(want) {
		t.Fatalf("%d requests came, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		g.Header = maps.Clone(g.Header)
		maps.DeleteFunc(g.Header, func(name string, _ []string) bool { return w.Header[name] == nil && name != "Content-Type" })
		for _, header := range []http.Header{g.Header, w.Header} {
			for name, values := range header { // some clients join those of a name
				header[name] = []string{strings.Join(values, ", ")}
			}
		}
		if diff := cmp.Diff(w, g); diff != "" {
			t.Fatalf("%s\nof:\n%s", diff, snippets[i])
		}
	}
	if r.kit != nil { // a test of another status fails
		r.run(t, server.URL, []string{strings.NewReplacer("!= 200", "!= 500", "== 200", "== 500", "status, 200", "status, 500", "Equals(200", "Equals(500").Replace(snippets[0])}, true)
	}
}
