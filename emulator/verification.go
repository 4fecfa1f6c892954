package emulator

import "github.com/understudy-sandbox/understudy/emulator/api"

// getVerificationRequest shows one verification request, whole or in part (spec 4.2).
func getVerificationRequest(c *call) (any, error) {
	query := c.query.read
	if err := c.weigh(c.query.notes, c.query.err); err != nil {
		return nil, err
	}
	body, err := c.world.VerificationRequest(c.context, c.resourceID(), query.IncomeAnalytics)
	if err != nil || query.Fields == nil {
		return body, err
	}
	return api.Select(body, query.Fields)
}

// cancelVerificationRequest ends a request that has not reached a terminal state (spec 4.1).
func cancelVerificationRequest(c *call) (any, error) {
	in, notes, err := api.DecodeCancellation(c.request)
	if err := c.weigh(notes, err); err != nil {
		return nil, err
	}
	return c.world.Cancel(c.context, c.resourceID(), in)
}
