package api

import (
	"regexp"
	"strings"
)

// Rules of fields that their types cannot say, as the tag spec names them, several with commas between. There are two
// more: "not null", and "obfuscated" of social security numbers.
const (
	notBlank    = "not blank"    // as an update has it (spec 4.3)
	twoDecimals = "two decimals" // spec section 8
	aboveZero   = "above 0"      // spec section 8
	notNegative = "not negative" // hours and rent: spec 2.1, 2.3 and 2.7
)

var (
	withTwoDecimals = regexp.MustCompile(`^-?[0-9]+\.[0-9]{2}$`)
	withADigit      = regexp.MustCompile(`^[^-]*[1-9]`)
)

// Unfit says why a text cannot stand in a field of some rules, "" when it can.
func Unfit(rules, text string) string {
	for rule := range strings.SplitSeq(rules, ", ") {
		switch {
		case rule == notBlank && strings.TrimSpace(text) == "":
			return "may not be blank"
		case rule == twoDecimals && !withTwoDecimals.MatchString(text):
			return "must have two decimals, such as 49.95"
		case rule == aboveZero && !withADigit.MatchString(text):
			return "must be above 0"
		case rule == notNegative && strings.HasPrefix(text, "-"):
			return "may not be negative"
		}
	}
	return ""
}
