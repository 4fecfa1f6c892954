package console

// question is something that is asked before it is done.
type question struct {
	Title, What string
	Button      string
	Action      string // what the form posts to
	Back        string
}

func askReset(x *exchange) (answer, error) {
	return page{name: "confirm", title: "Reset", data: question{
		Title:  "Reset this world?",
		What:   "Its resources, clock, faults, counters, scenarios of its own and journal are forgotten: it will be as at first use of its key. This cannot be undone; a snapshot can be taken before.",
		Button: "Reset the world", Action: x.here("reset"), Back: x.here(),
	}}, nil
}

func askDelete(x *exchange) (answer, error) {
	return page{name: "confirm", title: "Delete", data: question{
		Title:  "Delete this world?",
		What:   "It is forgotten with all that is in it, as if its key had never been used. The next request with the key makes a new one. This cannot be undone.",
		Button: "Delete the world", Action: x.here("delete"), Back: x.here(),
	}}, nil
}

func askClear(x *exchange) (answer, error) {
	return page{name: "confirm", title: "Clear", data: question{
		Title:  "Clear this world's journal?",
		What:   "What was asked so far is forgotten, and with it what the control plane could verify of it; all else of the world stays. This cannot be undone; a snapshot can be taken before.",
		Button: "Clear the journal", Action: x.here("journal", "clear"), Back: x.here("journal"),
	}}, nil
}

// reset makes the world as new.
func reset(x *exchange) (answer, error) {
	if err := x.world.Reset(x.context()); err != nil {
		return nil, err
	}
	x.Journal.Renew(x.world.ID, x.world.Generation())
	return done(x.here(), "reset"), nil
}

// deleteWorld forgets the world.
func deleteWorld(x *exchange) (answer, error) {
	if err := x.Worlds.Delete(x.context(), x.world.ID); err != nil {
		return nil, err
	}
	x.Journal.Forget(x.world.ID)
	return done(link("worlds"), "deleted"), nil
}
