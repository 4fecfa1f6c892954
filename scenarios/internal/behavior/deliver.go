package behavior

import (
	"time"

	"github.com/understudy-sandbox/understudy/fixtures"
)

// deliver is what goes wrong when a webhook is delivered.
type deliver struct {
	Late   Duration `yaml:"late"`  // on the world's clock
	Manner manner   `yaml:",word"` // "" where the span says it
}

// usualLate is how late a webhook is by the word alone.
const usualLate = time.Hour

// longestLate is how late a webhook may be.
const longestLate = Duration(365 * 24 * time.Hour)

// manner is what goes wrong, as a word.
type manner string

// Manners are the words.
var Manners = struct{ Twice, Lost, Late, OutOfOrder, WrongToken, BeforeAnswer manner }{
	"twice", "lost", "late", "out-of-order", "wrong-token", "before-answer",
}

// manners are the words, each with what the description of a rule says.
var manners = []struct {
	word    manner
	inWords string
}{
	{Manners.Twice, "delivered twice"}, {Manners.Lost, "never delivered"}, {Manners.Late, ""},
	{Manners.OutOfOrder, "delivered after the next event"}, {Manners.WrongToken, "delivered with a wrong token"},
	{Manners.BeforeAnswer, "delivered before the answer"},
}

// Values lists the words.
func (manner) Values() (all []manner) {
	for _, m := range manners {
		all = append(all, m.word)
	}
	return all
}

// Delay returns how late the webhook is.
func (d deliver) Delay() time.Duration {
	if d.Manner == Manners.Late {
		return usualLate
	}
	return time.Duration(d.Late)
}

// String describes the delivery in words.
func (d deliver) String() string {
	for _, m := range manners {
		if m.word == d.Manner && m.inWords != "" {
			return m.inWords
		}
	}
	return "delivered " + Duration(d.Delay()).String() + " late"
}

// Validate lists the violations of the delivery.
func (d deliver) Validate() []fixtures.Violation {
	found := fixtures.Violations{}
	found.Require(d.Late > 0, "", "deliver takes a span of time: write deliver: {late: 2h}")
	found.Require(d.Late <= longestLate, "late", "must be 8760h at most")
	return found
}
