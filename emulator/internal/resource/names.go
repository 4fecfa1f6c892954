package resource

import (
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Prefixes begin the names of stored resources, before their ids.
var Prefixes = map[scenarios.Kind]string{
	scenarios.VerificationRequestID: "vr/", scenarios.TenantPropertyID: "tp/", scenarios.QualificationCheckID: "qc/",
}

// Prefixes of the names under which a world stores the id of a session's verification request, by the session's id, and the
// session's id, by its token. A snapshot has neither.
const (
	SessionPrefix = "cs/"
	TokenPrefix   = "token/"
)

// KindOf returns the kind of the resource that has its stored state under a name, "" for another name.
func KindOf(name string) scenarios.Kind {
	for kind, prefix := range Prefixes {
		if strings.HasPrefix(name, prefix) {
			return kind
		}
	}
	return ""
}

// IsIndex reports whether a name is that of a value that Index returns.
func IsIndex(name string) bool {
	return strings.HasPrefix(name, SessionPrefix) || strings.HasPrefix(name, TokenPrefix)
}

// Index returns what a world stores beside the request, to find it by its session: nothing without one.
func (v *Request) Index() []stored.Value {
	if v.Session == nil {
		return nil
	}
	return []stored.Value{{Name: SessionPrefix + v.Session.ID, Bytes: []byte(v.id)}, {Name: TokenPrefix + v.Session.Token, Bytes: []byte(v.Session.ID)}}
}

// IndexOf is [Request.Index] of a stored value: nothing for one that is no verification request.
func IndexOf(value stored.Value) []stored.Value {
	id, ok := strings.CutPrefix(value.Name, Prefixes[scenarios.VerificationRequestID])
	if !ok {
		return nil
	}
	v, err := DecodeRequest(id, value.Bytes, true)
	if err != nil {
		return nil
	}
	return v.Index()
}
