// Command faults measures what faults look like in existing clients, and compares it with the tables of docs/clients.md.
//
//	go run ./.ci/faults [-update]
//
// It serves the understudy of UNDERSTUDY_BINARY, and runs every client that is installed; where CI=true that must be all. MODULES is
// the folder in which npm has installed axios and got.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// client is one of the tables' clients.
type client struct {
	name string
	args []string // of its program; nil: sendAll
}

var clients = []client{
	{"curl", []string{"bash", "shell.sh", "curl"}},
	{"wget", []string{"bash", "shell.sh", "wget"}},
	{"requests", []string{"/usr/bin/python3", "python.py", "requests"}},
	{"httpx", []string{"/usr/bin/python3", "python.py", "httpx"}},
	{"fetch", []string{"node", "node.mjs", "fetch"}},
	{"axios", []string{"node", "node.mjs", "axios"}},
	{"got", []string{"node", "node.mjs", "got"}},
	{"Go", nil},
	{"Java", []string{"java", "Client.java"}},
	{"Ruby", []string{"ruby", "ruby.rb"}},
	{"PHP", []string{"php", "php.php"}},
}

// probe is one column of the tables: a request that each client sends.
type probe struct {
	name, method, path string
	reuse              bool // on a connection that was used before
}

const read = "/verification-requests/"

// The tables. Probes that keep their connection come last, so that the others have a new one.
var tables = [][]probe{
	{
		{"connection-reset", "GET", read + "vr_fault_reset", false},
		{"empty", "GET", read + "vr_fault_empty", false},
		{"truncated", "GET", read + "vr_fault_truncated", false},
		{"malformed", "GET", read + "vr_fault_malformed", false},
		{"slow", "GET", read + "vr_slow", false},
		{"dribble", "GET", read + "vr_fault_dribble", false},
	},
	{
		{"status-500", "GET", read + "vr_error_500", false},
		{"status-429", "GET", read + "vr_error_429", false},
		{"reused-GET", "GET", read + "vr_fault_reset", true},
		{"reused-PUT", "PUT", read + "vr_fault_reset/cancel", true},
	},
}

func main() {
	update := flag.Bool("update", false, "write the tables to docs/clients.md")
	flag.Parse()
	if err := run(*update); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(update bool) error {
	url, stop, err := serve()
	if err != nil {
		return err
	}
	defer stop()
	rows, err := measureAll(url)
	if err != nil {
		return err
	}
	return compare(rows, update)
}

var listening = regexp.MustCompile(`msg=listening url=(\S+)`)

// serve starts the emulator, and returns its URL.
func serve() (url string, stop func(), err error) {
	binary := os.Getenv("UNDERSTUDY_BINARY")
	if binary == "" {
		return "", nil, errors.New("UNDERSTUDY_BINARY is not set: go build -o understudy ./cmd/understudy && export UNDERSTUDY_BINARY=$PWD/understudy")
	}
	server := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--log-level", "info")
	log, err := server.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := server.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		server.Process.Kill()
		server.Wait()
	}
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			go io.Copy(io.Discard, log)
			return found[1], stop, nil
		}
	}
	stop()
	return "", nil, errors.New("understudy does not serve")
}

// measureAll measures the clients, four at a time, and returns the cells of each.
func measureAll(url string) (rows map[string]map[string]string, err error) {
	var (
		mu      sync.Mutex
		running sync.WaitGroup
		places  = make(chan bool, 4)
	)
	rows = map[string]map[string]string{}
	for _, c := range clients {
		running.Go(func() {
			places <- true
			defer func() { <-places }()
			cells, failed := measure(c, url)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case failed == nil:
				rows[c.name] = cells
			case os.Getenv("CI") == "true":
				err = errors.Join(err, failed)
			default:
				fmt.Println("not measured:", failed)
			}
		})
	}
	running.Wait()
	return rows, err
}

// measure runs one client, and returns its cells by the name of the probe.
func measure(c client, url string) (cells map[string]string, err error) {
	// The first request of a program may take longer than its timeout. It leaves no connection behind.
	cases := bytes.NewBufferString("first GET " + read + "vr_fault_malformed no\n")
	for _, table := range tables {
		for _, p := range table {
			fmt.Fprintln(cases, p.name, p.method, p.path, map[bool]string{true: "yes", false: "no"}[p.reuse])
		}
	}
	var out bytes.Buffer
	if c.args == nil {
		sendAll(cases, &out, url)
	} else {
		command := exec.Command(c.args[0], c.args[1:]...)
		command.Dir, command.Env = ".ci/faults", append(os.Environ(), "UNDERSTUDY_URL="+url)
		command.Stdin, command.Stdout, command.Stderr = cases, &out, os.Stderr
		if err := command.Run(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	cells = map[string]string{}
	for line := range strings.Lines(out.String()) {
		name, outcome, _ := strings.Cut(strings.TrimSpace(line), " ")
		calls, err := countCalls(c.name+"-"+name, url)
		if err != nil {
			return nil, err
		}
		cells[name] = outcome
		if calls > 1 {
			cells[name] += fmt.Sprintf(", %d calls", calls)
		}
	}
	return cells, nil
}

// countCalls returns the number of requests of a key, without that which only opened the connection.
func countCalls(name, url string) (calls int, err error) {
	r, err := http.NewRequest("GET", url+"/_understudy/v1/journal", nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer svc_sk_test_"+name)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var journal struct{ Items []struct{ Path string } }
	if err := json.NewDecoder(answer.Body).Decode(&journal); err != nil {
		return 0, err
	}
	for _, entry := range journal.Items {
		if entry.Path != read+"vr_completed" {
			calls++
		}
	}
	return calls, nil
}

const document = "docs/clients.md"

// compare compares the tables with those of the document, or writes them there.
func compare(rows map[string]map[string]string, update bool) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	written := string(text)
	for i, table := range tables {
		begin := fmt.Sprintf("<!-- faults %d: written by go run ./.ci/faults -update -->\n\n", i+1)
		before, rest, ok := strings.Cut(written, begin)
		old, after, end := strings.Cut(rest, "<!-- end of faults -->")
		if !ok || !end {
			return fmt.Errorf("%s has no place for table %d", document, i+1)
		}
		written = before + begin + merge(table, rows, old) + "\n<!-- end of faults -->" + after
	}
	if update {
		return os.WriteFile(document, []byte(written), 0o644)
	}
	if written == string(text) {
		return nil
	}
	return errors.New(document + " does not say what was measured; see the difference after go run ./.ci/faults -update:\n" + difference(string(text), written))
}

// merge returns a table. The row of a client that was not measured stays as it is, and so does a cell that lists what was
// measured among the outcomes of several versions: one or another.
func merge(table []probe, rows map[string]map[string]string, old string) string {
	names, line := []string{"client"}, "|---|"
	for _, p := range table {
		names, line = append(names, "`"+p.name+"`"), line+"---|"
	}
	out := "| " + strings.Join(names, " | ") + " |\n" + line + "\n"
	for _, c := range clients {
		written := regexp.MustCompile(`(?m)^\| ` + c.name + ` \|.*\n`).FindString(old)
		if rows[c.name] == nil {
			out += written
			continue
		}
		before := strings.Split(written, " | ")
		cells := []string{c.name}
		for i, p := range table {
			cell := rows[c.name][p.name]
			if i+1 < len(before) && slices.Contains(strings.Split(strings.TrimSuffix(before[i+1], " |\n"), " or "), cell) {
				cell = before[i+1]
			}
			cells = append(cells, strings.TrimSuffix(cell, " |\n"))
		}
		out += "| " + strings.Join(cells, " | ") + " |\n"
	}
	return out + "| .NET | not measured |" + strings.Repeat(" |", len(table)-1) + "\n"
}

// difference returns the lines of one text that another does not have, and the other way round.
func difference(old, written string) (out string) {
	for line := range strings.Lines(old) {
		if !strings.Contains(written, line) {
			out += "- " + line
		}
	}
	for line := range strings.Lines(written) {
		if !strings.Contains(old, line) {
			out += "+ " + line
		}
	}
	return out
}
