package recorded

import (
	_ "embed"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode"
	"unicode/utf16"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Snippet is a request that pages/part_snippets.html shows as code.
type Snippet struct {
	ID      string // of its element, so that a page can have several
	Method  string
	Base    string // the address of the API, which begins URL
	URL     string
	Key     string           // the sandbox key; the page puts the user's in its place
	Headers []journal.Header // without Authorization
	Body    string
	File    bool     // the body comes from a file named body
	Unlike  []string // how it differs from the request that was recorded
	Status  int      // of the recorded answer, which a test expects; 0: it is shown as no test
	Fault   string   // the rule that made it, as JSON; "": none
	Test    bool     // it is written as a test
}

// SnippetFor returns a request of the emulated API. A body is JSON.
func SnippetFor(x *frame.Exchange, id, method, path, body string, headers ...journal.Header) Snippet {
	if body != "" {
		headers = append(headers, journal.Header{Name: "Content-Type", Value: "application/json"})
	}
	return Snippet{ID: id, Method: method, Base: x.BaseURL(), URL: x.BaseURL() + path, Key: x.Key("YOUR-KEY"), Headers: headers, Body: body}
}

// code is a request in one language.
type code struct {
	Language string   // as people write it
	Lexer    string   // its template; a test's has -test behind it
	How      string   // what runs it
	Parts    []string // of the code; the key stands between them
}

// languages are the languages of code, in the order of their tabs.
var languages = []code{
	{Language: "curl", Lexer: "curl", How: "in a shell"},
	{Language: "Go", Lexer: "go", How: "net/http: go run main.go"},
	{Language: "Python", Lexer: "python", How: "pip install requests"},
	{Language: "Node", Lexer: "node", How: "18 or later, as request.mjs"},
	{Language: "Java", Lexer: "java", How: "11 or later: java Request.java"},
	{Language: "go test", Lexer: "go-test", How: "with emulatortest, as request_test.go"},
	{Language: "pytest", Lexer: "python-test", How: "with the kit and requests, as test_request.py"},
	{Language: "node:test", Lexer: "node-test", How: "with the kit, as request.test.mjs or .ts"},
	{Language: "JUnit", Lexer: "java-test", How: "with the kit, as RequestTest.java"},
}

//go:embed snippets.tmpl
var snippetFile string

// snippetTemplates write a snippet in each language, by its lexer.
var snippetTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"q": strconv.Quote, "sh": shellQuote, "raw": goQuote, "latin": latin,
		"python": func(text, quotes string) string {
			return quote(text, quotes, func(r rune) string { return fmt.Sprintf(`\U%08x`, r) })
		},
		"node": func(text, quotes string) string {
			return quote(text, quotes, func(r rune) string { return fmt.Sprintf(`\u{%x}`, r) })
		},
		"java": func(text, quotes string) string { return quote(text, quotes, escapeJava) },
	}).Parse(snippetFile))
})

// Codes returns the request in all languages, and as a test in those of the kits.
func (s Snippet) Codes() (codes []code) {
	for _, c := range languages {
		var text strings.Builder
		var language string
		if language, s.Test = strings.CutSuffix(c.Lexer, "-test"); s.Test && s.Status == 0 {
			continue
		}
		if err := snippetTemplates().ExecuteTemplate(&text, language, s); err != nil {
			panic(err) // a mistake in a template
		}
		c.Parts = strings.Split(text.String(), s.Key)
		codes = append(codes, c)
	}
	return codes
}

// Address returns the URL as code, in a test after an expression for the address of the test's world.
func (s Snippet) Address(world string) string {
	if s.Test {
		return world + strconv.Quote(strings.TrimPrefix(s.URL, s.Base))
	}
	return strconv.Quote(s.URL)
}

// Bearer returns the header with the key as code, in a test before an expression for the key of the test's world.
func (s Snippet) Bearer(key string) string {
	if s.Test {
		return `"Bearer "` + key
	}
	return strconv.Quote("Bearer " + s.Key)
}

// Joined returns the headers, each name once: a dictionary has it once.
func (s Snippet) Joined() (joined []journal.Header) {
	for _, h := range s.Headers {
		if i := slices.IndexFunc(joined, func(one journal.Header) bool { return one.Name == h.Name }); i >= 0 {
			joined[i].Value += ", " + h.Value
		} else {
			joined = append(joined, h)
		}
	}
	return joined
}

// Typed reports whether the request states the type of its body. Where it does not, no client may state its own.
func (s Snippet) Typed() bool {
	return slices.ContainsFunc(s.Headers, func(h journal.Header) bool { return h.Name == "Content-Type" })
}

// Bodied reports whether the request has a body.
func (s Snippet) Bodied() bool { return s.Body != "" || s.File }

// Long reports whether the body has several lines.
func (s Snippet) Long() bool { return strings.Contains(s.Body, "\n") }

// Dotted reports whether the path has steps that curl would follow.
func (s Snippet) Dotted() bool {
	return strings.Contains(s.URL+"/", "/./") || strings.Contains(s.URL+"/", "/../")
}

func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// goQuote quotes a text, raw where it stays readable so.
func goQuote(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r == '`' || r != '\n' && !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}

// escapeJava escapes in octal what \u would make a line's end of.
func escapeJava(r rune) (text string) {
	if r < 0x80 {
		return fmt.Sprintf(`\%03o`, r)
	}
	for _, unit := range utf16.Encode([]rune{r}) {
		text += fmt.Sprintf(`\u%04x`, unit)
	}
	return text
}

// quote quotes a text as Python, JavaScript and Java do, and escapes what cannot be seen. Between marks that may span
// lines a line's end stays.
func quote(text, quotes string, escape func(rune) string) string {
	var b strings.Builder
	b.WriteString(quotes)
	for _, r := range text {
		switch {
		case r == '\n' && (len(quotes) == 3 || quotes == "`"):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\\' || r == rune(quotes[0]) || r == '$' && quotes == "`":
			b.WriteString(`\` + string(r))
		case r >= 0x80 && quotes == `"` || !unicode.IsPrint(r):
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + quotes
}

// latin returns the bytes of a header as characters, as clients of other languages have them.
func latin(header string) string {
	var b strings.Builder
	for i := range len(header) {
		b.WriteRune(rune(header[i]))
	}
	return b.String()
}

// address escapes what an address cannot have, which some clients refuse and others escape.
func address(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		_, err := url.PathUnescape(text[i:min(i+3, len(text))])
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~!$&()*+,;=:@/?", c) >= 0, c == '%' && err == nil:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
