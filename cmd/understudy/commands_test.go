package main

import "testing"

func TestACommandIsMadeAloneByItsNameAndAllWhereNoneIsNamed(t *testing.T) {
	t.Parallel()
	all := commands()
	for _, c := range all {
		if made := commandsFor([]string{"understudy", c.name, "reset"}); len(made) != 1 || made[0].Name != c.name {
			t.Errorf("%s makes %v", c.name, made)
		}
	}
	for _, args := range [][]string{nil, {"understudy"}, {"understudy", "--help"}, {"understudy", "help", "serve"}, {"understudy", "serv"}} {
		if made := commandsFor(args); len(made) != len(all) {
			t.Errorf("%q makes %d commands of %d", args, len(made), len(all))
		}
	}
}
