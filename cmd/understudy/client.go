package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/control"
)

// clientFlags are those of every command that steers a running emulator, and of the commands below it.
func clientFlags() []cli.Flag {
	const category = "Emulator"
	return []cli.Flag{
		&cli.StringFlag{
			Category: category, Name: "url", Value: "http://" + defaultAddr, Sources: fromEnvironment("url"),
			Usage: "steer the emulator at `URL`; with --control-addr, that of its control plane",
		},
		&cli.StringFlag{
			Category: category, Name: "key", Sources: fromEnvironment("key"),
			Usage: "in the world of the API key `KEY`, which is that of the client to be tested",
		},
		&cli.StringFlag{
			Category: category, Name: "world", Sources: fromEnvironment("world"),
			Usage: "in the world that worlds list shows with the id `ID`, without its key",
		},
		&cli.StringFlag{
			Category: category, Name: "control-token", Sources: fromEnvironment("control-token"),
			Usage: "send `TOKEN`, when the emulator was started with one",
		},
		&cli.BoolFlag{Category: category, Name: "json", Sources: fromEnvironment("json"), Usage: "print the emulator's own JSON"},
	}
}

// emulatorTimeout is how long an emulator may take to answer.
const emulatorTimeout = 30 * time.Second

// remote is the control plane of a running emulator.
type remote struct {
	base  string // without a slash at its end
	key   string
	world string
	token string
	json  bool
	to    io.Writer
	http  http.Client
}

// newRemote reads the flags of a command that is about the emulator itself.
func newRemote(c *cli.Command) (*remote, error) {
	base, err := url.Parse(c.String("url"))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("--url %q is not the address of an emulator, such as http://%s", c.String("url"), defaultAddr)
	}
	return &remote{
		base: strings.TrimRight(base.String(), "/"), key: c.String("key"), token: c.String("control-token"),
		json: c.Bool("json"), to: c.Root().Writer, http: http.Client{Timeout: emulatorTimeout},
	}, nil
}

// newRemoteWorld reads the flags of a command that is about a world.
func newRemoteWorld(c *cli.Command) (*remote, error) {
	r, err := newRemote(c)
	if err != nil {
		return nil, err
	}
	if r.world = c.String("world"); r.key == "" && r.world == "" {
		err = fmt.Errorf("say in which world: --key %s…, the API key of the client to be tested, or UNDERSTUDY_KEY", keyBeginning)
	}
	return r, err
}

// deletes returns the action of a command that deletes one thing, of a list of the control plane, by its argument: what
// that is, and what is said once it is gone.
func deletes(open func(*cli.Command) (*remote, error), list, what, done string) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		id, err := oneArgument(c, what)
		if err != nil {
			return err
		}
		r, err := open(c)
		if err != nil {
			return err
		}
		if _, err := r.ask(ctx, http.MethodDelete, list+url.PathEscape(id), nil, nil); err != nil {
			return err
		}
		return r.done(done, id)
	}
}

// ask calls the control plane and returns the body of its answer. A body is sent as JSON, bytes as they are; nil is none.
func (r *remote) ask(ctx context.Context, method, path string, query url.Values, body any) ([]byte, error) {
	request, err := r.request(ctx, method, path, query, body)
	if err != nil {
		return nil, failure{err}
	}
	response, err := r.http.Do(request)
	if err != nil {
		return nil, failure{r.unreachable(err)}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, failure{fmt.Errorf("the answer of %s broke off: %w", r.base, err)}
	}
	if err := r.refusal(response, answer); err != nil {
		return nil, failure{err}
	}
	return answer, nil
}

func (r *remote) request(ctx context.Context, method, path string, query url.Values, body any) (*http.Request, error) {
	var sent io.Reader
	switch body := body.(type) {
	case nil:
	case []byte:
		sent = bytes.NewReader(body)
	default:
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(text)
	}
	address := r.base + control.Prefix + "v1/" + path
	if r.world != "" {
		query = with(query, "world", r.world)
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		request.Header.Set("Authorization", "Bearer "+r.key)
	}
	if r.token != "" {
		request.Header.Set(control.TokenHeader, r.token)
	}
	return request, nil
}

// with returns a query with another parameter.
func with(query url.Values, name, value string) url.Values {
	more := url.Values{name: {value}}
	for name, values := range query {
		more[name] = values
	}
	return more
}

// unreachable explains that there was no answer.
func (r *remote) unreachable(err error) error {
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err // it repeats the address
	}
	return fmt.Errorf("no emulator answers at %s: %w; is it running? Start one with understudy serve, or say where it is with --url", r.base, err)
}

// refusal is the error of a call that the emulator refuses.
type refusal struct {
	status  int
	message string
	body    []byte
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the emulator answers %d: %s", r.status, r.message)
}

// refusal returns the error that an answer is, nil when it is none.
func (r *remote) refusal(response *http.Response, answer []byte) error {
	if response.StatusCode < 300 {
		return nil
	}
	var envelope api.ErrorEnvelope
	if err := json.Unmarshal(answer, &envelope); err != nil || envelope.Error.Message == "" {
		return fmt.Errorf("%s answers %s, and not as an emulator does: is --url right?", r.base, response.Status)
	}
	message := envelope.Error.Message
	if diagnosis := response.Header.Get("Understudy-Diagnosis"); diagnosis != "" {
		message += ": " + diagnosis
	}
	return &refusal{response.StatusCode, message, answer}
}

// pageSize is how much of a list is asked for at once.
const pageSize = "1000"

// list asks for all pages of a list, and returns its items.
func (r *remote) list(ctx context.Context, path string, query url.Values) (items []json.RawMessage, err error) {
	items = []json.RawMessage{}
	query = with(query, "limit", pageSize)
	for {
		page, err := r.page(ctx, path, query)
		if err != nil {
			return nil, err
		}
		if items = append(items, page.Items...); page.Next == nil {
			return items, nil
		}
		query.Set("after", *page.Next)
	}
}

// page is a part of a list, or one that comes whole.
type page struct {
	Items []json.RawMessage `json:"items"`
	Next  *string           `json:"next"`
}

func (r *remote) page(ctx context.Context, path string, query url.Values) (p page, err error) {
	answer, err := r.ask(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(answer, &p); err != nil {
		return p, failure{fmt.Errorf("the answer of %s cannot be read: %w; is it of another version?", r.base, err)}
	}
	return p, nil
}
