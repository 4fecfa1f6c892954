package emulator

import (
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// WithStrict answers 400 to what is only diagnosed otherwise, as far as the spec requires it of every caller, and to a
// social security number that no scenario names. Default: not.
func WithStrict(strict bool) Option { return func(c *config) { c.strict = strict } }

// weigh takes what was found out about the request: an error, or notes, for some of which a strict emulator refuses it.
func (c *call) weigh(notes []api.Note, err error) error {
	var refused []string
	for _, note := range notes {
		if c.emulator.strict && note.Strict() && err == nil {
			refused = append(refused, note.Refusal())
		} else {
			c.note(note.String())
		}
	}
	if len(refused) > 0 {
		return api.Invalid("refused by --strict: " + strings.Join(refused, "; "))
	}
	return err
}

// knows refuses, when the emulator is strict, a number that no scenario names.
func (c *call) knows(ssn api.SSN) error {
	if !c.emulator.strict || c.world.Names(ssn) {
		return nil
	}
	return api.Invalid("refused by --strict: no scenario names target.social_security_number, which ends with " + ssn.LastFour())
}
