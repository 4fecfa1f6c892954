package console

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/journal"
)

type curl struct {
	Command string
	Key     string   // stands for the one that no journal has
	Unlike  []string // says what of it is not as it was sent
}

// curl returns an entry as a command that leads to the same operation and id. What the journal does not keep has a place
// in it, and is said.
func (x *exchange) curl(e *journal.Entry) curl {
	c := curl{Key: x.Key("YOUR-KEY")}
	command := "curl "
	if strings.ContainsAny(e.Query, "[]{}") {
		command += "--globoff "
	}
	if _, id, _ := partsOf(e); id == "." || id == ".." {
		command += "--path-as-is "
	}
	words := []string{command + "-X " + shellQuote(e.Method) + " " + shellQuote(x.baseURL()+c.target(e)),
		"-H " + shellQuote("Authorization: Bearer "+c.Key)}
	typed := false
	for _, h := range e.Headers {
		switch {
		case h.Name == "User-Agent":
		case h.Value == "":
			words = append(words, "-H "+shellQuote(h.Name+";"))
		default:
			words = append(words, "-H "+shellQuote(h.Name+": "+c.kept("A header", h.Value)))
		}
		typed = typed || h.Name == "Content-Type"
	}
	if body := e.Request(); body != nil {
		if !typed {
			words = append(words, "-H 'Content-Type:'") // lest curl sends one of its own
		}
		words = append(words, c.body(body))
	}
	c.Command = strings.Join(words, " \\\n  ")
	return c
}

// target returns the path and the query. The journal has the path decoded: whatever is in the id is one part of it.
func (c *curl) target(e *journal.Entry) string {
	kind, id, rest := partsOf(e)
	target := kind + url.PathEscape(c.kept("The path", id)) + rest
	if e.Query != "" {
		target += "?" + c.kept("The query", e.Query)
	}
	return target
}

// partsOf cuts an entry's path at its id: what is before it, the id as a client means it, and what is behind it.
func partsOf(e *journal.Entry) (kind, id, rest string) {
	path := e.Path
	if trimmed := strings.TrimSuffix(path, "/"); trimmed != path {
		path, rest = trimmed, "/"
	}
	if e.Operation == "cancelVerificationRequest" {
		if trimmed, ok := strings.CutSuffix(path, "/cancel"); ok {
			path, rest = trimmed, "/cancel"+rest
		}
	}
	if i := strings.IndexByte(strings.TrimPrefix(path, "/"), '/'); i >= 0 && !strings.HasPrefix(path, "/credentials/") {
		return path[:i+2], path[i+2:], rest
	}
	return path, "", rest
}

// body returns the option with a request's body: what is not kept whole, or not text, is left to a file.
func (c *curl) body(b *journal.Body) string {
	text := string(b.JSON)
	if b.Text != nil {
		text = *b.Text
	}
	switch {
	case b.Truncated:
		c.unlike(fmt.Sprintf("Of the body, %s, only the beginning is kept: put the whole of it into a file named body.", bytesOf(b.Size)))
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		c.unlike("The body is no text that goes into a command: put it into a file named body.")
	default:
		return "--data-raw " + shellQuote(c.kept("The body", text))
	}
	return "--data-binary @body"
}

// What the journal puts in the place of social security numbers, and of keys and longer rows of digits.
var (
	maskedNumber = regexp.MustCompile(`\*\*\*-\*\*-([0-9]{4})`)
	masked       = regexp.MustCompile(`\*{3}|###|(?:%23){3}`)
)

// kept returns a part of the request as the journal has it, with a number in the place of a masked one that no person has,
// and says so.
func (c *curl) kept(part, text string) string {
	numbered := maskedNumber.ReplaceAllString(text, "000-00-$1")
	switch {
	case numbered != text:
		c.unlike(part + " had a social security number, of which the last four digits are kept: 000-00- stands before them, which is right for test people only.")
	case masked.MatchString(text):
		c.unlike(part + " had what the journal does not keep, such as a key or a long number: put it in the place of *** or ###.")
	}
	if len(text) > 1<<10 && strings.HasSuffix(text, "...") {
		c.unlike(part + " was longer, and only the beginning is kept.")
	}
	return numbered
}

// unlike says what is not as it was sent, once.
func (c *curl) unlike(what string) {
	if !slices.Contains(c.Unlike, what) {
		c.Unlike = append(c.Unlike, what)
	}
}

func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
