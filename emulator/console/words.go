package console

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// spokenOf has the words of the wire that do not say by themselves what they mean (spec 2.1, 2.3).
var spokenOf = map[string]string{
	string(api.DetailLongTermDis):                 "long-term disability",
	string(api.DetailSeason):                      "seasonal",
	string(api.DetailLayOff):                      "laid off",
	string(api.DetailTempInactive):                "temporarily inactive",
	string(api.DetailNonEmpBen):                   "not an employee, has benefits",
	string(api.DetailNotAssignment):               "not on an assignment",
	string(api.DetailIntAssignment):               "on an assignment (int)",
	string(api.DetailNotPayroll):                  "not on the payroll",
	string(api.DetailFurloughedCovid):             "furloughed because of COVID-19",
	string(api.DetailNonEmployee):                 "no record of the employee found",
	string(api.EmploymentContractor1099):          "contractor (1099)",
	string(api.TypeEmploymentIncome):              "employment and income",
	string(api.PurposeEmployeeReviewOrCollection): "review or collection of the target's account",
	string(api.USFEIN):                            "FEIN",
}

// spoken says a word of the wire as people do: "new-employee" is "New employee".
func spoken[T ~string](word T) string {
	text, ok := spokenOf[string(word)]
	if !ok {
		text = strings.NewReplacer("-", " ", "_", " ").Replace(string(word))
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// unitOfPay says for what a salary's gross pay is paid (data rules, pay).
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

// dayOr writes a date, or what is said of a null.
func dayOr(d *api.Date, absent string) string {
	if d == nil {
		return absent
	}
	return day(*d)
}

// moneyOr writes an amount, or what is said of a null.
func moneyOr(amount *api.Decimal, absent string) string {
	if amount == nil {
		return absent
	}
	return money(*amount)
}

// lasting writes a length of time in its two greatest units, such as 2 h 10 min; what is left of less is not counted.
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
		if i+1 < len(units) {
			if rest := d % unit.long / units[i+1].long; rest > 0 {
				text += fmt.Sprintf(" %d %s", rest, units[i+1].name)
			}
		}
		return text
	}
	return "less than a second"
}

// count says how many there are of something.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// yesNo says a truth.
func yesNo(is bool) string {
	if is {
		return "Yes"
	}
	return "No"
}
