package scenarios

import "reflect"

// Global reports whether the rules of the scenario apply to every call.
func (s *Scenario) Global() bool { return s.Magic.global() }

// DescriptionOf returns the description of a key with its example, "" for keys that are not of the language.
func DescriptionOf(owner reflect.Type, key string) string {
	form := formOf(owner, key)
	if form == "" {
		return ""
	}
	return keyDocs()[owner.Name()+"."+key].text + " Example: " + form
}

// WordOf returns the type of the words that may stand for a structure, nil for none.
func WordOf(structure reflect.Type) reflect.Type {
	if structure == reflect.TypeFor[deliver]() {
		return reflect.TypeFor[manner]()
	}
	return nil
}
