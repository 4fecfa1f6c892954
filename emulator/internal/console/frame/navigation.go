package frame

import "slices"

// entrance is a page that the navigation leads to, and that a search finds.
type entrance struct {
	part       string // of the path below the console, or below a world
	OfWorld    bool
	Name, Icon string
	Bar        bool   // the bar of telephones has it; the others are behind its last button
	About      string // what is there
	Words      string // that people have for it, in lower case
}

// ResourceParts are the parts of the paths of resources, the most requested first.
var ResourceParts = []string{"verification-requests", "qualification-checks", "tenant-properties", "credentials-sessions"}

// Entrances are the pages that the navigation leads to, in its order.
var Entrances = []entrance{
	{"", false, "Home", "home", true, "Base URL, key and the last requests", "overview start unmatched curl code"},
	{"journal", true, "Requests", "requests", true, "What arrived in this world, and the answers", "journal log history"},
	{"", true, "Resources", "resources", true, "What this world has stored", "verification requests checks properties sessions"},
	{"compose", true, "Compose", "make", false, "Make a request, a check, a property or a scenario", "create new make form write editor yaml playground scenario file"},
	{"clock", true, "Clock", "clock", false, "Move, freeze or run this world's clock", "time freeze frozen advance wait date"},
	{"faults", true, "Faults", "fault", false, "Errors, delays and broken connections", "rules errors"},
	{"webhooks", true, "Webhooks", "resend", false, "Where this world's events go, and what was sent", "events deliveries subscriptions hooks"},
	{"snapshot", true, "Snapshots", "snapshot", false, "Save and restore this world", "backup export import restore download upload copy duplicate undo"},
	{"catalogue", false, "Catalogue", "catalogue", true, "All scenarios and their magic values", "scenarios"},
	{"worlds", false, "Worlds", "worlds", false, "One for each key", "keys tenants create new rename"},
}

// Link returns the path of the page, of a world where it is one of a world.
func (e entrance) Link(world string) string {
	switch {
	case !e.OfWorld:
		return Link(e.part)
	case e.part == "":
		return Link("worlds", world)
	}
	return Link("worlds", world, e.part)
}

// entranceLink is an entrance in the navigation of a page.
type entranceLink struct {
	entrance
	Link    string
	Current bool
	All     bool // it is in the part for all worlds
}

// Entrances are the pages that the navigation of a page leads to. Without a world there are none of a world.
func (v pageView) Entrances() (all []entranceLink) {
	part, ofWorld := v.Section, v.Section == "worlds" && v.World != nil
	if ofWorld {
		part = v.Part
		if slices.Contains(ResourceParts, part) {
			part = "" // below Resources
		}
	}
	world := ""
	if v.Nav != nil {
		world = v.Nav.ID
	}
	for _, e := range Entrances {
		link := e.Link(world)
		if !e.OfWorld && v.Carried != "" {
			link += "?world=" + v.Carried
		}
		if !e.OfWorld || v.Nav != nil {
			all = append(all, entranceLink{e, link, e.OfWorld == ofWorld && e.part == part, !e.OfWorld && e.part != ""})
		}
	}
	return all
}
