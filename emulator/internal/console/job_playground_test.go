package console_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// editor is the root of the playground's editor, in expressions.
const editor = `document.getElementById("editor").shadowRoot`

// writes replaces the text of the editor.
func (b *tab) writes(text string) {
	b.t.Helper()
	b.until(`document.getElementById("text")?.hidden`)
	value[int](b, editor+`.querySelector(".cm-content").focus() ?? 1`)
	run(b, chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	command(b, input.InsertText, input.InsertTextParams{Text: text})
}

// edits waits until an element of the editor says something.
func (b *tab) edits(selector, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`[...%s.querySelectorAll(%q)].some((e) => e.textContent.includes(%q))`, editor, selector, text))
}

// accepts chooses the offered completion. The editor takes Enter for one only when the list has been open for a moment.
func (b *tab) accepts() {
	b.t.Helper()
	value[bool](b, "delete window.listed")
	b.until(`(window.listed ??= performance.now()) < performance.now() - 100`)
	command(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{ // without the character that [chromedp.KeyEvent] adds
		Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13,
	})
}

// written returns the text of the editor.
func (b *tab) written() string { return value[string](b, `document.getElementById("text").value`) }

func TestBrowserPlayground(t *testing.T) {
	tabs{
		"keys of the page are text in the editor": func(t *testing.T, b *tab) {
			b.open(playground)
			b.writes("# ")
			run(b, chromedp.KeyEvent("a/b?"))
			b.until(`document.getElementById("text").value === "# a/b?"`)
			if value[bool](b, `document.getElementById("keys").open`) {
				t.Error("? shows the keys")
			}
		},
		// The job: write and try a scenario. Five clicks, beside the writing.
		"scenario is written, tried and saved": func(t *testing.T, b *tab) {
			b.open(prefix)
			run(b, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
				_, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(`.side-bar a[href$="playground"]`), chromedp.NodeVisible))
				return chromedp.Void{}, err
			})
			b.writes(strings.Replace(twoReads, "processing", "procesing", 1))
			b.reads("#problems", "1 error", "Line 7", "procesing")
			b.edits(".cm-lintRange-error", "procesing")
			b.press("Line 7")
			b.edits(".cm-marked", "procesing")
			b.writes(twoReads)
			b.reads("#problems", "No problems")
			b.until(`!` + editor + `.querySelector(".cm-lintRange-error")`)

			b.press("Read it")
			b.reads(".answers", "pending approval")
			b.press("Read it")
			b.counts(2, ".answers > li")
			b.reads(".trial [aria-current=step]", "processing")
			b.press("+1 h")
			b.reads(".trial [aria-current=step]", "completed")
			b.press("Cancel it")
			b.reads(".answers", "500")
			b.writes(strings.Replace(twoReads, "elapsed: 1h", "elapsed: 2h", 1)) // the steps run once more
			b.reads(".trial [aria-current=step]", "processing")
			b.reads(".answers .why", "line 10")
			b.press("line 10")
			b.edits(".cm-marked", "on: cancel")

			b.follow("Save into the world")
			b.reads("main", "vr_two_reads")
			b.ask("GET", "/verification-requests/vr_two_reads", "").shows(200).has(`"state":"pending-approval"`)
			b.open(playground)
			b.counts(0, "#drafts li") // it was saved
		},
		"keys and values are completed": func(t *testing.T, b *tab) {
			b.open(playground)
			b.writes(twoReads[:strings.Index(twoReads, "after")])
			run(b, chromedp.KeyEvent("a"))
			b.edits(".cm-tooltip-autocomplete li", "after")
			b.edits(".cm-completionInfo", "What leads from the step before")
			b.accepts()
			b.edits(".cm-tooltip-autocomplete li", "elapsed")
			run(b, chromedp.KeyEvent("el"))
			b.until(editor + `.querySelectorAll(".cm-tooltip-autocomplete li").length === 1`)
			b.accepts()
			if got := b.written(); !strings.HasSuffix(got, "{state: processing, after: {elapsed: }") {
				t.Error(got)
			}
			b.writes("rules:\n  - on: ")
			run(b, chromedp.KeyEvent("c"))
			b.edits(".cm-tooltip-autocomplete li", "cancel verification_request")
		},
		"keyboard: Tab goes on, Ctrl-Enter runs": func(t *testing.T, b *tab) {
			b.open(playground)
			b.writes(twoReads)
			run(b, chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
			b.reads(".trial h2", "Two reads")
			run(b, chromedp.KeyEvent("\t"))
			b.until(`document.activeElement.closest(".trial") !== null`)
			if got := b.written(); got != twoReads {
				t.Error(got)
			}
			value[int](b, `document.getElementById("add-read").focus() ?? 1`)
			run(b, chromedp.KeyEvent("\r"))
			b.counts(1, ".answers > li")
			b.until(`document.activeElement.id === "add-read"`) // it is there for the next read
		},
		"unsaved text is offered": func(t *testing.T, b *tab) {
			b.open(playground)
			b.writes(twoReads)
			b.open(playground + "?from=flaky")
			b.reads("#drafts", "Unsaved: two-reads")
			b.press("Restore")
			b.reads(".trial h2", "Two reads")
			b.counts(0, "#drafts li")
			b.open(playground)
			b.press("Discard")
			b.open(playground)
			b.counts(0, "#drafts li")
		},
		"several scenarios have tabs": func(t *testing.T, b *tab) {
			b.open(playground)
			b.writes(twoReads + "---\n" + bySession)
			b.press("by-session")
			b.reads(".trial", "SSN 000-00-7007")
			b.press("Create a session")
			b.reads(".answers", "201")
			b.press("Read it")
			b.reads(".trial [aria-current=step]", "processing")
		},
		"works without scripts": func(t *testing.T, b *tab) {
			b.withoutScript()
			b.open(playground)
			b.reads("main", "need scripts")
			b.follow("Check")
			b.reads("#problems", "No problems")
			b.follow("Read it")
			b.reads(".answers", "200")
		},
	}.run(t)
}
