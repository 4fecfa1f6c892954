package scenarios

import (
	"net/http"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios/internal/behavior"
)

// Sample is a valid request that a scenario answers.
type Sample struct {
	api.Operation
	Magic  MagicValue
	Target string // the path, with the magic value
	Body   string // "": none
}

const samplePerson = `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",` +
	`"target":{"first_name":"Ada","last_name":"Example","date_of_birth":"1985-04-12","social_security_number":"SSN"}}`

// sampleBodies are valid bodies of the operations that need one. SSN stands for the magic value.
var sampleBodies = map[string]string{
	"cancelVerificationRequest": `{"cancellation_reason":"immediate"}`,
	"updateTenantProperty":      `{"name":"Quay House","city":"Oakland","state":"CA"}`,
	"createCredentialsSession":  samplePerson,
	"createVerification":        samplePerson,
}

// Samples returns a request of each operation that a magic value leads to, reads first: none of a global scenario. The extensions
// are left out unless they are served, and those whose body needs an id of the answers.
func (s *Scenario) Samples(extended bool) (all []Sample) {
	for _, m := range s.MagicValues() {
		value := m.Value
		if value == string(AnySSN) {
			value = "900-00-2468" // no scenario names it and no person has it
		}
		for _, verb := range behavior.Verbs {
			for _, op := range api.Operations() {
				body := strings.Replace(sampleBodies[op.Name], "SSN", value, 1)
				leads := string(m.Kind) == op.Resource && strings.Contains(op.Path, ":id") || m.Kind == SSN && op.Verb == "create"
				if !leads || !behavior.Covers(verb, op) || op.Extension && (!extended || op.Method != http.MethodGet && body == "") {
					continue
				}
				all = append(all, Sample{op, m, strings.Replace(op.Path, ":id", value, 1), body})
			}
		}
	}
	return all
}
