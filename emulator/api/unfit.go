package api

import (
	"regexp"
	"strings"
)

// Rules of fields that their types cannot say, as the tag spec names them. There are two more: "not null", and
// "obfuscated" of social security numbers.
const (
	notBlank    = "not blank"    // as an update has it (spec 4.3)
	twoDecimals = "two decimals" // spec section 8
	aboveZero   = "above 0"      // spec section 8
)

var (
	withTwoDecimals = regexp.MustCompile(`^-?[0-9]+\.[0-9]{2}$`)
	withADigit      = regexp.MustCompile(`^[^-]*[1-9]`)
)

// Unfit says why a text cannot stand in a field of a rule, "" when it can.
func Unfit(rule, text string) string {
	switch {
	case rule == notBlank && strings.TrimSpace(text) == "":
		return "may not be blank"
	case rule == twoDecimals && !withTwoDecimals.MatchString(text):
		return "must have two decimals, such as 49.95"
	case rule == aboveZero && !withADigit.MatchString(text):
		return "must be above 0"
	}
	return ""
}
