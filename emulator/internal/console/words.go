package console

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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

// labelOf returns the label of a value of the API: "New employee" for "new-employee".
func labelOf[T ~string](word T) string {
	text, ok := labels[string(word)]
	if !ok {
		text = strings.NewReplacer("-", " ", "_", " ").Replace(string(word))
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// unitOfPay is the period of a salary's gross pay.
var unitOfPay = map[api.PayFrequency]string{
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

// day writes a date as 15 Jan 2025.
func day(d api.Date) string { return d.Time().Format("2 Jan 2006") }

func instant(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

type fact struct {
	Name  string
	Value value
}

// value is a text, or the meaning of a null.
type value struct {
	Text   string
	Absent string // "" when there is a text
}

func (v value) String() string { return cmp.Or(v.Absent, v.Text) }

// valueOf returns the text for a value of the API, or for a pointer to one; absent is the meaning of null.
func valueOf(v any, absent string) value {
	given := reflect.ValueOf(v)
	if given.Kind() == reflect.Pointer {
		given = given.Elem()
	}
	if !given.IsValid() {
		return value{Absent: absent}
	}
	text := ""
	switch v := given.Interface().(type) {
	case value:
		return v
	case api.MoneyAmount:
		return valueOf(v.Amount, absent)
	case api.IncomeVolatility:
		return valueOf((*string)(v.GrossIncomeVolatility), absent)
	case string:
		text = beginning(v)
	case bool:
		text = map[bool]string{true: "Yes", false: "No"}[v]
	case api.Date:
		text = day(v)
	case api.Datetime:
		text = instant(v.Time)
	case api.Decimal:
		text = money(v)
	default:
		text = labelOf(fmt.Sprint(v))
	}
	return value{Text: cmp.Or(text, "(empty)")}
}

// maxValue bounds the characters of a value in a page; the resource as JSON has all.
const maxValue = 1000

// beginning returns a text, or the beginning of a long one.
func beginning(text string) string {
	if runes := []rune(text); len(runes) > maxValue {
		return fmt.Sprintf("%s… (%d characters)", string(runes[:maxValue]), len(runes))
	}
	return text
}

// numberOf writes a number without trailing zeros; absent is the meaning of null.
func numberOf(d *api.Decimal, absent string) value {
	if d == nil {
		return value{Absent: absent}
	}
	return value{Text: plain(*d)}
}

// lasting writes a duration in its two largest units, such as 2 h 10 min, rounded down.
func lasting(d time.Duration) string {
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

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// money writes an amount with all of its decimals: $1,234.50. The API has US dollars only (spec section 8).
func money(amount api.Decimal) string {
	sign, digits, fraction := parts(amount)
	if strings.Contains(string(amount), ".") {
		fraction = "." + fraction
	}
	return sign + "$" + grouped(digits) + fraction
}

// plain writes a number without trailing zeros: 80 for 80.00, 86.67 for 86.67.
func plain(number api.Decimal) string {
	sign, digits, fraction := parts(number)
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		fraction = "." + fraction
	}
	return sign + grouped(digits) + fraction
}

// percent writes a ratio as a percentage: 28.41% for 0.2841.
func percent(ratio api.Decimal) string {
	sign, digits, fraction := parts(ratio)
	fraction += strings.Repeat("0", max(0, 2-len(fraction)))
	digits = cmp.Or(strings.TrimLeft(digits+fraction[:2], "0"), "0")
	return sign + plain(api.Decimal(digits+"."+fraction[2:])) + "%"
}

// minus is as wide as a digit.
const minus = "−"

func parts(number api.Decimal) (sign, digits, fraction string) {
	digits, fraction, _ = strings.Cut(string(number), ".")
	digits, negative := strings.CutPrefix(digits, "-")
	if negative {
		sign = minus
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

// age says how long ago something was, in the largest unit.
func age(span time.Duration) string {
	if span < time.Second {
		return "now"
	}
	number, unit, _ := strings.Cut(lasting(span), " ")
	unit, _, _ = strings.Cut(unit, " ")
	return number + " " + unit
}

// ago is age in a sentence.
func ago(span time.Duration) string {
	if span < time.Second {
		return "just now"
	}
	return age(span) + " ago"
}

func bytesOf(size int64) string {
	if size < 1<<10 {
		return strconv.FormatInt(size, 10) + " B"
	}
	return strconv.FormatFloat(float64(size)/(1<<10), 'f', 1, 64) + " kB"
}

// indented returns JSON with indentation, and other text unchanged.
func indented(text []byte) string {
	if value := jsontext.Value(slices.Clone(text)); value.Indent(jsontext.WithIndent("  ")) == nil {
		return string(value)
	}
	return string(text)
}

// expression compiles a pattern when it is needed first, so that no start pays for it.
func expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
