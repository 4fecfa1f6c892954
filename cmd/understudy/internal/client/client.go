// Package client has the commands that call a running emulator. A row of a table says which call of the control plane a command line
// becomes, and how its answer is shown; what the control plane refuses is shown in its words.
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// clientFlags returns the flags of the commands that steer a running emulator. Their subcommands inherit them.
func clientFlags() []cli.Flag { return append(Flags(), command.JSONFlag(command.EmulatorCategory)) }

// Flags returns the flags that name a running emulator and a world of it.
func Flags() []cli.Flag {
	return []cli.Flag{
		urlFlag(),
		command.Text(command.EmulatorCategory, "key", "", "act in the world of the API key `KEY`: the key of the client under test"),
		command.Text(command.EmulatorCategory, "world", "", "act in the world `ID`, as worlds list shows it; no key needed"),
		command.Text(command.EmulatorCategory, "control-token", "", "send `TOKEN`, if the emulator was started with one"),
		command.Text(command.EmulatorCategory, "ca", "", "trust the certificate authority in `FILE` (PEM) too, such as that of serve --tls-auto"),
	}
}

// Check returns an error for flags that can name no emulator.
func Check(c *cli.Command) error {
	if _, err := parseURL(c); err != nil {
		return err
	}
	_, err := command.NewTransport(c)
	return err
}

func urlFlag() cli.Flag {
	return command.Text(command.EmulatorCategory, "url", "http://"+command.DefaultAddr, "call the emulator at `URL`; if it has a --control-addr, that is the address")
}

type call struct {
	method string // GET by default
	path   string // below /_understudy/v1/
	query  url.Values
	body   any // sent as JSON, bytes as they are; nil: none
}

// fileBody is a body from a file, whose errors are none of the command line.
type fileBody []byte

// refusal is an error answer of the control plane.
type refusal struct {
	status  int
	message string
	body    []byte
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the emulator answers %d: %s", r.status, r.message)
}

// errPlain returns the error of a server without TLS at a URL of https.
func errPlain(base, flag string) error {
	return fmt.Errorf("%s serves http, not https: correct %s: http%s", base, flag, strings.TrimPrefix(base, "https"))
}

// parseURL returns the URL of --url, without a slash at its end.
func parseURL(c *cli.Command) (string, error) {
	base, ok := parseBase(c.String("url"))
	if !ok {
		return "", command.Misused(c, "url", "is not the address of an emulator, such as http://%s", command.DefaultAddr)
	}
	return base, nil
}

// parseBase returns a base URL without a slash at its end.
func parseBase(text string) (base string, ok bool) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return "", false
	}
	return strings.TrimRight(parsed.String(), "/"), true
}

// request returns the HTTP request of the call. The flags name the emulator and the world.
func (in call) request(ctx context.Context, c *cli.Command) (*http.Request, error) {
	base, err := parseURL(c)
	if err != nil {
		return nil, err
	}
	byWorld, err := command.Prefers(c, "world", "key")
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	maps.Copy(query, in.query)
	key, world := c.String("key"), c.String("world")
	path := in.path
	if below, ok := strings.CutPrefix(path, "journal"); ok && c.Bool("unmatched") {
		path = "unmatched-requests" + below
	}
	switch {
	case strings.HasPrefix(path, "worlds"), strings.HasPrefix(path, "unmatched-requests"), path == "info": // not in a world
	case byWorld:
		query.Set("world", world)
	case key == "":
		return nil, fmt.Errorf("no world is named: give the API key of the client under test, as --key %s… or UNDERSTUDY_KEY", command.KeyBeginning)
	}
	var body []byte
	switch sent := in.body.(type) {
	case nil:
	case []byte:
		body = sent
	case fileBody:
		body = sent
	default:
		if body, err = json.Marshal(sent); err != nil {
			return nil, command.Failed(err)
		}
	}
	address := base + emulator.ControlPrefix + "v1/" + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, in.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, command.Failed(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	if token := c.String("control-token"); token != "" {
		request.Header.Set(emulator.ControlTokenHeader, token)
	}
	return request, nil
}

// open makes the call and returns the body of its answer, which the caller closes. When the emulator refuses the call, the
// error is a [refusal].
func (in call) open(ctx context.Context, c *cli.Command) (io.ReadCloser, error) {
	transport, err := command.NewTransport(c)
	if err != nil {
		return nil, err
	}
	request, err := in.request(ctx, c)
	if err != nil {
		return nil, err
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if untrusted := (*tls.CertificateVerificationError)(nil); errors.As(err, &untrusted) {
		return nil, command.Failed(fmt.Errorf("the certificate of %s is not trusted: %w: give a file with the certificate of its authority with --ca; serve --tls-auto serves it at %sca.pem",
			c.String("url"), untrusted.Err, emulator.ControlPrefix))

	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return nil, command.Failed(errPlain(c.String("url"), command.Given(c, "url")))
	}
	if err != nil {
		return nil, command.Failed(fmt.Errorf("no emulator answers at %s: %w: start one with understudy serve, or name its address with %s",
			c.String("url"), causeOf(err), command.Given(c, "url")))

	}
	if response.StatusCode < 300 {
		return response.Body, nil
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, brokenOff(c, err)
	}
	message := errorMessage(response, answer)
	switch {
	case message == "" && response.StatusCode == http.StatusBadRequest && request.URL.Scheme == "http":
		return nil, otherServer(c, "it answers "+response.Status+" and may serve https")
	case message == "":
		return nil, otherServer(c, "it answers "+response.Status)
	}
	err = &refusal{response.StatusCode, message, answer}
	switch response.StatusCode {
	case http.StatusBadRequest:
		if _, ofFile := in.body.(fileBody); !ofFile { // a wrong flag or argument
			return nil, errors.New(message)
		}
	case http.StatusUnauthorized, http.StatusForbidden: // a wrong key or token
		return nil, err
	}
	return nil, command.Failed(err)
}

// causeOf returns the error of a request without the method, the URL and the address.
func causeOf(err error) error {
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err
	}
	if operation := (*net.OpError)(nil); errors.As(err, &operation) {
		err = operation.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("timeout")
	}
	return err
}

// errorMessage returns the message and the diagnosis of an emulator's error, "" for an answer of another server.
func errorMessage(response *http.Response, body []byte) string {
	var envelope api.ErrorEnvelope
	if err := json.Unmarshal(body, &envelope); err != nil || envelope.Error.Message == "" {
		return ""
	}
	if diagnosis := response.Header.Get("Understudy-Diagnosis"); diagnosis != "" {
		return envelope.Error.Message + ": " + diagnosis
	}
	return envelope.Error.Message
}

// brokenOff returns the error of an answer that ended early.
func brokenOff(c *cli.Command, err error) error {
	return command.Failed(fmt.Errorf("the answer of %s broke off: %w: try again", c.String("url"), err))
}

// otherServer returns the error of a server that is not an emulator of this version.
func otherServer(c *cli.Command, why string) error {
	return command.Failed(fmt.Errorf("%s is not an emulator of this version: %s: name the address of one with %s", c.String("url"), why, command.Given(c, "url")))
}

// do makes the call and returns the body of its answer.
func (in call) do(ctx context.Context, c *cli.Command) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	body, err := in.open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	answer, err := io.ReadAll(body)
	if err != nil {
		return nil, brokenOff(c, err)
	}
	return answer, nil
}

type page struct {
	Items []json.RawMessage `json:"items"`
	Next  *string           `json:"next"`
}

// listAll fetches all pages of a list.
func listAll(ctx context.Context, c *cli.Command, path string, query url.Values) ([]json.RawMessage, error) {
	items := []json.RawMessage{}
	in := call{path: path, query: url.Values{"limit": {"1000"}}}
	maps.Copy(in.query, query)
	for {
		answer, err := in.do(ctx, c)
		if err != nil {
			return nil, err
		}
		var next page
		if err := json.Unmarshal(answer, &next); err != nil {
			return nil, otherServer(c, "its answer cannot be decoded: "+err.Error())
		}
		if items = append(items, next.Items...); next.Next == nil {
			return items, nil
		}
		in.query.Set("after", *next.Next)
	}
}
