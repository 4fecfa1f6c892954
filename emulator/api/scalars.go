package api

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Decimal is a decimal number as the wire has it: a string such as "1234.50" (spec section 8).
type Decimal string

// UnmarshalText reads a decimal number.
func (d *Decimal) UnmarshalText(text []byte) error {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(string(text), "-"), ".")
	padded := len(whole) > 1 && whole[0] == '0'
	if whole == "" || padded || point && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return errors.New("is not a decimal number such as 1234.50")
	}
	*d = Decimal(text)
	return nil
}

// Date is a calendar day without time or zone, on the wire YYYY-MM-DD: the number of days since 1970-01-01.
type Date int

const daySeconds = 24 * 60 * 60

// DateOf returns the UTC day of an instant.
func DateOf(t time.Time) Date {
	seconds := t.Unix()
	day := seconds / daySeconds
	if seconds%daySeconds < 0 {
		day--
	}
	return Date(day)
}

// NewDate returns the day of the proleptic Gregorian calendar; a day past the month's end runs on, as in [time.Date].
func NewDate(year int, month time.Month, day int) Date {
	return DateOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// ParseDate reads YYYY-MM-DD. Its error does not repeat the text.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, fmt.Errorf("is not a date of the form YYYY-MM-DD")
	}
	return DateOf(t), nil
}

// Time returns the first instant of the day in UTC.
func (d Date) Time() time.Time { return time.Unix(int64(d)*daySeconds, 0).UTC() }

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return time.Weekday(((int(d)+4)%7 + 7) % 7) }

// Year returns the calendar year.
func (d Date) Year() int { return d.Time().Year() }

// String returns YYYY-MM-DD.
func (d Date) String() string { return d.Time().Format(time.DateOnly) }

// MarshalText writes YYYY-MM-DD.
func (d Date) MarshalText() ([]byte, error) {
	return d.Time().AppendFormat(make([]byte, 0, len(time.DateOnly)), time.DateOnly), nil
}

// UnmarshalText reads YYYY-MM-DD.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// Datetime is an instant, on the wire ISO 8601 in UTC with whole seconds, such as 2025-01-15T09:30:00Z.
type Datetime struct{ time.Time }

// DatetimeOf cuts an instant to the second, so that what was in order stays in order.
func DatetimeOf(t time.Time) Datetime { return Datetime{t.UTC().Truncate(time.Second)} }

// UnmarshalText reads an RFC 3339 instant.
func (d *Datetime) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return errors.New("is not an instant such as 2025-01-15T09:30:00Z")
	}
	*d = DatetimeOf(t)
	return nil
}

// MoneyAmount is an amount of money (spec 2.1, Money amount).
type MoneyAmount struct {
	Amount   *Decimal  `json:"amount" spec:"two decimals"` // two decimal places
	Currency *Currency `json:"currency"`
}

// Dollars returns an amount in USD; it has two decimals.
func Dollars(amount Decimal) MoneyAmount {
	return MoneyAmount{Amount: &amount, Currency: new(USD)}
}
