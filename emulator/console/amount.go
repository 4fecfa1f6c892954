package console

import (
	"math"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// minus is the sign that stands as wide as a digit.
const minus = "−"

// money writes an amount as people do, with all of its decimals: $1,234.50. The API knows US dollars only (spec section 8).
func money(amount api.Decimal) string {
	whole, fraction, point := strings.Cut(string(amount), ".")
	digits, negative := strings.CutPrefix(whole, "-")
	text := "$" + grouped(digits)
	if point {
		text += "." + fraction
	}
	if negative {
		text = minus + text
	}
	return text
}

// grouped separates the thousands of a row of digits.
func grouped(digits string) string {
	var b strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// plain writes a number without decimals that say nothing: 80.00 is 80, 86.67 stays.
func plain(number api.Decimal) string {
	whole, fraction, _ := strings.Cut(string(number), ".")
	digits, negative := strings.CutPrefix(whole, "-")
	text := grouped(digits)
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		text += "." + fraction
	}
	if negative {
		text = minus + text
	}
	return text
}

// percent writes a ratio in hundredths: 0.2841 is 28.41%.
func percent(ratio api.Decimal) string {
	whole, fraction, _ := strings.Cut(string(ratio), ".")
	digits, negative := strings.CutPrefix(whole, "-")
	fraction += strings.Repeat("0", max(0, 2-len(fraction)))
	digits, fraction = strings.TrimLeft(digits+fraction[:2], "0"), fraction[2:]
	if digits == "" {
		digits = "0"
	}
	text := plain(api.Decimal(digits + "." + fraction))
	if negative {
		text = minus + text
	}
	return text + "%"
}

// largest is how great a figure can be that is drawn: what is greater is no pay, and floats would not add up.
const largest = 1e12

// figure returns a decimal as a number that can be drawn. A null and what is too great cannot.
func figure(d *api.Decimal) (value float64, ok bool) {
	if d == nil {
		return 0, false
	}
	value, err := strconv.ParseFloat(string(*d), 64)
	return value, err == nil && math.Abs(value) <= largest
}
