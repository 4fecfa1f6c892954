package console

import (
	"fmt"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// payChart draws gross and net of each pay stub, the oldest first; nil when there is no figure to draw. A net stands
// narrow before its gross, so that either is seen whichever is the greater.
func payChart(id string, stubs []api.Paystub) *chart {
	var values []float64
	for _, stub := range stubs {
		for _, amount := range []*api.Decimal{stub.Gross, stub.Net} {
			if v, ok := figure(amount); ok {
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	s := scaleOf(values...)
	c := upright(id, "Gross and net per pay period", s)
	c.Legend = []legend{{"chart-gross", "Gross"}, {"chart-net", "Net"}}
	c.Description = describePay(stubs)
	var days []label
	for i, stub := range slices.Backward(stubs) {
		x, width := slot(len(stubs)-1-i, len(stubs))
		drawn := column{Title: fmt.Sprintf("%s: gross %s, net %s", dayOr(stub.PayDate, "no pay date"), moneyOr(stub.Gross, "null"), moneyOr(stub.Net, "null"))}
		if v, ok := figure(stub.Gross); ok {
			drawn.Bars = append(drawn.Bars, s.between(inset(x, width, 0.8), broad(width, 0.8), 0, v, "chart-gross"))
		}
		if v, ok := figure(stub.Net); ok {
			drawn.Bars = append(drawn.Bars, s.between(inset(x, width, 0.44), broad(width, 0.44), 0, v, "chart-net"))
		}
		c.Columns = append(c.Columns, drawn)
		if stub.PayDate != nil {
			days = append(days, label{X: x + width/2, Y: chartHeight - 8, Text: day(*stub.PayDate), Class: "chart-middle"})
		}
	}
	c.place(0, days)
	return &c
}

// broadest is how wide a bar becomes at most, so that a single pay stub is no wall.
const broadest = 56

// broad returns how wide a bar is that takes a part of its slot.
func broad(slot length, part length) length { return min(slot, broadest/0.8) * part }

// inset returns where such a bar begins, in the middle of the slot at x.
func inset(x, slot length, part length) length { return x + (slot-broad(slot, part))/2 }

func describePay(stubs []api.Paystub) string {
	newest, oldest := stubs[0], stubs[len(stubs)-1]
	text := fmt.Sprintf("The one pay stub, %s", dayOr(newest.PayDate, "without a pay date"))
	if len(stubs) > 1 {
		text = fmt.Sprintf("%d pay stubs from %s to %s", len(stubs), dayOr(oldest.PayDate, "an unknown day"), dayOr(newest.PayDate, "an unknown day"))
	}
	text += fmt.Sprintf("; the latest has gross %s and net %s.", moneyOr(newest.Gross, "null"), moneyOr(newest.Net, "null"))
	missing := 0
	for _, stub := range stubs {
		if stub.Gross == nil || stub.Net == nil {
			missing++
		}
	}
	if missing > 0 {
		text += fmt.Sprintf(" %s without gross or net.", count(missing, "pay stub is", "pay stubs are"))
	}
	return text + " All figures are in the table of pay stubs."
}
