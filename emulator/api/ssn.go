package api

import (
	"errors"
	"strings"
)

// SSN is a social security number. Printing it shows the last four digits only; the zero value is no number.
type SSN struct{ digits string }

var errSSN = errors.New("must be a social security number: nine digits, or 000-00-0000")

// ParseSSN reads nine digits or the dashed form. Its error does not repeat the text.
func ParseSSN(text string) (SSN, error) {
	if len(text) == 11 && text[3] == '-' && text[6] == '-' {
		text = text[:3] + text[4:6] + text[7:]
	}
	if len(text) != 9 || strings.Trim(text, "0123456789") != "" {
		return SSN{}, errSSN
	}
	return SSN{digits: text}, nil
}

// String obfuscates the number as the service does: ***-**-1234 (spec 2.2).
func (s SSN) String() string { return ObfuscatedSSN(s.LastFour()) }

// GoString keeps %#v from showing the number.
func (s SSN) GoString() string { return s.String() }

// LastFour returns the serial, the part that may be stored and shown.
func (s SSN) LastFour() string {
	if s.digits == "" {
		return ""
	}
	return s.digits[5:]
}

// Digits returns all nine digits: for matching and for deriving an identity, never for storing or showing.
func (s SSN) Digits() string { return s.digits }

// CouldBeRealSSN says what is wrong with a number that could be somebody's, and the mend.
const CouldBeRealSSN = "could have been issued to a person: use an area of 000, 666 or 900 to 999"

// CouldBeReal reports whether the number could have been issued to a person: its area is not 000, 666 or 900 to 999,
// its group not 00, its serial not 0000.
func (s SSN) CouldBeReal() bool {
	if s.digits == "" {
		return false
	}
	area, group, serial := s.digits[:3], s.digits[3:5], s.digits[5:]
	return area != "000" && area != "666" && area[0] != '9' && group != "00" && serial != "0000"
}

// ObfuscatedSSN writes a number of which only the last four digits are known (spec 2.2).
func ObfuscatedSSN(lastFour string) string { return "***-**-" + lastFour }

// IsObfuscatedSSN reports whether a text is what [ObfuscatedSSN] writes.
func IsObfuscatedSSN(text string) bool {
	lastFour, ok := strings.CutPrefix(text, ObfuscatedSSN(""))
	return ok && len(lastFour) == 4 && strings.Trim(lastFour, "0123456789") == ""
}
