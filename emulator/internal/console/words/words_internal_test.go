package words

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

func TestUnitOfPay(t *testing.T) {
	t.Parallel()
	for _, f := range api.PayFrequency("").Values() {
		if UnitOfPay[f] == "" {
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
		if m, p, h := Money(tt.amount), Plain(tt.amount), Percent(tt.amount); m != tt.money || p != tt.plain || h != tt.hundred {
			t.Errorf("%s is %s, %s and %s; want %s, %s and %s", tt.amount, m, p, h, tt.money, tt.plain, tt.hundred)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := fixtures.Cents(rapid.Int64().Draw(t, "cents")).Decimal()
		text := strings.NewReplacer("$", "", ",", "", Minus, "-").Replace(Money(amount))
		if text != string(amount) {
			t.Fatalf("%s is written %s", amount, Money(amount))
		}
	})
}

func TestLabels(t *testing.T) {
	t.Parallel()
	labels := map[string]api.StatusDetail{}
	for _, detail := range api.StatusDetail("").Values() {
		text := LabelOf(detail)
		if other := labels[text]; other != "" || strings.Contains(text, "_") || strings.ToUpper(text[:1]) != text[:1] {
			t.Errorf("%s has the label %q, as has %q", detail, text, other)
		}
		labels[text] = detail
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
		if got := Lasting(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	for span, want := range map[time.Duration]string{
		0: "just now", 68500 * time.Millisecond: "1 min ago", 26*time.Hour + time.Minute: "1 d ago",
	} {
		if got := Ago(span); got != want {
			t.Errorf("%s: %s, want %s", span, got, want)
		}
	}
}
