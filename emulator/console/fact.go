package console

import "github.com/understudy-sandbox/understudy/emulator/api"

// fact is something known of a resource, under the name that people have for it.
type fact struct {
	Name  string
	Value value
}

// value is what stands for something: a text, or for a null a dash and what the null means.
type value struct {
	Text   string
	Absent string // what a null means here; "" when there is a text
}

// said is a value that is never null. A text that is empty says so.
func said(text string) value {
	if text == "" {
		text = "(empty)"
	}
	return value{Text: text}
}

// or returns what show makes of a value that is there, else what its absence means.
func or[T any](v *T, absent string, show func(T) string) value {
	if v == nil {
		return value{Absent: absent}
	}
	return said(show(*v))
}

// itself shows what is fit to be read as it is.
func itself[T ~string](text T) string { return string(text) }

// amountOf writes a money amount (spec 2.1), which is null itself or has a null within.
func amountOf(m *api.MoneyAmount, absent string) value {
	if m == nil {
		return value{Absent: absent}
	}
	return or(m.Amount, absent, money)
}
