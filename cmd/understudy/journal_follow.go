package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"
)

// followJournal prints requests as they come, until it is interrupted: for programs a JSON object a line.
func followJournal(ctx context.Context, c *cli.Command, r *remote) error {
	if c.Int("last") > 0 {
		return errors.New("--last is of requests that were made, and --follow of those to come: leave one out, or say --since")
	}
	request, err := r.request(ctx, http.MethodGet, "journal/stream", journalQuery(c), nil)
	if err != nil {
		return failure{err}
	}
	r.http.Timeout = 0 // the answer does not end
	response, err := r.http.Do(request)
	if err != nil {
		return failure{r.unreachable(err)}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			return failure{err}
		}
		return failure{r.refusal(response, answer)}
	}
	f := follower{remote: r, notes: c.Root().ErrWriter, color: wantsColor(r.to, os.Getenv("NO_COLOR"))}
	err = eachEvent(response.Body, f.print)
	if ctx.Err() != nil {
		return nil // it was interrupted
	}
	if err == nil {
		err = errors.New("it was stopped")
	}
	return failure{fmt.Errorf("the journal of %s does not go on: %w", r.base, err)}
}

// wantsColor reports whether what is written there may be colored: on a terminal, unless NO_COLOR says something.
func wantsColor(to io.Writer, noColor string) bool {
	file, ok := to.(*os.File)
	return ok && noColor == "" && term.IsTerminal(int(file.Fd()))
}

// maxEvent is the longest line of an event, in bytes: it has no bodies.
const maxEvent = 1 << 20

// eachEvent reads server-sent events.
func eachEvent(from io.Reader, visit func(name, data string) error) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxEvent)
	name, data := "", ""
	for lines.Scan() {
		line := lines.Text()
		if value, ok := strings.CutPrefix(line, "event: "); ok {
			name = value
		}
		if value, ok := strings.CutPrefix(line, "data: "); ok {
			data = value
		}
		if line != "" || name == "" {
			continue
		}
		if err := visit(name, data); err != nil {
			return err
		}
		name, data = "", ""
	}
	return lines.Err()
}

// follower prints events.
type follower struct {
	*remote
	notes io.Writer // what is no request
	color bool
}

func (f follower) print(name, data string) error {
	switch name {
	case "reset":
		fmt.Fprintln(f.notes, "understudy: the world was reset or restored: what follows is the new one's")
	case "gap":
		fmt.Fprintln(f.notes, "understudy: some requests are no longer kept and were missed")
	case "request":
		return f.printRequest(data)
	}
	return nil
}

func (f follower) printRequest(data string) error {
	if f.json {
		return write(f.to, data+"\n")
	}
	var a asked
	if err := json.Unmarshal([]byte(data), &a); err != nil {
		return fmt.Errorf("an event cannot be read: %w; is it of another version?", err)
	}
	row := a.row()
	if f.color {
		row[2] = colored(a.Status, row[2])
	}
	return write(f.to, strings.TrimRight(strings.Join(row, "  "), " ")+"\n")
}

// colors are those of a terminal for statuses, by their first digit.
var colors = map[int]string{2: "32", 4: "33", 5: "31", 0: "35"} // green, yellow, red; magenta: no answer

func colored(status int, text string) string {
	color, ok := colors[status/100]
	if !ok {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}
