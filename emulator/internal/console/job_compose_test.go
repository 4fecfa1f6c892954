package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// editor is the root of the editor, in expressions.
const editor = `document.getElementById("editor").shadowRoot`

// writes replaces the text of the editor.
func (b *tab) writes(text string) {
	b.t.Helper()
	b.until(`document.getElementById("text")?.hidden || (document.getElementById("text")?.focus(), false)`)
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

// sets types into a field in place of what it has, and leaves it.
func (b *tab) sets(selector, text string) {
	b.t.Helper()
	value[int](b, fmt.Sprintf(`document.querySelector(%q).select() ?? 1`, selector))
	run(b, chromedp.KeyEvent(text+"\t"))
}

// written returns the text of the editor.
func (b *tab) written() string { return value[string](b, `document.getElementById("text").value`) }

var jobsOfText = []job{
	{"part-time with two employers", 3, func(_ *testing.T, c *clicks) {
		c.open(prefix)
		c.follow("Compose")
		c.done++
		c.fill(`.start select`, "Part-time with two")
		c.until(`document.getElementById("job-1-status")?.value === "part-time"`)
		c.follow("Create")
		c.reads(".notice", "Created.")
		c.reads("main", "2 reports")
	}},
	{"write and try a scenario", 3, func(_ *testing.T, c *clicks) {
		b := c.tab
		b.open(prefix)
		c.leads(`.side-bar a[href$="compose"]`)
		b.writes(strings.Replace(twoReads, "processing", "procesing", 1))
		b.reads("#problems", "1 error", "Line 7", "procesing")
		b.edits(".cm-lintRange-error", "procesing")
		b.press("Line 7")
		b.edits(".cm-marked", "procesing")
		b.writes(twoReads)
		b.reads("#problems", "No problems")
		b.until(`!` + editor + `.querySelector(".cm-lintRange-error")`)

		c.press("Read it")
		b.reads(".answers", "pending approval")
		b.press("Read it")
		b.counts(2, ".answers > li")
		b.reads(".drawn [aria-current=step]", "processing")
		value[int](b, `document.getElementById("add-hour").click() ?? 1`)
		b.reads(".drawn [aria-current=step]", "completed")
		b.press("Cancel it")
		b.reads(".answers", "500")
		b.writes(strings.Replace(twoReads, "elapsed: 1h", "elapsed: 2h", 1)) // the steps run once more
		b.reads(".drawn [aria-current=step]", "processing")
		b.reads(".answers .why", "line 10")
		b.press("line 10")
		b.edits(".cm-marked", "on: cancel")

		c.follow("Save as scenario")
		b.reads("main", "vr_two_reads")
		b.ask("GET", "/verification-requests/vr_two_reads", "").shows(200).has(`"state":"pending-approval"`)
		b.open(b.world + "/compose")
		b.counts(0, "#drafts li") // it was saved
	}},
	// From Home: Compose, the choice, the dates, Create.
	{"two jobs with a gap", 3, func(_ *testing.T, c *clicks) {
		b := c.tab
		b.open(prefix)
		c.follow("Compose")
		c.done++
		b.fill(`.start select`, "Two jobs")
		b.until(`document.readyState === "complete" && document.getElementById("job-1-until")?.value === "2020-08-31"`) // its scripts listen
		b.sets("#job-0-since", "2022-02-01")
		b.until(`document.getElementById("text").value.includes("hired: 2022-02-01")`)
		b.reads(".drawn .report", "1 Feb 2022")
		b.sets("#job-1-until", "2020-06-30")
		b.until(`document.getElementById("text").value.includes("terminated: 2020-06-30")`)
		b.sets("#job-0-pay", "much")
		b.reads("#sentences .field-error", "is not an amount")
		b.reads(".drawn .report", "1 Feb 2022") // the last good preview
		b.sets("#job-0-pay", "61000")
		b.counts(0, "#sentences .field-error")
		c.follow("Create")
		b.reads(".notice", "Created.")
		b.reads("main", "2 reports")
		b.follow("Open in Compose")
		b.until(`document.getElementById("job-1-until")?.value === "2020-06-30"`)
	}},
}

func TestBrowserCompose(t *testing.T) {
	tabs{
		"keys of the page are text in the editor": func(t *testing.T, b *tab) {
			b.open(b.world + "/compose")
			b.writes("# ")
			run(b, chromedp.KeyEvent("a/b?"))
			b.until(`document.getElementById("text").value === "# a/b?"`)
			if value[bool](b, `document.getElementById("keys").open`) {
				t.Error("? shows the keys")
			}
		},
		"keys and values are completed": func(t *testing.T, b *tab) {
			b.open(b.world + "/compose")
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
			b.open(b.world + "/compose")
			b.writes(twoReads)
			run(b, chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
			b.reads(".drawn h2", "Two reads")
			run(b, chromedp.KeyEvent("\t"))
			b.until(`document.activeElement.closest("#try") !== null`)
			if got := b.written(); got != twoReads {
				t.Error(got)
			}
			value[int](b, `document.getElementById("add-read").focus() ?? 1`)
			run(b, chromedp.KeyEvent("\r"))
			b.counts(1, ".answers > li")
			b.until(`document.activeElement.id === "add-read"`) // it is there for the next read
		},
		"unsaved text is offered": func(t *testing.T, b *tab) {
			b.open(b.world + "/compose")
			b.writes(twoReads)
			b.open(b.world + "/compose?from=flaky")
			b.reads("#drafts", "Unsaved: two-reads")
			b.press("Restore")
			b.reads(".drawn h2", "Two reads")
			b.counts(0, "#drafts li")
			b.open(b.world + "/compose")
			b.press("Discard")
			b.open(b.world + "/compose")
			b.counts(0, "#drafts li")
		},
		"several scenarios have tabs": func(t *testing.T, b *tab) {
			b.open(b.world + "/compose")
			b.writes(twoReads + "---\n" + bySession)
			b.press("by-session")
			b.reads(".drawn", "SSN 000-00-7007")
			b.press("Create a session")
			b.reads(".answers", "201")
			b.press("Read it")
			b.reads(".drawn [aria-current=step]", "processing")
		},
	}.run(t)
}
