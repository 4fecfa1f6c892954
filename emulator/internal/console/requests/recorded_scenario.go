package requests

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// scenarioOf returns a scenario file whose magic value answers as a recorded request was answered. Without one, for what belongs to
// no resource, it answers all such requests of its world.
func scenarioOf(e *journal.Entry) (string, error) {
	body := e.Response()
	switch {
	case e.Kind == journal.KindWebhook || recorded.Operations[e.Operation].Rule == "":
		return "", api.Because(http.StatusConflict, "A scenario has answers of an operation, and this request has none")
	case e.Status == 0 && e.Fault == "":
		return "", api.Because(http.StatusConflict, "The client did not wait for the answer: send the request again for one that a scenario can have")
	case body != nil && body.Truncated && e.Fault == "":
		return "", api.Because(http.StatusConflict, fmt.Sprintf("Only the beginning of the answer, %s, is recorded: write a scenario with reports instead", words.BytesOf(body.Size)))
	}
	name := "recorded-" + strings.ToLower(e.ID[len(e.ID)-6:])
	on, of, _ := strings.Cut(recorded.Operations[e.Operation].Rule, " ")
	magic := fmt.Sprintf("magic: {%s: %s%s}\n", of, map[string]string{"verification_request": "vr_", "tenant_property": "tp_", "qualification_check": "qc_"}[of], strings.ReplaceAll(name, "-", "_"))
	if _, asked, _ := recorded.PartsOf(e); asked == "" {
		magic, on = "", recorded.Operations[e.Operation].Rule
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s was answered so.\nname: %s\ntitle: %s\n%srules:\n  - on: %s\n",
		e.Method, strings.Map(visible, recorded.TargetOf(e)), name, yamlText("As recorded: "+e.Outcome()), magic, on)
	if e.Fault != "" {
		fmt.Fprintf(&b, "    fault: %s\n", e.Fault)
		return b.String(), nil
	}
	fmt.Fprintf(&b, "    respond:\n      status: %d\n", e.Status)
	for _, h := range e.ResponseHeaders {
		switch {
		case h.Name == "Content-Type" && h.Value != "application/json":
			fmt.Fprintf(&b, "      content_type: %s\n", yamlText(h.Value))
		case h.Name == "Retry-After":
			fmt.Fprintf(&b, "      headers: {Retry-After: %s}\n", yamlText(h.Value))
		}
	}
	text, masked := "none", recorded.Snippet{}
	if body != nil {
		text = yamlText(masked.Recorded("The answer", recorded.RawBody(body)))
	}
	fmt.Fprintf(&b, "      body: %s\n", text)
	for _, difference := range masked.Unlike {
		fmt.Fprintf(&b, "# %s\n", difference)
	}
	return b.String(), nil
}

// yamlText quotes a text.
func yamlText(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.QuoteToASCII(text)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// visible replaces what ends a line.
func visible(r rune) rune {
	if !unicode.IsPrint(r) {
		return unicode.ReplacementChar
	}
	return r
}

// RecordedScenario returns the scenario of the request of ?entry=.
func RecordedScenario(x *frame.Exchange) (string, error) {
	e, _, err := entry(x, x.Value("entry"))
	if err != nil {
		return "", err
	}
	return scenarioOf(e)
}
