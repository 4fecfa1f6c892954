package console

// notices are what pages say was done, by what ?done= names. Other texts are not shown.
var notices = map[string]string{
	"advanced":  "The clock was moved on.",
	"frozen":    "The clock stands now.",
	"running":   "The clock runs now.",
	"moved":     "The request was put into another state.",
	"canceled":  "The request was canceled.",
	"changed":   "The fields were changed.",
	"read":      "The request was read once.",
	"forgotten": "The world has forgotten the resource.",
	"created":   "The resource was made.",
	"fault":     "The fault is on.",
	"unfault":   "The fault is off.",
	"unfaults":  "All faults are off.",
	"reset":     "The world is as new.",
	"restored":  "The world is what the snapshot says.",
	"deleted":   "The world is forgotten.",
	"cleared":   "The journal is empty.",
	"waiting":   "The clock was not moved: nothing here waits for time to pass.",
}

// alerts are what pages say did not work, by what ?done= names.
var alerts = map[string]string{
	"stayed": "The clock was not moved: it goes on by a span such as 36h, to the year 9990 at most, and while it runs to 292 years from the machine's.",
}
