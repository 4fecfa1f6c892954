package console

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

func TestAmountsAreWrittenAsPeopleDo(t *testing.T) {
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
		if got := money(tt.amount); got != tt.money {
			t.Errorf("money(%s) is %s, want %s", tt.amount, got, tt.money)
		}
		if got := plain(tt.amount); got != tt.plain {
			t.Errorf("plain(%s) is %s, want %s", tt.amount, got, tt.plain)
		}
		if got := percent(tt.amount); got != tt.hundred {
			t.Errorf("percent(%s) is %s, want %s", tt.amount, got, tt.hundred)
		}
	}
}

func TestMoneyLosesNothingOfAnAmount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := fixtures.Cents(rapid.Int64().Draw(t, "cents")).Decimal()
		text := strings.NewReplacer("$", "", ",", "", minus, "-").Replace(money(amount))
		if text != string(amount) {
			t.Fatalf("%s is written %s", amount, money(amount))
		}
	})
}

func TestEveryWordOfTheWireIsSpoken(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, detail := range api.StatusDetail("").Values() {
		text := labelOf(detail)
		if seen[text] || strings.ContainsAny(text, "_") || strings.ToUpper(text[:1]) != text[:1] {
			t.Errorf("%s is spoken %q", detail, text)
		}
		seen[text] = true
	}
	for _, frequency := range api.PayFrequency("").Values() {
		if unitOfPay[frequency] == "" {
			t.Errorf("no unit is named for %s", frequency)
		}
	}
}

func TestSpansHaveTheirTwoGreatestUnits(t *testing.T) {
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
