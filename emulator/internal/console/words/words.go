// Package words writes values as people read them: spans, amounts, sizes, and what a null means.
package words

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// labels explains values of the API that are not clear by themselves (spec 2.1, 2.3, 2.7).
var labels = map[string]string{
	"long-term-dis":                      "long-term disability",
	string(api.DetailSeason):             "seasonal",
	"lay-off":                            "laid off",
	string(api.DetailTempInactive):       "temporarily inactive",
	"non-emp-ben":                        "not an employee, has benefits",
	"not-assignment":                     "not on an assignment",
	"int-assignment":                     "on an assignment (int)",
	"not-payroll":                        "not on the payroll",
	string(api.DetailFurloughedCovid):    "furloughed because of COVID-19",
	string(api.DetailNonEmployee):        "no record of the employee found",
	string(api.EmploymentContractor1099): "contractor (1099)",
	string(api.TypeEmploymentIncome):     "employment and income",
	"employee-review-or-collection":      "review or collection of the target's account",
	string(api.USFEIN):                   "FEIN",
	string(api.FidelitySource):           "provided directly by the source",
	string(api.FidelityEstimate):         "estimated from source data",
}

// LabelOf returns the label of a value of the API: "New employee" for "new-employee".
func LabelOf[T ~string](word T) string {
	text, ok := labels[string(word)]
	if !ok {
		text = strings.NewReplacer("-", " ", "_", " ").Replace(string(word))
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// UnitOfPay is the period of a salary's gross pay.
var UnitOfPay = map[api.PayFrequency]string{
	api.PayAnnually:        "a year",
	api.PaySemiannually:    "every six months",
	api.PayQuarterly:       "a quarter",
	api.PayBimonthly:       "every two months",
	api.PayMonthly:         "a month",
	api.PayThirteenMonthly: "13 times a year",
	api.PayFourteenMonth:   "14 times a year",
	api.PaySemimonthly:     "twice a month",
	api.PayBiweekly:        "every two weeks",
	api.PayWeekly:          "a week",
	api.PaySemiweekly:      "twice a week",
	api.PayDaily:           "a day",
	api.PayHourly:          "an hour",
	api.PayVariable:        "a pay period, varying",
}

// Day writes a date as 15 Jan 2025.
func Day(d api.Date) string { return d.Time().Format("2 Jan 2006") }

// Instant writes an instant as 15 Jan 2025, 09:00:00 UTC.
func Instant(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

// Datetime is how a browser writes an instant in a form, in UTC.
const Datetime = "2006-01-02T15:04:05"

// ReadInstant reads an instant that a browser or a client of the API has written.
func ReadInstant(text string) (at time.Time, err error) {
	for _, form := range []string{Datetime, "2006-01-02T15:04", time.RFC3339Nano} {
		if at, err = time.Parse(form, text); err == nil {
			break
		}
	}
	return at, err
}

// Fact is a value with its name.
type Fact struct {
	Name  string
	Value Value
}

// Value is a text, or the meaning of a null.
type Value struct {
	Text   string
	Absent string // "" when there is a text
}

func (v Value) String() string { return cmp.Or(v.Absent, v.Text) }

// ValueOf returns the text for a value of the API, or for a pointer to one; absent is the meaning of null.
func ValueOf(v any, absent string) Value {
	given := reflect.ValueOf(v)
	if given.Kind() == reflect.Pointer {
		given = given.Elem()
	}
	if !given.IsValid() {
		return Value{Absent: absent}
	}
	text := ""
	switch v := given.Interface().(type) {
	case Value:
		return v
	case api.MoneyAmount:
		return ValueOf(v.Amount, absent)
	case api.IncomeVolatility:
		return ValueOf((*string)(v.GrossIncomeVolatility), absent)
	case string:
		text = Beginning(v)
	case bool:
		text = map[bool]string{true: "Yes", false: "No"}[v]
	case api.Date:
		text = Day(v)
	case api.Datetime:
		text = Instant(v.Time)
	case api.Decimal:
		text = Money(v)
	default:
		text = LabelOf(fmt.Sprint(v))
	}
	return Value{Text: cmp.Or(text, "(empty)")}
}

// maxValue bounds the characters of a value in a page; the resource as JSON has all.
const maxValue = 1000

// Beginning returns a text, or the beginning of a long one.
func Beginning(text string) string {
	if runes := []rune(text); len(runes) > maxValue {
		return fmt.Sprintf("%s… (%d characters)", string(runes[:maxValue]), len(runes))
	}
	return text
}

// NumberOf writes a number without trailing zeros; absent is the meaning of null.
func NumberOf(d *api.Decimal, absent string) Value {
	if d == nil {
		return Value{Absent: absent}
	}
	return Value{Text: Plain(*d)}
}

// Lasting writes a duration in its two largest units, such as 2 h 10 min, rounded down.
func Lasting(d time.Duration) string {
	units := []struct {
		name string
		long time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}}
	for i, unit := range units {
		if d < unit.long {
			continue
		}
		text := fmt.Sprintf("%d %s", d/unit.long, unit.name)
		if i+1 < len(units) && d%unit.long >= units[i+1].long {
			text += fmt.Sprintf(" %d %s", d%unit.long/units[i+1].long, units[i+1].name)
		}
		return text
	}
	return "less than a second"
}

// Count writes a number with the noun for one or for many.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Money writes an amount with all of its decimals: $1,234.50. The API has US dollars only (spec section 8).
func Money(amount api.Decimal) string {
	sign, digits, fraction := parts(amount)
	if strings.Contains(string(amount), ".") {
		fraction = "." + fraction
	}
	return sign + "$" + grouped(digits) + fraction
}

// Plain writes a number without trailing zeros: 80 for 80.00, 86.67 for 86.67.
func Plain(number api.Decimal) string {
	sign, digits, fraction := parts(number)
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		fraction = "." + fraction
	}
	return sign + grouped(digits) + fraction
}

// Percent writes a ratio as a percentage: 28.41% for 0.2841.
func Percent(ratio api.Decimal) string {
	sign, digits, fraction := parts(ratio)
	fraction += strings.Repeat("0", max(0, 2-len(fraction)))
	digits = cmp.Or(strings.TrimLeft(digits+fraction[:2], "0"), "0")
	return sign + Plain(api.Decimal(digits+"."+fraction[2:])) + "%"
}

// Minus is as wide as a digit.
const Minus = "−"

func parts(number api.Decimal) (sign, digits, fraction string) {
	digits, fraction, _ = strings.Cut(string(number), ".")
	digits, negative := strings.CutPrefix(digits, "-")
	if negative {
		sign = Minus
	}
	return sign, digits, fraction
}

// grouped separates the thousands of digits.
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

// Age says how long ago something was, in the largest unit.
func Age(span time.Duration) string {
	if span < time.Second {
		return "now"
	}
	number, unit, _ := strings.Cut(Lasting(span), " ")
	unit, _, _ = strings.Cut(unit, " ")
	return number + " " + unit
}

// Ago is age in a sentence.
func Ago(span time.Duration) string {
	if span < time.Second {
		return "just now"
	}
	return Age(span) + " ago"
}

// BytesOf writes a size in B or kB.
func BytesOf(size int64) string {
	if size < 1<<10 {
		return strconv.FormatInt(size, 10) + " B"
	}
	return strconv.FormatFloat(float64(size)/(1<<10), 'f', 1, 64) + " kB"
}

// Expression compiles a pattern when it is needed first, so that no start pays for it.
func Expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
