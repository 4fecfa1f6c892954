package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// A wrong command line is reported in one line, on standard error.
func TestUsage(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	commandtest.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	text := commandtest.NewFile(t, "notes.txt", bytes.Repeat([]byte("not a store\n"), 1000))
	for name, tt := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"an unknown command":                          {[]string{"sevre"}, command.ExitUsage, []string{`no command "sevre": did you mean serve?`, "--help"}},
		"unmatched requests from now on":              {[]string{"journal", "--unmatched", "--follow"}, command.ExitUsage, []string{"--follow prints the requests of a world: leave it or --unmatched out"}},
		"unmatched requests are not verified":         {[]string{"journal", "--unmatched", "verify"}, command.ExitUsage, []string{"verify counts the requests of a world: leave --unmatched out"}},
		"an unknown flag":                             {[]string{"serve", "--sead", "1"}, command.ExitUsage, []string{"no flag --sead: did you mean --seed?", "understudy serve --help"}},
		"a flag before its command":                   {[]string{"--wait", "1s", "healthcheck"}, command.ExitUsage, []string{"--wait belongs after its command: understudy healthcheck --wait\n"}},
		"a flag of many commands before its command":  {[]string{"--key", commandtest.Key, "reset"}, command.ExitUsage, []string{"--key belongs after its command: understudy COMMAND --key\n"}},
		"a flag without value":                        {[]string{"serve", "--seed"}, command.ExitUsage, []string{"--seed needs a value: see understudy serve --help"}},
		"an unexpected argument":                      {[]string{"serve", "now"}, command.ExitUsage, []string{`"now"`}},
		"a bad seed":                                  {[]string{"serve", "--seed", "one"}, command.ExitUsage, []string{`--seed "one"`, "whole number"}},
		"a negative seed":                             {[]string{"serve", "--seed", "-1"}, command.ExitUsage, []string{`--seed "-1"`}},
		"a bad clock":                                 {[]string{"serve", "--clock", "noon"}, command.ExitUsage, []string{`--clock "noon"`, "2025-01-15T09:00:00Z"}},
		"a bad rate limit":                            {[]string{"serve", "--rate-limit", "fast"}, command.ExitUsage, []string{`--rate-limit "fast"`, "10/s"}},
		"a bad population":                            {[]string{"serve", "--population", "all"}, command.ExitUsage, []string{`--population: "all" is neither plain nor mix nor a file`}},
		"a bad time to live":                          {[]string{"serve", "--world-ttl", "1ms"}, command.ExitUsage, []string{`--world-ttl "1ms"`, "2d", "off"}},
		"a journal size in words":                     {[]string{"serve", "--journal-size", "all"}, command.ExitUsage, []string{`--journal-size "all"`, "0 turns the journal off"}},
		"a negative journal size":                     {[]string{"serve", "--journal-size", "-1"}, command.ExitUsage, []string{"--journal-size", "-1"}},
		"a bad key prefix":                            {[]string{"serve", "--key-prefix", "a b"}, command.ExitUsage, []string{`--key-prefix: the key prefix "a b" is not`}},
		"a bad log format":                            {[]string{"serve", "--log-format", "xml"}, command.ExitUsage, []string{`--log-format "xml"`, "json"}},
		"a bad log level":                             {[]string{"serve", "--log-level", "loud"}, command.ExitUsage, []string{`--log-level "loud"`, "debug"}},
		"a port":                                      {[]string{"serve", "--port", "9090"}, command.ExitUsage, []string{"use --addr :PORT"}},
		"a port in short":                             {[]string{"run", "-p", "9090", "--", "true"}, command.ExitUsage, []string{"use --addr :PORT"}},
		"a store that is a file":                      {[]string{"serve", "--store", "x.db"}, command.ExitUsage, []string{"use temp, file:x.db or"}},
		"a clock that goes back":                      {[]string{"clock", "advance", "-36h", "--key", commandtest.Key}, command.ExitUsage, []string{"such as 36h; flags come before an argument that begins with -"}},
		"a clock that goes back, in ISO 8601":         {[]string{"clock", "advance", "-P1D", "--key", commandtest.Key}, command.ExitUsage, []string{"there is no flag --P1D: ", "write -- before an argument that begins with -"}},
		"an unknown kind of store":                    {[]string{"serve", "--store", "redis://x"}, command.ExitUsage, []string{`"redis://x"`, "file:PATH"}},
		"a store file that is no bbolt file":          {[]string{"serve", "--store", "file:" + text}, command.ExitFailed, []string{text, "not a bbolt file"}},
		"an address in use":                           {[]string{"serve", "--addr", taken.Addr().String()}, command.ExitFailed, []string{taken.Addr().String(), "address already in use", "--addr"}},
		"an address without a host":                   {[]string{"serve", "--addr", "8080"}, command.ExitUsage, []string{"8080", "--addr"}},
		"a control address without a port":            {[]string{"serve", "--control-addr", "here"}, command.ExitUsage, []string{`--control-addr "here"`, ":8080"}},
		"a control address in use":                    {[]string{"serve", "--addr", "127.0.0.1:0", "--control-addr", taken.Addr().String()}, command.ExitFailed, []string{taken.Addr().String(), "choose another address with --control-addr"}},
		"a bad control token":                         {[]string{"serve", "--control-token", "correct horse"}, command.ExitUsage, []string{"--control-token: the control token may have visible"}},
		"a control host with a port":                  {[]string{"serve", "--control-host", "x.test:80"}, command.ExitUsage, []string{`--control-host "x.test:80" is not a host name`}},
		"a control host that is a URL":                {[]string{"serve", "--control-host", "https://x.test"}, command.ExitUsage, []string{`--control-host "https://x.test" is not a host name`}},
		"an origin with a path":                       {[]string{"serve", "--cors-origin", "http://localhost:3000/"}, command.ExitUsage, []string{`--cors-origin "http://localhost:3000/" is not the origin of a page, such as http://localhost:3000: give scheme, host and port only`}},
		"a clock before 1970":                         {[]string{"serve", "--clock", "0001-01-01T00:00:00Z"}, command.ExitUsage, []string{"a year from 1970 to 9990"}},
		"a certificate without a key":                 {[]string{"serve", "--tls-cert", "c.pem"}, command.ExitUsage, []string{"--tls-cert is given without --tls-key: give both, or neither"}},
		"two kinds of TLS":                            {[]string{"serve", "--tls-auto", "--tls-key", "k.pem"}, command.ExitUsage, []string{"--tls-auto makes its own"}},
		"a missing certificate":                       {[]string{"serve", "--tls-cert", "c.pem", "--tls-key", "k.pem"}, command.ExitFailed, []string{"--tls-cert c.pem", "no such file"}},
		"an empty control token":                      {[]string{"serve", "--control-token="}, command.ExitUsage, []string{"--control-token is empty: leave it out, or give one"}},
		"an invalid boolean":                          {[]string{"serve", "--tls-auto=maybe"}, command.ExitUsage, []string{`--tls-auto "maybe" is neither true nor false` + "\n"}},
		"an unknown meaning of strict mode":           {[]string{"run", "--strict=verison", "--", "true"}, command.ExitUsage, []string{`--strict: strict mode has no meaning "verison": did you mean version? It has spec, version, ssn, age, reseller; all and off stand alone` + "\n"}},
		"a number in words":                           {[]string{"journal", "--last", "x"}, command.ExitUsage, []string{`--last "x" is not a whole number` + "\n"}},
		"an invalid duration":                         {[]string{"healthcheck", "--timeout", "x"}, command.ExitUsage, []string{`--timeout "x" is not a duration such as 5s` + "\n"}},
		"help of an unknown command":                  {[]string{"help", "serv"}, command.ExitUsage, []string{`there is no command "serv": did you mean serve? See understudy --help`}},
		"help of an unknown subcommand":               {[]string{"clock", "help", "advnce"}, command.ExitUsage, []string{`there is no command "advnce": did you mean advance? See understudy clock --help`}},
		"a port out of range":                         {[]string{"serve", "--addr", "127.0.0.1:99999"}, command.ExitUsage, []string{`--addr "127.0.0.1:99999"`, ":8080"}},
		"an empty port":                               {[]string{"serve", "--addr", "127.0.0.1:"}, command.ExitUsage, []string{`--addr "127.0.0.1:"`}},
		"completion without a shell":                  {[]string{"completion"}, command.ExitUsage, []string{"bash, zsh, fish or pwsh"}},
		"completion with an unknown flag":             {[]string{"completion", "--bogus"}, command.ExitUsage, []string{"there is no flag --bogus: see understudy completion --help"}},
		"completion for two shells":                   {[]string{"completion", "bash", "zsh"}, command.ExitUsage, []string{`completion bash takes no arguments, but was given "zsh"`}},
		"a value apart from its flag":                 {[]string{"serve", "--strict", "reseller"}, command.ExitUsage, []string{`given "reseller": leave it out, or join it to its flag with =`}},
		"healthcheck without patience":                {[]string{"healthcheck", "--timeout", "0s"}, command.ExitUsage, []string{"--timeout 0s is not above 0"}},
		"healthcheck that waits a negative time":      {[]string{"healthcheck", "--wait", "-1s"}, command.ExitUsage, []string{"--wait -1s is below 0"}},
		"completion for an unknown shell":             {[]string{"completion", "bogus"}, command.ExitUsage, []string{"bash, zsh, fish or pwsh"}},
		"an unknown format of openapi":                {[]string{"openapi", "--format", "xml"}, command.ExitUsage, []string{`--format "xml"`, "postman"}},
		"a collection of files without a folder":      {[]string{"openapi", "--format", "bruno"}, command.ExitUsage, []string{`--format "bruno"`, "--out DIR"}},
		"a folder for the document":                   {[]string{"openapi", "--out", "a"}, command.ExitUsage, []string{`--out "a"`, "> FILE"}},
		"docs without a folder":                       {[]string{"docs"}, command.ExitUsage, []string{"name one with --out DIR", "/_understudy/docs/"}},
		"an unknown subcommand":                       {[]string{"scenarios", "validte"}, command.ExitUsage, []string{`no command "validte": did you mean validate?`, "understudy scenarios --help"}},
		"a scenario without name":                     {[]string{"scenarios", "show"}, command.ExitUsage, []string{"say which scenario"}},
		"a world without a key":                       {[]string{"reset"}, command.ExitUsage, []string{"--key svc_sk_test_", "UNDERSTUDY_KEY"}},
		"no emulator":                                 {[]string{"clock", "--key", commandtest.Key, "--url", "http://127.0.0.1:1"}, command.ExitFailed, []string{"no emulator answers at http://127.0.0.1:1", "refused", "understudy serve", "--url"}},
		"an address without http":                     {[]string{"worlds", "--url", "127.0.0.1:8080"}, command.ExitUsage, []string{`--url "127.0.0.1:8080"`, "http://127.0.0.1:8080"}},
		"clock set without an argument":               {[]string{"clock", "set", "--key", commandtest.Key}, command.ExitUsage, []string{"freeze or run"}},
		"clock set to an invalid instant":             {[]string{"clock", "set", "noon", "--key", commandtest.Key}, command.ExitUsage, []string{`"noon"`, "2025-01-15T09:00:00Z"}},
		"an unknown clock command":                    {[]string{"clock", "advnce", "1h"}, command.ExitUsage, []string{`no command "advnce": did you mean advance?`}},
		"an unknown client flag":                      {[]string{"clock", "advance", "1h", "--worlt", "x"}, command.ExitUsage, []string{"no flag --worlt: did you mean --world?"}},
		"a rule beside a preset":                      {[]string{"faults", "add", "--preset", "slow", "{on: any, fault: empty}", "--key", commandtest.Key}, command.ExitUsage, []string{"--preset is in place of RULE"}},
		"a move without a state":                      {[]string{"requests", "move", "vr_completed", "--key", commandtest.Key}, command.ExitUsage, []string{"vr_lifecycle completed"}},
		"requests show without an id":                 {[]string{"requests", "show", "--key", commandtest.Key}, command.ExitUsage, []string{"which verification request, by its id"}},
		"healthcheck of no server":                    {[]string{"healthcheck", "--addr", "127.0.0.1:1"}, command.ExitFailed, []string{"not ready", "127.0.0.1:1"}},
		"healthcheck of an invalid address":           {[]string{"healthcheck", "--addr", "here"}, command.ExitUsage, []string{`--addr "here"`, "HOST:PORT"}},
		"an unknown scenario":                         {[]string{"scenarios", "show", "verification_mine"}, command.ExitFailed, []string{"no scenario has the name"}},
		"a scenario misspelled":                       {[]string{"scenarios", "show", "lifecicle"}, command.ExitFailed, []string{"did you mean lifecycle?"}},
		"a magic value misspelled":                    {[]string{"scenarios", "show", "vr_lifecycel"}, command.ExitFailed, []string{"did you mean vr_lifecycle?"}},
		"a list without a match":                      {[]string{"scenarios", "list", "nothing-like-it"}, command.ExitFailed, []string{`no scenario matches "nothing-like-it"`}},
		"validate without a path":                     {[]string{"scenarios", "validate"}, command.ExitUsage, []string{"say which files or folders"}},
		"an unknown flag of validate":                 {[]string{"scenarios", "validate", "--strict"}, command.ExitUsage, []string{"no flag --strict"}},
		"a missing snapshot":                          {[]string{"snapshot", "restore", text + ".none", "--key", commandtest.Key}, command.ExitFailed, []string{"no such file", "or - for standard input"}},
		"snapshot save without a file":                {[]string{"snapshot", "save", "--key", commandtest.Key}, command.ExitUsage, []string{"understudy: snapshot save takes FILE|-: say to which file"}},
		"journal --follow with --last":                {[]string{"journal", "--follow", "--last", "3", "--key", commandtest.Key}, command.ExitUsage, []string{"leave one out, or use --since"}},
		"verify with a number in words":               {[]string{"journal", "verify", "--exactly", "two", "--key", commandtest.Key}, command.ExitUsage, []string{`--exactly "two" is not a whole number`}},
		"verify with an invalid body":                 {[]string{"journal", "verify", "--body", "{", "--key", commandtest.Key}, command.ExitUsage, []string{"--body { is not JSON"}},
		"verify with an invalid expectation":          {[]string{"journal", "verify", "{", "--key", commandtest.Key}, command.ExitUsage, []string{"the expectation is not JSON"}},
		"verify with two kinds of expectation":        {[]string{"journal", "verify", "{}", "--exactly", "1", "--key", commandtest.Key}, command.ExitUsage, []string{"give flags or JSON, not both"}},
		"verify with two expectations":                {[]string{"journal", "verify", "{}", "{}", "--key", commandtest.Key}, command.ExitUsage, []string{"journal verify takes [EXPECTATION]\n"}},
		"generate report --set pay.frequency=weakly":  {[]string{"generate", "report", "--set", "pay.frequency=weakly"}, command.ExitUsage, []string{`understudy: --set: unknown value "weakly" for frequency: did you mean weekly?`}},
		"generate report --set pay.base=1":            {[]string{"generate", "report", "--set", "pay.base=1"}, command.ExitUsage, []string{"understudy: --set: base must be a year's pay, from 1000.00 to 100000000.00"}},
		"generate report --count 0":                   {[]string{"generate", "report", "--count", "0"}, command.ExitUsage, []string{`understudy: --count "0" is not a whole number above 0`}},
		"generate report --count 2 --id a":            {[]string{"generate", "report", "--count", "2", "--id", "a"}, command.ExitUsage, []string{"understudy: --count asks for documents of several people, and --id for one: leave one out"}},
		"generate report --format xml":                {[]string{"generate", "report", "--format", "xml"}, command.ExitUsage, []string{`understudy: --format "xml" is none of json, ndjson and text`}},
		"generate report --at now":                    {[]string{"generate", "report", "--at", "now"}, command.ExitUsage, []string{`understudy: --at "now" is not an RFC 3339 instant such as 2025-01-15T09:00:00Z`}},
		"generate report --at 1900-01-01T00:00:00Z":   {[]string{"generate", "report", "--at", "1900-01-01T00:00:00Z"}, command.ExitUsage, []string{`understudy: --at "1900-01-01T00:00:00Z" is out of range: choose a year from 1970 to 9990`}},
		"generate report --ssn 12":                    {[]string{"generate", "report", "--ssn", "12"}, command.ExitUsage, []string{"understudy: --ssn must be a social security number"}},
		"generate report --scenario contracter":       {[]string{"generate", "report", "--scenario", "contracter"}, command.ExitUsage, []string{`understudy: --scenario "contracter" is not the name of a scenario: did you mean contractor?`}},
		"generate report --scenario qualified":        {[]string{"generate", "report", "--scenario", "qualified"}, command.ExitUsage, []string{"understudy: --scenario: The scenario qualified describes a qualification check, not a verification request: name one such as "}},
		"generate verification-request --set id=vr_a": {[]string{"generate", "verification-request", "--set", "id=vr_a"}, command.ExitUsage, []string{`understudy: --set: unknown key "id"`}},
		"generate report --count 02 --ssn N":          {[]string{"generate", "report", "--count", "02", "--ssn", "000-12-3456"}, command.ExitUsage, []string{"and --ssn for one: leave one out"}},
		"generate report --id 'a b'":                  {[]string{"generate", "report", "--id", "a b"}, command.ExitUsage, []string{`understudy: --id "a b" is no id: take 1 to 128 of A-Z a-z 0-9 . _ ~ -`}},
		"generate report --set report.pay.base=9999":  {[]string{"generate", "report", "--set", "report.pay.base=9999"}, command.ExitUsage, []string{"--set: the keys of a report itself have no prefix: write pay.base=9999"}},
		"generate tenant-property --set report.a=1":   {[]string{"generate", "tenant-property", "--set", "report.a=1"}, command.ExitUsage, []string{"--set: a tenant property has no reports: leave report.a=1 out"}},
		"generate tenant-property --ssn N":            {[]string{"generate", "tenant-property", "--ssn", "000-12-3456"}, command.ExitUsage, []string{"there is no flag --ssn"}},
		"generate qualification-check --analytics":    {[]string{"generate", "qualification-check", "--analytics"}, command.ExitUsage, []string{"there is no flag --analytics"}},
		"generate reports":                            {[]string{"generate", "reports"}, command.ExitUsage, []string{`understudy: there is no command "reports": did you mean report?`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := commandtest.Understudy(t, tt.args...)
			got.Want(t, tt.code, tt.want...)
			if got.Stdout != "" {
				t.Errorf("standard output has %q", got.Stdout)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Setenv("UNDERSTUDY_CONTROL_TOKEN", "correct-horse")
	wantHelp(t, root(io.Discard, io.Discard))
}

// paragraph matches a line of a paragraph of help, and its first word.
var paragraph = regexp.MustCompile(`^   (\S+)(?: \S+)*\n$`)

// wantHelp checks the help of the subcommands of a command, whose words are given.
func wantHelp(t *testing.T, above *cli.Command, words ...string) {
	t.Helper()
	for _, sub := range above.Commands {
		path := append(slices.Clone(words), sub.Name)
		help := commandtest.Understudy(t, append(path, "--help")...)
		if line := "\n      understudy " + strings.Join(path, " "); !strings.Contains(help.Stdout, line) && sub.Name != "completion" {
			t.Errorf("the help of %s has no example", path)
		}
		before := ""
		for line := range strings.Lines(help.Stdout) {
			if word := paragraph.FindStringSubmatch(line); word != nil && paragraph.MatchString(before) && len(before)+len(word[1]) <= command.HelpWidth {
				t.Errorf("the help of %s breaks a paragraph early, before %s", path, line)
			}
			before = line
			if width := utf8.RuneCountInString(line) - 1; width > command.HelpWidth {
				t.Errorf("the help of %s has a line of %d characters: %s", path, width, line)
			}
		}
		if strings.Contains(help.Stdout+help.Stderr, "correct-horse") {
			t.Errorf("the help of %s has the token", path)
		}
		for _, name := range command.VariablesOf(sub) {
			if !strings.Contains(help.Stdout, "$"+string(name)+"]") {
				t.Errorf("the help of %s does not name %s", path, string(name))
			}
		}
		wantHelp(t, sub, path...)
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	for args, parts := range map[string][]string{ // the first is the beginning
		"":                      {"NAME:", "serve", "scenarios", "healthcheck", "openapi", "version", "completion", "svc_sk_test_", "UNDERSTUDY_"},
		"serve --help":          {"NAME:", "Listening", "Worlds", "Logging", "understudy serve --addr :9090"},
		"scenarios":             {"NAME:", "list", "show", "validate", "schema", "understudy scenarios show vr_lifecycle"},
		"store":                 {"NAME:", "check", "check a store file for damage"},
		"snapshot":              {"NAME:", "save", "restore"},
		"generate":              {"NAME:", "report", "tenant-property"},
		"version":               {"understudy ", "\ncommit ", "\ndate ", "\ngo  ", "\nplatform "},
		"--version":             {"understudy ", "\ncommit "},
		"version --json":        {`{"version":"`, `"commit":"`, `"date":"`},
		"openapi":               {"openapi: 3"},
		"skill":                 {"---\nname: understudy\n", "understudy run --trial -- COMMAND"},
		"openapi --format json": {"{\n  \"openapi\": \"3"},
		"openapi --surface":     {"openapi: 3", "operationId: createCredentialsSession"},
		"openapi --format http": {"@url = http://127.0.0.1:8080\n", "### vr_error_451: answers 451\n"},
	} {
		got := commandtest.Understudy(t, strings.Fields(args)...)
		got.Want(t, command.ExitOK, parts...)
		if !strings.HasPrefix(got.Stdout, parts[0]) {
			t.Errorf("%s begins with %.100s", args, got.Stdout)
		}
	}
	if got := commandtest.Understudy(t, "scenarios", "schema"); got.Code != command.ExitOK || !json.Valid([]byte(got.Stdout)) {
		t.Errorf("exit code %d: %.100s", got.Code, got.Stdout)
	}
}

// The check runs in another process, because bbolt may end it.
func TestStoreCheck(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole.db")
	s, err := store.Open("file:" + whole)
	commandtest.NoError(t, err)
	storetest.Put(t, s, "a", make([]byte, 100_000))
	commandtest.NoError(t, s.Close())
	truncated, text := commandtest.NewFile(t, "cut.db", commandtest.ReadFile(t, whole)[:10*os.Getpagesize()]), commandtest.NewFile(t, "text.db", "name: maria\n")
	for name, tt := range map[string]struct {
		args      []string
		code      int
		out, errs string
	}{
		"whole file":      {[]string{"check", whole}, command.ExitOK, "store file " + whole + ": fine\n", ""},
		"file cut off":    {[]string{"check", truncated}, command.ExitFailed, "", "store file " + truncated + " is not a bbolt file, or is damaged (it is truncated): restore a backup"},
		"no bbolt file":   {[]string{"check", text}, command.ExitFailed, "", "store file " + text + " is not a bbolt file, or is damaged"},
		"no file":         {[]string{"check", text + ".none"}, command.ExitFailed, "", "does not exist, or is empty"},
		"no path":         {[]string{"check"}, command.ExitUsage, "", "takes one argument: say which file"},
		"two paths":       {[]string{"check", whole, truncated}, command.ExitUsage, "", "takes one argument: say which file"},
		"unknown command": {[]string{"chek", whole}, command.ExitUsage, "", "did you mean check?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", append([]string{"store"}, tt.args...)...)
			c.Stdout, c.Stderr = &out, &errs
			_ = c.Run() // the exit code has the result
			commandtest.Result{Code: c.ProcessState.ExitCode(), Stdout: out.String(), Stderr: errs.String()}.Want(t, tt.code, tt.errs)
			if out.String() != tt.out {
				t.Errorf("standard output has %q, want %q", &out, tt.out)
			}
		})
	}
}
