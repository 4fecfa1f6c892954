package main

import (
	"io"

	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"
)

// commandLine is a command of the tree, with its flags and those that it inherits.
type commandLine struct {
	command *cli.Command
	path    string // without understudy
	flags   map[string]cli.Flag
}

// innermost returns the commands that have no subcommands.
func innermost() (all []commandLine) {
	var walk func(c *cli.Command, path []string, inherited []cli.Flag)
	walk = func(c *cli.Command, path []string, inherited []cli.Flag) {
		flags := slices.Concat(inherited, c.Flags)
		if len(c.Commands) == 0 {
			l := commandLine{c, strings.Join(path, " "), make(map[string]cli.Flag)}
			for _, flag := range flags {
				l.flags[flag.Names()[0]] = flag
			}
			all = append(all, l)
		}
		for _, below := range c.Commands {
			walk(below, append(slices.Clone(path), below.Name), flags)
		}
	}
	for _, c := range root(io.Discard, io.Discard).Commands {
		walk(c, []string{c.Name}, nil)
	}
	return all
}

// withoutEmulator are the commands that call no running emulator.
var withoutEmulator = []string{
	"serve", "run", "scenarios list", "scenarios show", "scenarios validate", "scenarios schema", "generate report",
	"generate verification-request", "generate qualification-check", "generate tenant-property", "compare", "openapi", "store check", "version",
}

// Every command that calls an emulator has the same flags for it, with the same meaning.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	usage := func(flag cli.Flag) string { return flag.(cli.DocGenerationFlag).GetUsage() }
	common := make(map[string]string)
	for _, flag := range clientFlags() {
		common[flag.Names()[0]] = usage(flag)
	}
	for _, l := range innermost() {
		if slices.Contains(withoutEmulator, l.path) {
			if flag := l.flags["json"]; flag != nil && usage(flag) != common["json"] || l.flags["url"] != nil {
				t.Errorf("%s has --url, or another --json", l.path)
			}
			continue
		}
		for name, want := range common {
			flag := l.flags[name]
			if flag == nil && l.path == "healthcheck" && name != "url" && name != "json" { // which needs no world, token or certificate
				continue
			}
			if flag == nil || usage(flag) != want {
				t.Errorf("%s has no --%s that means: %s", l.path, name, want)
			}
		}
	}
}

// Missing and unexpected arguments are wrong use, before anything is called.
func TestVocabularyArguments(t *testing.T) {
	t.Parallel()
	nowhere := []string{"--url", "http://127.0.0.1:1", "--key", key}
	for _, l := range innermost() {
		args := strings.Fields(l.path)
		if l.flags["key"] != nil {
			args = append(args, nowhere...)
		}
		if usage := l.command.ArgsUsage; usage != "" && !strings.HasPrefix(usage, "[") {
			if got := understudy(t, args...); got.code != exitUsage || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("%s without %s: %+v", l.path, usage, got)
			}
		}
		if strings.Contains(l.command.ArgsUsage, "...") {
			continue
		}
		if got := understudy(t, append(args, "a", "b", "c", "d", "e")...); got.code != exitUsage || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s with five arguments: %+v", l.path, got)
		}
	}
}

// Wrong values and contradictions are wrong use, also where the emulator finds them, in its words.
func TestVocabularyValues(t *testing.T) {
	t.Parallel()
	s := steer(t)
	const operations = "it is one of cancelVerificationRequest, getVerificationRequest, updateTenantProperty, createCredentialsSession, getQualificationCheck"
	const times = "The times are exactly n, at_least n, at_most n, or at_least n and at_most m, where 0 <= n <= m"
	for line, want := range map[string]string{
		"journal --operation nonsense":                          `There is no operation "nonsense": ` + operations,
		"journal --status 9xx":                                  `The status "9xx" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection`,
		"journal --follow --status none":                        `The status "none" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection`,
		"journal --path here":                                   `The path "here" does not begin with /: write it as in /verification-requests/vr_completed`,
		"journal --since noon":                                  `since "noon" is neither the id of a request nor an instant such as 2025-01-15T09:00:00Z`,
		"journal list --last -1":                                `--last -1 is not a number of requests`,
		"journal verify --operation nonsense":                   `There is no operation "nonsense": ` + operations,
		"journal verify --status 9xx":                           `The status "9xx" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection`,
		"journal verify --path here":                            `The path "here" does not begin with /: write it as in /verification-requests/vr_completed`,
		"journal verify --method nonsense":                      `No operation has the method "nonsense": it is one of PUT, GET, POST`,
		`journal verify --body {"a":1,"a":2}`:                   `--body {"a":1,"a":2} is not JSON, with each key once`,
		"journal verify --exactly -1":                           times,
		"journal verify --at-least -1":                          times,
		"journal verify --at-most -1":                           times,
		"journal verify --exactly 1 --at-least 2":               times,
		"journal verify --exactly 1 --at-most 1":                times,
		"journal verify --at-least 3 --at-most 2":               times,
		"requests list --state nope":                            `unknown value "nope" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled`,
		"requests list --scenario nope":                         `There is no scenario "nope"`,
		"requests move vr_processing nope":                      `unknown value "nope" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled`,
		"requests move vr_processing completed --reason other":  `--reason is for a move to canceled: leave it out`,
		"requests move vr_processing completed --details late":  `--details is for a move to canceled: leave it out`,
		"requests move vr_processing canceled --reason because": `unknown value "because" for cancellation_reason: must be one of immediate, high-turnaround-time, competitor, wrong-info, other`,
		"clock set freeze run":                                  `clock set takes one instant, and freeze or run: leave "run" out`,
		"clock set 2025-03-01T09:00:00Z 2025-03-02T09:00:00Z":   `clock set takes one instant, and freeze or run: leave "2025-03-02T09:00:00Z" out`,
		"clock set 9999-03-01T09:00:00Z":                        `The clock goes to the year 9990 only`,
		"clock advance 1y":                                      `"1y" is not a span of time such as 90s, 10m, 48h or 7d`,
		"clock advance soon":                                    `"soon" is not a span of time such as 90s, 10m, 48h or 7d`,
		"clock advance 9999999h":                                `"9999999h" is too long a span of time: at most 285 years, or 2500000h`,
		"faults add {on:gt}":                                    `The rule is invalid: rule:1:5: unknown value "gt" for on: must be one of any, get, cancel, update, create, any verification_request, get verification_request, cancel verification_request, any qualification_check, get qualification_check, any tenant_property, update tenant_property, any credentials_session, create credentials_session`,
		"clock --world 0a0a":                                    `--world and --key contradict each other: leave one out`,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if got := s.run(strings.Fields(line)...); got.code != exitUsage || got.stdout != "" || got.stderr != "understudy: "+want+"\n" {
				t.Errorf("%+v, want %s", got, want)
			}
		})
	}
}

// A flag that names the world beats a variable that names another one.
func TestVocabularyWorld(t *testing.T) {
	s := startServer(t, "--clock", "2025-01-15T09:00:00Z")
	reset := understudy(t, "reset", "--url", s.url, "--key", key, "--json")
	reset.want(t, exitOK)
	id := decoded[worldStatus](t, reset.stdout).ID
	t.Setenv("UNDERSTUDY_URL", s.url)
	t.Setenv("UNDERSTUDY_WORLD", "0a0a")
	understudy(t, "clock", "advance", "1h", "--key", key).want(t, exitOK, "10:00:00Z frozen\n")
	t.Setenv("UNDERSTUDY_KEY", "svc_sk_test_other")
	understudy(t, "clock", "--world", id).want(t, exitOK, "10:00:00Z frozen\n")
	understudy(t, "clock").want(t, exitFailed, "correct UNDERSTUDY_WORLD") // of two variables
}

// Client commands read the certificate of --tls-auto from --ca.
func TestAuthority(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--tls-auto")
	_, certificate, err := tlsAuto(time.Now(), nil)
	noError(t, err)
	other := newFile(t, "other.pem", certificate)
	understudy(t, "clock", "--url", s.url, "--key", key, "--ca", newFile(t, "ca.pem", authorityOf(t, s.url))).want(t, exitOK)
	understudy(t, "clock", "--url", s.url, "--key", key, "--ca", other).want(t, exitFailed, "is not trusted: ")
	understudy(t, "clock", "--url", s.url, "--key", key, "--ca", newFile(t, "notes.txt", "x")).want(t, exitFailed, "notes.txt\" has no certificate (PEM)\n")
	understudy(t, "clock", "--url", s.url, "--key", key, "--ca", other+".none").want(t, exitFailed, "--ca: open ")
}
