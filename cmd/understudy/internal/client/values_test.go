package client

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// Wrong values and contradictions are wrong use, also where the emulator finds them, in its words.
func TestVocabularyValues(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	const operations = "it is one of cancelVerificationRequest, getVerificationRequest, updateTenantProperty, createCredentialsSession, getQualificationCheck, createVerification, listVerifications, getReport, reverify, listCompanies"
	const times = "The times are exactly n, at_least n, at_most n, or at_least n and at_most m, where 0 <= n <= m"
	for line, want := range map[string]string{
		"journal --operation nonsense":                          `There is no operation "nonsense": ` + operations,
		"journal --status 9xx":                                  `The status "9xx" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200`,
		"journal --follow --status none":                        `The status "none" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200`,
		"journal --path here":                                   `The path "here" does not begin with /: write it as in /verification-requests/vr_completed`,
		"journal --since noon":                                  `since "noon" is neither the id of a request nor an instant such as 2025-01-15T09:00:00Z`,
		"journal list --last -1":                                `--last -1 is not a number of requests`,
		"journal verify --operation nonsense":                   `There is no operation "nonsense": ` + operations,
		"journal verify --status 9xx":                           `The status "9xx" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200`,
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
		"requests list --scenario nope":                         `There is no scenario "nope": the list of scenarios has the names`,
		"requests move vr_processing nope":                      `The body is invalid: body:1:24: unknown value "nope" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled`,
		"requests move vr_processing completed --reason other":  `--reason is for a move to canceled: leave it out`,
		"requests move vr_processing completed --details late":  `--details is for a move to canceled: leave it out`,
		"requests move vr_processing canceled --reason because": `The body is invalid: body:1:24: unknown value "because" for cancellation_reason: must be one of immediate, high-turnaround-time, competitor, wrong-info, other`,
		"clock set freeze run":                                  `clock set takes one instant, and freeze or run: leave "run" out`,
		"clock set 2025-03-01T09:00:00Z 2025-03-02T09:00:00Z":   `clock set takes one instant, and freeze or run: leave "2025-03-02T09:00:00Z" out`,
		"clock set 9999-03-01T09:00:00Z":                        `The clock goes to the year 9990 only`,
		"clock advance --to payday vr_completed":                `"payday" is no day to advance to: name next-payday, or set the clock to an instant`,
		"clock advance 1y":                                      `"1y" is not a span of time such as 90s, 10m, 48h or 7d`,
		"clock advance soon":                                    `"soon" is not a span of time such as 90s, 10m, 48h or 7d`,
		"clock advance 9999999h":                                `"9999999h" is too long a span of time: at most 285 years, or 2500000h`,
		"faults add {on:gt}":                                    `The rule is invalid: rule:1:5: unknown value "gt" for on: must be one of any, get, cancel, update, create, list, report, reverify, any verification_request, get verification_request, cancel verification_request, create verification_request, list verification_request, report verification_request, reverify verification_request, any qualification_check, get qualification_check, any tenant_property, update tenant_property, any credentials_session, create credentials_session, any company, list company, webhook`,
		"clock --world 0a0a":                                    `--world and --key contradict each other: leave one out`,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if got := s.Run(strings.Fields(line)...); got.Code != command.ExitUsage || got.Stdout != "" || got.Stderr != "understudy: "+want+"\n" {
				t.Errorf("%+v, want %s", got, want)
			}
		})
	}
}
