package console

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/fixtures"
)

func TestUnitOfPay(t *testing.T) {
	t.Parallel()
	for _, f := range api.PayFrequency("").Values() {
		if unitOfPay[f] == "" {
			t.Errorf("%s has no words", f)
		}
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		amount                api.Decimal
		money, plain, hundred string
	}{
		{"0.00", "$0.00", "0", "0%"},
		{"1234.50", "$1,234.50", "1,234.5", "123,450%"},
		{"-1234567.89", "−$1,234,567.89", "−1,234,567.89", "−123,456,789%"},
		{"80.00", "$80.00", "80", "8,000%"},
		{"0.2841", "$0.2841", "0.2841", "28.41%"},
		{"0.3", "$0.3", "0.3", "30%"},
		{"7", "$7", "7", "700%"},
		{"123", "$123", "123", "12,300%"},
	} {
		if m, p, h := money(tt.amount), plain(tt.amount), percent(tt.amount); m != tt.money || p != tt.plain || h != tt.hundred {
			t.Errorf("%s is %s, %s and %s; want %s, %s and %s", tt.amount, m, p, h, tt.money, tt.plain, tt.hundred)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := fixtures.Cents(rapid.Int64().Draw(t, "cents")).Decimal()
		text := strings.NewReplacer("$", "", ",", "", minus, "-").Replace(money(amount))
		if text != string(amount) {
			t.Fatalf("%s is written %s", amount, money(amount))
		}
	})
}

func TestLabels(t *testing.T) {
	t.Parallel()
	labels := map[string]api.StatusDetail{}
	for _, detail := range api.StatusDetail("").Values() {
		text := labelOf(detail)
		if other := labels[text]; other != "" || strings.Contains(text, "_") || strings.ToUpper(text[:1]) != text[:1] {
			t.Errorf("%s has the label %q, as has %q", detail, text, other)
		}
		labels[text] = detail
	}
	for _, frequency := range api.PayFrequency("").Values() {
		if unitOfPay[frequency] == "" {
			t.Errorf("no unit is named for %s", frequency)
		}
	}
}

func TestLasting(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		2*time.Hour + 10*time.Minute + 5*time.Second: "2 h 10 min",
		time.Hour + 5*time.Second:                    "1 h",
		49 * time.Hour:                               "2 d 1 h",
		90 * time.Second:                             "1 min 30 s",
		time.Millisecond:                             "less than a second",
	} {
		if got := lasting(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}

func TestHighlightYAML(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\n", "# only a comment\n", "a: 1\nb: [x, 'y', \"z\", null, true, 1.5]\n", "text: |\n  two\n  lines\nmore: >-\n  folded\n",
		"- &anchor {a: b}\n- *anchor\n- !tag x\n", "key: \"ünïcödé\"\n", "a:\n\n\n  b: c   # after\n", "{", "a: 'b", "\t\x00", "a: b\r\nc: d\r\n",
	} {
		var whole strings.Builder
		for _, s := range highlightYAML(text) {
			whole.WriteString(s.Text)
		}
		if got := whole.String(); strings.TrimRight(got, "\n") != strings.TrimRight(text, "\n") {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// The journal page explains every refused or damaged answer.
func TestReason(t *testing.T) {
	t.Parallel()
	const version = "no version was asked for: send Accept: application/json; version=2019-10-15"
	for name, tt := range map[string]struct {
		entry           journal.Entry
		sentence, brief string
		also            int
	}{
		"a refusal says its cause": {
			journal.Entry{Status: 400, Diagnosis: []string{`no verification request is "x": did you mean y?`, version}},
			`No verification request is "x": did you mean y?`, `no verification request is "x": did you mean y?`, 1,
		},
		"a refusal without a cause ignores findings": {
			journal.Entry{Status: 400, Diagnosis: []string{version}},
			"The request was refused.", "the request was refused", 1,
		},
		"a fault without its scenario": {
			journal.Entry{Fault: "empty", Scenario: "fault-empty", Rule: "incidents.yaml:26:5", Diagnosis: []string{version}},
			"Empty by the scenario fault-empty.", "empty by the scenario fault-empty", 1,
		},
		"a fault that is gone": {
			journal.Entry{Status: 200, Fault: "truncated", Scenario: "fault-1", Rule: "fault-1:1:1"},
			"Truncated, your fault fault-1, which is gone.", "truncated, your fault fault-1, which is gone", 0,
		},
		"a client that left": {
			journal.Entry{Diagnosis: []string{"the client did not wait for the answer", version}},
			"The client did not wait for the answer.", "the client did not wait for the answer", 1,
		},
		"a plain answer has short findings": {
			journal.Entry{Status: 200, Scenario: "completed", Diagnosis: []string{version}},
			"The resource answered, as the scenario completed has it.", "", 1,
		},
		"findings come before the version": {
			journal.Entry{Status: 200, Diagnosis: []string{version, `unknown key "x" was ignored`}},
			"The resource answered.", `unknown key "x" was ignored`, 2,
		},
		"a plain answer without findings": {journal.Entry{Status: 200}, "The resource answered.", "", 0},
		"an empty finding is left out":    {journal.Entry{Status: 400, Diagnosis: []string{""}}, "The request was refused.", "the request was refused", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := causes{}.reason(&tt.entry)
			if w.Sentence() != tt.sentence || w.brief() != tt.brief || len(w.Also) != tt.also {
				t.Errorf("%s | %s | %q", w.Sentence(), w.brief(), w.Also)
			}
		})
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	for span, want := range map[time.Duration]string{
		0: "just now", 68500 * time.Millisecond: "1 min ago", 26*time.Hour + time.Minute: "1 d ago",
	} {
		if got := ago(span); got != want {
			t.Errorf("%s: %s, want %s", span, got, want)
		}
	}
}
