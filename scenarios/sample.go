package scenarios

import (
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Sample is a valid request that a scenario answers.
type Sample struct {
	api.Operation
	Target string // the path, with a magic value
	Body   string // "": none
}

// sampleBodies are valid bodies of the operations that need one. SSN stands for the magic value.
var sampleBodies = map[string]string{
	"cancelVerificationRequest": `{"cancellation_reason":"immediate"}`,
	"updateTenantProperty":      `{"name":"Quay House","city":"Oakland","state":"CA"}`,
	"createCredentialsSession": `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",` +
		`"target":{"first_name":"Ada","last_name":"Example","date_of_birth":"1985-04-12","social_security_number":"SSN"}}`,
}

// Samples returns a request of each operation that a magic value leads to, reads first: none of a global scenario.
func (s *Scenario) Samples() (all []Sample) {
	for _, m := range s.MagicValues() {
		resource, value := m.Kind, m.Value
		if m.Kind == SSN {
			resource = credentialsSession
		}
		if value == string(AnySSN) {
			value = "900-00-2468" // no scenario names it and no person has it
		}
		for _, verb := range verbs {
			for _, op := range api.Operations() {
				if verb.covers(op) && op.Resource == string(resource) {
					all = append(all, Sample{op, strings.Replace(op.Path, ":id", value, 1), strings.Replace(sampleBodies[op.Name], "SSN", value, 1)})
				}
			}
		}
	}
	return all
}
