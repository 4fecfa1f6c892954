package resources

import (
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// nextView is the next step of a verification request, and the form that makes it happen.
type nextView struct {
	Words string
	Do    string // action of the form; "": there is no next step
	Label string // of the button
	State api.State
	At    string // instant to move the clock to, in RFC 3339

	Action string // the address that the form posts to
}

// datesAhead adds the instants of stages that the clock alone reaches, from the next stage on.
func datesAhead(stages []world.Stage) []world.Stage {
	for i := 1; i < len(stages); i++ {
		before := stages[i-1]
		if before.Phase != world.Next && before.Phase != world.Ahead || before.At == nil {
			continue
		}
		if span := time.Duration(stages[i].After.Elapsed); span > 0 {
			stages[i].At = new(before.At.Add(span))
		}
	}
	return stages
}

// ViewNext returns what comes next of a verification request, and what it waits for.
func ViewNext(v world.Verification, following *world.Stage, now time.Time) nextView {
	state := v.Progress.State
	switch {
	case state.Terminal():
		return nextView{Words: fmt.Sprintf("It is final: nothing leaves %s (spec section 3).", state)}
	case v.Flow.Waiting:
		return nextView{Words: "It waits, without end, for a person to use the token of its session. Finish the session in place of that person on its page."}
	case following == nil:
		return nextView{Words: fmt.Sprintf("It stays %s: its scenario has no further step.", state)}
	case !v.Stored && !following.After.Manual:
		return nextView{Words: "Nothing has read it yet: the first read begins its timeline.", Do: "read", Label: "Read it once"}
	case following.After.Manual:
		return nextView{
			Words: fmt.Sprintf("It waits to be made %s by hand.", following.State),
			Do:    "move", Label: "Move it on to " + string(following.State), State: following.State,
		}
	case following.At != nil:
		return nextView{
			Words: fmt.Sprintf("It becomes %s in %s, at %s.", following.State, words.Lasting(following.At.Sub(now)), words.Instant(*following.At)),
			Do:    "advance", Label: "Advance the clock to then", At: following.At.Format(time.RFC3339Nano),
		}
	}
	text := fmt.Sprintf("The next read makes it %s.", following.State)
	if more := following.After.Reads - v.Cursor.Reads; more > 0 {
		text = fmt.Sprintf("%s %s; the one after makes it %s.", words.Count(more, "more read shows it", "more reads show it"), state, following.State)
	}
	return nextView{Words: text, Do: "read", Label: "Read it once"}
}
