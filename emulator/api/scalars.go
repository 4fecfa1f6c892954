package api

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api/internal/mask"
)

// Decimal is a decimal number as a string, such as "1234.50" (spec 8).
type Decimal string

func (d *Decimal) UnmarshalText(text []byte) error {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(string(text), "-"), ".")
	padded := len(whole) > 1 && whole[0] == '0'
	if whole == "" || padded || point && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return errors.New("is not a decimal number such as 1234.50")
	}
	*d = Decimal(text)
	return nil
}

// Date is a calendar day, YYYY-MM-DD on the wire. Its number counts the days since 1970-01-01.
type Date int

const daySeconds = 24 * 60 * 60

// DateOf returns the UTC day of an instant.
func DateOf(t time.Time) Date { return Date(math.Floor(float64(t.Unix()) / daySeconds)) }

// NewDate returns a day. Values outside their ranges are normalized, as in [time.Date].
func NewDate(year int, month time.Month, day int) Date {
	return DateOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// parseDate reads YYYY-MM-DD. Its error does not repeat the text.
func parseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, errors.New("is not a date of the form YYYY-MM-DD")
	}
	return DateOf(t), nil
}

// Time returns the first instant of the day in UTC.
func (d Date) Time() time.Time { return time.Unix(int64(d)*daySeconds, 0).UTC() }

func (d Date) Weekday() time.Weekday { return d.Time().Weekday() }

func (d Date) Year() int { return d.Time().Year() }

func (d Date) String() string { return d.Time().Format(time.DateOnly) }

func (d Date) MarshalText() ([]byte, error) {
	text, _, _ := bytes.Cut(d.Time().AppendFormat(make([]byte, 0, len(time.RFC3339)), time.RFC3339), []byte("T")) // it is fast
	return text, nil
}

func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = parseDate(string(text))
	return err
}

// Datetime is an instant, on the wire ISO 8601 in UTC with six digits of a second, such as 2025-01-15T09:30:00.000000Z (spec 2).
type Datetime struct{ time.Time }

// DatetimeOf truncates an instant to the microsecond.
func DatetimeOf(t time.Time) Datetime { return Datetime{t.UTC().Truncate(time.Microsecond)} }

func (d Datetime) String() string { return d.UTC().Format("2006-01-02T15:04:05.000000Z") }

// MarshalJSON takes the place of the method of [time.Time], as UnmarshalJSON does.
func (d Datetime) MarshalJSON() ([]byte, error) { return []byte(`"` + d.String() + `"`), nil }

// UnmarshalJSON reads what UnmarshalText reads. It leaves the instant as it is for null.
func (d *Datetime) UnmarshalJSON(value []byte) error {
	if string(value) == "null" {
		return nil
	}
	return d.UnmarshalText(bytes.Trim(value, `"`))
}

// UnmarshalText reads an instant with any offset and at most six digits of a second.
func (d *Datetime) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	if year := t.UTC().Year(); err != nil || year < 0 || year > 9999 { // an offset may lead out of the years of four digits
		return errors.New("is not an instant such as 2025-01-15T09:30:00.000000Z")
	}
	if t.Nanosecond()%1000 != 0 {
		return errors.New("has more than six digits of a second, which the API does not show: cut it to " + DatetimeOf(t).String())
	}
	*d = DatetimeOf(t)
	return nil
}

// MoneyAmount is an amount of money (spec 2.1).
type MoneyAmount struct {
	Amount   *Decimal  `json:"amount" spec:"two decimals"` // two decimal places
	Currency *currency `json:"currency"`
}

// Dollars returns an amount in USD. It must have two decimals.
func Dollars(amount Decimal) MoneyAmount {
	return MoneyAmount{Amount: &amount, Currency: new(usd)}
}

// SSN is a social security number. Printing it shows the last four digits only. The zero value is no number.
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

// String returns the obfuscated number, ***-**-1234 (spec 2.2).
func (s SSN) String() string { return ObfuscatedSSN(s.LastFour()) }

// GoString hides the number from %#v.
func (s SSN) GoString() string { return s.String() }

// LastFour returns the last four digits, the only part that may be stored and shown.
func (s SSN) LastFour() string {
	if s.digits == "" {
		return ""
	}
	return s.digits[5:]
}

// Digits returns all nine digits. They may be compared and hashed, but never stored or shown.
func (s SSN) Digits() string { return s.digits }

// CouldBeReal returns a problem and its fix when the number could have been issued to a person, else "". Numbers with area
// 000, 666 or 900 to 999, with group 00 or with serial 0000 are never issued.
func (s SSN) CouldBeReal() string {
	if s.digits == "" {
		return ""
	}
	area, group, serial := s.digits[:3], s.digits[3:5], s.digits[5:]
	if area == "000" || area == "666" || area[0] == '9' || group == "00" || serial == "0000" {
		return ""
	}
	return "could have been issued to a person: use an area of 000, 666 or 900 to 999"
}

// ObfuscatedSSN returns the obfuscated form of a number with these last four digits (spec 2.2).
func ObfuscatedSSN(lastFour string) string { return mask.SSN(lastFour) }

// IsObfuscatedSSN reports whether a text is an obfuscated number.
func IsObfuscatedSSN(text string) bool {
	lastFour, ok := strings.CutPrefix(text, ObfuscatedSSN(""))
	return ok && len(lastFour) == 4 && strings.Trim(lastFour, "0123456789") == ""
}
