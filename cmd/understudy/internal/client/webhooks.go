package client

import (
	"net/http"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
)

func webhooks() group {
	return group{name: "webhooks", usage: "list, add and delete a world's webhooks", endpoints: []endpoint{
		{
			verb: "list", usage: "list the URLs that the world's events are sent to", path: "webhooks",
			columns: "ID=id|URL=url|EVENTS=events|VERSION=version|TOKEN=token", examples: []string{"|with the token of each"},
		},
		{
			verb: "add", usage: "send what changes in the world from now on to a URL", args: "URL", ask: "where to, such as http://127.0.0.1:8081/hooks",
			method: http.MethodPost, path: "webhooks", body: webhook, line: "webhook ${id}: ${events} to ${url}, with the token ${token}",
			flags: []cli.Flag{
				command.Texts("", "event", "only the event `NAME`, such as verification_request.state.change; repeatable"),
				command.Text("", "token", "", "send `TOKEN` with each; default: drawn from the seed"),
				command.Text("", "body-version", "", "send bodies of `VERSION`; default: 2023-10-30"),
			},
			examples: []string{
				"http://127.0.0.1:8081/hooks|all events",
				"http://app:8081/hooks --token s3cret|to a container, with a token that it knows",
			},
		},
		{
			verb: "delete", usage: "delete a webhook", args: "ID", ask: "which webhook, by an id of understudy webhooks list",
			method: http.MethodDelete, path: "webhooks/{}", line: "webhook ${1} is deleted", examples: []string{"1"},
		},
	}}
}

// webhook returns the body of webhooks add.
func webhook(c *cli.Command, args []string) (any, error) {
	body := map[string]any{"url": args[0]}
	if events := c.StringSlice("event"); len(events) > 0 {
		body["events"] = events
	}
	for flag, key := range map[string]string{"token": "token", "body-version": "version"} {
		if c.IsSet(flag) {
			body[key] = c.String(flag)
		}
	}
	return body, nil
}

func deliveries() group {
	return group{name: "deliveries", usage: "list what a world's webhooks were sent, and send it again", endpoints: []endpoint{
		{
			verb: "list", usage: "list events with the answers to each attempt", path: "deliveries", query: []string{"status"},
			columns:  "ID=id|WEBHOOK=webhook|EVENT=event|RESOURCE=resource|STATE=state|DUE=due|STATUS=status|ANSWERS=attempts",
			flags:    []cli.Flag{command.Text("", "status", "", "only those that are `STATUS`: due, delivered or given-up")},
			examples: []string{"|all; 0 is no answer", "--status due|those that are still to be sent"},
		},
		{
			verb: "resend", usage: "send a delivery again, at once", args: "ID", ask: "which delivery, by an id of understudy deliveries list",
			method: http.MethodPost, path: "deliveries/{}/resend", line: "${id} is ${status}", examples: []string{"delivery-1"},
		},
	}}
}
