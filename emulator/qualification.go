package emulator

// getQualificationCheck shows the result of one qualification check (spec 4.5).
func getQualificationCheck(c *call) (any, error) {
	return c.world.QualificationCheck(c.context, c.resourceID())
}
