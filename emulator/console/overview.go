package console

import "strings"

// start is how a client is pointed at the emulator.
type start struct {
	BaseURL string // as the browser has it
	Unknown bool   // it is not known: BaseURL only stands for it
	Key     string
	Curl    string
}

// exampleKey is the name of the key that examples have.
const exampleKey = "console"

func (x *exchange) start() start {
	s := start{BaseURL: x.baseURL(), Unknown: x.Apart != nil && x.Apart.Addr == "", Key: x.Key(exampleKey)}
	s.Curl = "curl " + shellQuote(s.BaseURL+"/verification-requests/vr_completed") + " \\\n  -H " + shellQuote("Authorization: Bearer "+s.Key)
	return s
}

// shellQuote writes a text as one word of a POSIX shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// showOverview says what this is, how it is, and how a client is pointed here.
func showOverview(x *exchange) (answer, error) {
	config := x.Worlds.Config()
	about := struct {
		start
		Authority           bool
		Trouble             string // why it is not ready
		Store, Clock, Limit string
		Seed                uint64
		Scenarios, Journal  int
	}{
		start: x.start(), Authority: x.Authority,
		Store: config.Store.String(), Clock: config.Clock.String(), Limit: config.Limit.String(), Seed: config.Seed,
		Scenarios: config.Catalogue.Len(), Journal: x.Journal.Size(),
	}
	if err := x.Worlds.Ready(x.context()); err != nil {
		about.Trouble = "The store cannot be used: " + err.Error()
	}
	return page{name: "overview", title: "Overview", data: about}, nil
}
