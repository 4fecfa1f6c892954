package emulator

import "github.com/understudy-sandbox/understudy/emulator/api"

// createCredentialsSession creates a session for a person, and the verification request that it leads to (spec 4.4).
func createCredentialsSession(c *call) (any, error) {
	in, notes, err := api.DecodeNewCredentialsSession(c.request)
	notes = append(notes, in.NoteAge(api.DateOf(c.world.Now()))...)
	if err := c.weigh(notes, err); err != nil {
		return nil, err
	}
	if err := c.knows(in.Target.SocialSecurityNumber); err != nil {
		return nil, err
	}
	return c.world.CreateSession(c.context, in)
}
