package scenarios

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios/internal/decode"
)

// Settings are what a world lets its clients do, and how it treats them. A zero field leaves it to others: see [Settings.Or].
// They are keys of a scenario file, too.
type Settings struct {
	Grease      Grease      `yaml:"grease" json:"grease,omitzero"`
	SessionFlow SessionFlow `yaml:"session_flow" json:"session_flow,omitzero"` // also of a scenario for a social security number
	Account     *Account    `yaml:"account" json:"account,omitzero"`
}

// Or returns the settings, with those of others for zero fields.
func (s Settings) Or(others Settings) Settings {
	return Settings{cmp.Or(s.Grease, others.Grease), cmp.Or(s.SessionFlow, others.SessionFlow), cmp.Or(s.Account, others.Account)}
}

// Grease is what changes in answers although no client may rely on it.
type Grease string

// GreaseValues also puts unknown words where an enumeration may grow.
const GreaseValues Grease = "values"

// Values lists the words.
func (Grease) Values() []Grease { return []Grease{"off", "on", GreaseValues} }

// SessionFlow says who uses the token of a credentials session: the emulator does at once (auto), or the client's user must
// (manual).
type SessionFlow string

// FlowManual leaves the token to the client's user.
const FlowManual SessionFlow = "manual"

// Values lists the words.
func (SessionFlow) Values() []SessionFlow { return []SessionFlow{"auto", FlowManual} }

// Account is what the client's account may do. A nil field allows everything.
type Account struct {
	Types               []api.VerificationType   `yaml:"types" json:"types,omitzero"`
	UseCases            []api.UseCase            `yaml:"use_cases" json:"use_cases,omitzero"`
	PermissiblePurposes []api.PermissiblePurpose `yaml:"permissible_purposes" json:"permissible_purposes,omitzero"`
	Reseller            *bool                    `yaml:"reseller" json:"reseller,omitzero"`
}

// Check returns the error of a session or request that the account may not create: 403 outside its types, use cases and purposes
// (spec 7), 400 for a reseller's party of a client that is none, or its lack (spec 4.4). It is an [*api.Error].
func (a *Account) Check(in api.NewCredentialsSession) error {
	if a == nil {
		return nil
	}
	refusals := []string{
		outside("type", in.Type, a.Types), outside("use_case", in.UseCase, a.UseCases),
		outside("permissible_purpose", in.PermissiblePurpose, a.PermissiblePurposes),
	}
	if refusals = slices.DeleteFunc(refusals, func(why string) bool { return why == "" }); len(refusals) > 0 {
		return api.NewError(403, strings.Join(refusals, "; "))
	}
	const party = "reseller_originating_party"
	switch given := in.ResellerOriginatingParty != nil; {
	case a.Reseller == nil || given == *a.Reseller:
		return nil
	case given:
		return api.Invalid(party + " is given, and this world's account is no reseller's: leave it out")
	default:
		return api.Invalid(party + " is missing, and this world's account is a reseller's: give it")
	}
}

// outside says that a word is none of those that an account may use; "" where it is one or left out, or all may be used.
func outside[E ~string](key string, word E, allowed []E) string {
	if allowed == nil || word == "" || slices.Contains(allowed, word) {
		return ""
	}
	return fmt.Sprintf("%s %s is not open to this world's account, which has %s", key, word, strings.Join(decode.Words(reflect.ValueOf(allowed)), ", "))
}

// Check returns an error for the first word that is none of its setting.
func (s Settings) Check() error {
	text, err := json.Marshal(s)
	if problems := Decode("settings", text, new(Settings)); problems.Errors() > 0 {
		return errors.New(problems[0].What)
	}
	return err
}
