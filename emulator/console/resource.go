package console

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// document is a resource as the API shows it.
type document struct {
	Kind, ID string
	Title    string // of the JSON
	JSON     string // indented
}

// resource is the page of a resource that has no other.
func resource(kind, id string, value any) (answer, error) {
	text, err := indented(value)
	if err != nil {
		return nil, err
	}
	return page{name: "resource_json", title: id, data: document{kind, id, "As the API shows it", text}}, nil
}

// indented writes a value as JSON for people.
func indented(value any) (string, error) {
	text, err := api.Render(value)
	if err != nil {
		return "", err
	}
	shown := jsontext.Value(text)
	err = shown.Indent(jsontext.WithIndent("  "))
	return string(shown), err
}

func showVerification(x *exchange) (answer, error) {
	v, err := x.world.Inspect(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	return resource("Verification request", v.ID, v.Document)
}

func showQualification(x *exchange) (answer, error) {
	q, err := x.world.InspectQualification(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	return resource("Qualification check", q.ID, q)
}

func showTenantProperty(x *exchange) (answer, error) {
	p, err := x.world.TenantProperty(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	return resource("Tenant property", p.ID, p)
}

// showSession leads to the verification request that the session made.
func showSession(x *exchange) (answer, error) {
	v, err := x.world.Session(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	return seeOther(x.here("verification-requests", v.ID)), nil
}
