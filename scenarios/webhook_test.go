package scenarios_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestWebhookProblem(t *testing.T) {
	t.Parallel()
	file := func(text string) string { return "name: a\ntitle: A title\n" + text + "\n" }
	const words = "must be one of twice, lost, late, out-of-order, wrong-token, before-answer"
	for name, tt := range map[string]struct{ text, want string }{
		"without an effect":      {rule("{on: webhook, times: 1}"), "5:5: a rule on webhooks needs an effect, such as deliver: twice or deliver: {late: 2h}"},
		"an answer":              {rule("{on: webhook, respond: {status: 500}}"), "5:19: respond is for calls, and a webhook is none: write deliver, such as deliver: lost"},
		"a fault":                {rule("{on: webhook, fault: empty, deliver: lost}"), "5:19: fault is for calls, and a webhook is none: write deliver, such as deliver: lost"},
		"a delay":                {rule("{on: webhook, delay: {fixed: 1s}, deliver: lost}"), "5:19: delay is for calls, and a webhook is none: write deliver, such as deliver: lost"},
		"a limit":                {rule("{on: webhook, limit: 1/s}"), "5:19: limit is for calls, and a webhook is none: write deliver, such as deliver: lost"},
		"of a call":              {rule("{on: get, deliver: lost}"), "5:15: deliver is for webhooks: write on: webhook, or fault for a call"},
		"of every call":          {rule("{on: any, respond: {status: 500}, deliver: lost}"), "5:39: deliver is for webhooks: write on: webhook, or fault for a call"},
		"a word misspelled":      {rule("{on: webhook, deliver: twise}"), `5:28: unknown value "twise" for deliver: did you mean twice?`},
		"a word of none":         {rule("{on: webhook, deliver: never}"), `5:28: unknown value "never" for deliver: ` + words},
		"null":                   {rule("{on: webhook, deliver: }"), "5:27: deliver needs a value: write deliver: twice"},
		"a list":                 {rule("{on: webhook, deliver: [lost]}"), "5:28: deliver takes a mapping, not a list: write deliver: twice"},
		"late by nothing":        {rule("{on: webhook, deliver: {late: 0s}}"), "5:35: late \"0s\" is not a span of time such as 90s, 10m, 48h or 7d"},
		"late by no span":        {rule("{on: webhook, deliver: {}}"), "5:28: deliver takes a span of time: write deliver: {late: 2h}"},
		"late without a unit":    {rule("{on: webhook, deliver: {late: 2}}"), "5:35: late \"2\" is not a span of time such as 90s, 10m, 48h or 7d"},
		"late by too much":       {rule("{on: webhook, deliver: {late: 9000h}}"), "5:29: late must be 8760h at most"},
		"another key of deliver": {rule("{on: webhook, deliver: {lost: true}}"), `5:29: unknown key "lost" in deliver: the keys here are late, such as deliver: twice`},
		"misspelled on":          {rule("{on: webhooks, deliver: lost}"), `5:10: unknown value "webhooks" for on: did you mean webhook?`},
		"of a check": {
			file("magic: {qualification_check: qc_a}\nrules:\n  - {on: webhook, deliver: lost}"),
			"5:10: webhooks are about verification requests, which this scenario has not: give it magic: {verification_request: vr_late}",
		},
		"a URL without scheme": {file("webhooks: [{url: localhost/hooks}]"), "3:13: url must be a URL such as http://127.0.0.1:8081/hooks"},
		"a URL of a file":      {file("webhooks: [{url: file:///hooks}]"), "3:13: url must be a URL such as http://127.0.0.1:8081/hooks"},
		"no URL":               {file("webhooks: [{token: abc}]"), "3:12: url must be a URL such as http://127.0.0.1:8081/hooks"},
		"a text for a list":    {file("webhooks: http://127.0.0.1/"), `3:11: webhooks takes a list, not "…": write webhooks: [{url: http://127.0.0.1:8081/hooks}]`},
		"a URL for an item":    {file("webhooks: [http://127.0.0.1/]"), `3:12: item 1 of webhooks takes a mapping, not "…": write {url: http://127.0.0.1/}`},
		"an unknown event":     {file("webhooks: [{url: http://a/, events: [completed]}]"), `3:38: unknown value "…" for events: must be one of verification_request.state.change, credentials_session.state.change`},
		"an unknown version":   {file("webhooks: [{url: http://a/, version: 2024-01-01}]"), `3:38: unknown value "…" for version: did you mean 2022-08-01?`},
		"of one request":       {base + "webhooks: [{url: http://a/}]\n", `4:1: webhooks needs a magic value that leads to it (api_key alone), such as magic: {api_key: "*_down"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := scenarios.Parse("f.yaml", []byte(tt.text))
			var all []string
			for _, p := range problems {
				all = append(all, fmt.Sprintf("%s: %s", p.At, p.What))
			}
			if got := strings.Join(all, "\n"); got != "f.yaml:"+tt.want {
				t.Errorf("got  %s\nwant f.yaml:%s", got, tt.want)
			}
		})
	}
}

// A scenario of subscriptions alone is global, and may be for some keys.
func TestWebhooksOfFile(t *testing.T) {
	t.Parallel()
	all, problems := scenarios.Parse("f.yaml", []byte("name: a\ntitle: A\nmagic: {api_key: \"*_hooked\"}\n"+
		"webhooks:\n  - url: http://127.0.0.1:8081/hooks\n  - {url: https://app/hooks, events: verification_request.state.change, token: t, version: 2022-08-01}\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if hooks := all[0].Webhooks; len(hooks) != 2 || hooks[0].URL != "http://127.0.0.1:8081/hooks" || hooks[0].Events != nil || len(hooks[1].Events) != 1 || hooks[1].Token != "t" || hooks[1].Version != "2022-08-01" {
		t.Errorf("%+v", hooks)
	}
}
