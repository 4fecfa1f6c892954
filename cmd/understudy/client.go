package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// clientFlags are those of every command that steers a running emulator, and of the commands below it.
func clientFlags() []cli.Flag {
	const category = "Emulator"
	return []cli.Flag{
		text(category, "url", "http://"+defaultAddr, "steer the emulator at `URL`; with --control-addr, that of its control plane"),
		text(category, "key", "", "in the world of the API key `KEY`, which is that of the client to be tested"),
		text(category, "world", "", "in the world that worlds list shows with the id `ID`, without its key"),
		text(category, "control-token", "", "send `TOKEN`, when the emulator was started with one"),
		toggle(category, "json", "print the emulator's own JSON"),
	}
}

type call struct {
	method string // GET by default
	path   string // below /_understudy/v1/
	query  url.Values
	body   any // sent as JSON, bytes as they are; nil: none
}

// request returns the call as a request to the emulator, and in the world, that the flags name.
func (in call) request(ctx context.Context, c *cli.Command) (*http.Request, error) {
	base, err := url.Parse(c.String("url"))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("--url %q is not the address of an emulator, such as http://%s", c.String("url"), defaultAddr)
	}
	query := url.Values{}
	maps.Copy(query, in.query)
	key, world := c.String("key"), c.String("world")
	switch {
	case strings.HasPrefix(in.path, "worlds"): // not in a world
	case world != "":
		query.Set("world", world)
	case key == "":
		return nil, fmt.Errorf("say in which world: --key %s…, the API key of the client to be tested, or UNDERSTUDY_KEY", keyBeginning)
	}
	body, ok := in.body.([]byte)
	if in.body != nil && !ok {
		if body, err = json.Marshal(in.body); err != nil {
			return nil, failure{err}
		}
	}
	address := strings.TrimRight(base.String(), "/") + emulator.ControlPrefix + "v1/" + in.path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, in.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, failure{err}
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

// open makes the call and returns the body of its answer, which must be closed. What the emulator refuses is a [refusal].
func (in call) open(ctx context.Context, c *cli.Command) (io.ReadCloser, error) {
	request, err := in.request(ctx, c)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err // it repeats the address
	}
	if err != nil {
		return nil, failure{fmt.Errorf("no emulator answers at %s: %w; is it running? Start one with understudy serve, or say where it is with --url", c.String("url"), err)}
	}
	if response.StatusCode < 300 {
		return response.Body, nil
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, failure{fmt.Errorf("the answer of %s broke off: %w", c.String("url"), err)}
	}
	var envelope api.ErrorEnvelope
	if err := json.Unmarshal(answer, &envelope); err != nil || envelope.Error.Message == "" {
		return nil, failure{fmt.Errorf("%s answers %s, and not as an emulator does: is --url right?", c.String("url"), response.Status)}
	}
	message := envelope.Error.Message
	if diagnosis := response.Header.Get("Understudy-Diagnosis"); diagnosis != "" {
		message += ": " + diagnosis
	}
	return nil, failure{&refusal{response.StatusCode, message, answer}}
}

type refusal struct {
	status  int
	message string
	body    []byte
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the emulator answers %d: %s", r.status, r.message)
}

// do makes the call and returns the whole body of its answer.
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
		return nil, failure{fmt.Errorf("the answer of %s broke off: %w", c.String("url"), err)}
	}
	return answer, nil
}

// show makes a call and prints its answer.
func show[T any](ctx context.Context, c *cli.Command, in call, print func(io.Writer, T)) error {
	answer, err := in.do(ctx, c)
	if err != nil {
		return err
	}
	return printAnswer(c, answer, print)
}

// printAnswer prints an answer as it came with --json, else decoded and as print writes it.
func printAnswer[T any](c *cli.Command, answer []byte, print func(io.Writer, T)) error {
	if c.Bool("json") {
		return write(c, string(answer)+"\n")
	}
	var value T
	if err := decode(c, answer, &value); err != nil {
		return err
	}
	var out strings.Builder
	print(&out, value)
	return write(c, out.String())
}

func decode(c *cli.Command, answer []byte, into any) error {
	if err := json.Unmarshal(answer, into); err != nil {
		return failure{fmt.Errorf("the answer of %s cannot be read: %w; is it of another version?", c.String("url"), err)}
	}
	return nil
}

// done makes a call that is answered without a body, and prints what was done; with --json nothing.
func done(ctx context.Context, c *cli.Command, in call, format string, args ...any) error {
	if _, err := in.do(ctx, c); err != nil || c.Bool("json") {
		return err
	}
	return write(c, fmt.Sprintf(format+"\n", args...))
}

// deletes returns the action of a command that deletes the item of a list that its argument names.
func deletes(list, what, format string) cli.ActionFunc {
	return withArgument(what, func(ctx context.Context, c *cli.Command, id string) error {
		return done(ctx, c, call{method: http.MethodDelete, path: list + url.PathEscape(id)}, format, id)
	})
}

// shows returns the action of a command that shows the item of a list that its argument names.
func shows[T any](list, what string, print func(io.Writer, T)) cli.ActionFunc {
	return withArgument(what, func(ctx context.Context, c *cli.Command, id string) error {
		return show(ctx, c, call{path: list + url.PathEscape(id)}, print)
	})
}

type page[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"`
}

// listTable prints all items of a list of the control plane, as a table with a row for each.
func listTable[T any](ctx context.Context, c *cli.Command, path string, query url.Values, head string, row func(T) []string) error {
	items, err := listAll(ctx, c, path, query)
	if err != nil {
		return err
	}
	return showTable(c, items, head, row)
}

func listAll(ctx context.Context, c *cli.Command, path string, query url.Values) ([]json.RawMessage, error) {
	items := []json.RawMessage{}
	in := call{path: path, query: url.Values{"limit": {"1000"}}}
	maps.Copy(in.query, query)
	for {
		answer, err := in.do(ctx, c)
		if err != nil {
			return nil, err
		}
		var next page[json.RawMessage]
		if err := decode(c, answer, &next); err != nil {
			return nil, err
		}
		if items = append(items, next.Items...); next.Next == nil {
			return items, nil
		}
		in.query.Set("after", *next.Next)
	}
}

// showTable prints items as one list with --json, else as a table with a row for each.
func showTable[T any](c *cli.Command, items []json.RawMessage, head string, row func(T) []string) error {
	all, err := json.Marshal(page[json.RawMessage]{Items: items})
	if err != nil {
		return failure{err}
	}
	return printAnswer(c, all, func(to io.Writer, all page[T]) {
		var rows [][]string
		for _, item := range all.Items {
			rows = append(rows, row(item))
		}
		printRows(to, head, rows)
	})
}

// printRows prints a table below its head, whose words are separated by a vertical bar.
func printRows(to io.Writer, head string, rows [][]string) {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{strings.Split(head, "|")}, rows...) {
		fmt.Fprintln(table, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	table.Flush()
}

func write(c *cli.Command, text string) error {
	if _, err := io.WriteString(c.Root().Writer, text); err != nil {
		return failure{err}
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// instant returns a time as people read it, - for none.
func instant(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.Format(time.RFC3339)
}

// orNone returns a text, - for none.
func orNone(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}
