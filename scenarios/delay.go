package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/understudy-sandbox/understudy/fixtures"
)

// Delay is how long an answer is held back, in real time and not on the world's clock: exactly one of three.
type Delay struct {
	Fixed     Duration   `yaml:"fixed"`     // always as long
	Between   []Duration `yaml:"between"`   // the least and the greatest, all as likely
	LogNormal *LogNormal `yaml:"lognormal"` // as latencies are: mostly short, now and then long

	At Position `yaml:"-"`
}

// LogNormal is a distribution of which half lies below the median.
type LogNormal struct {
	Median Duration `yaml:"median"`
	Sigma  Sigma    `yaml:"sigma"` // of the logarithm: 0.4 spreads 95 % over a factor of 2.2 to either side
	Max    Duration `yaml:"max"`   // nothing is longer; default: 10 minutes
}

// Sigma is a standard deviation above 0 and up to 5.
type Sigma float64

// UnmarshalText reads a standard deviation.
func (s *Sigma) UnmarshalText(text []byte) error {
	sigma, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(sigma > 0 && sigma <= 5) {
		return errors.New("is not a sigma above 0 and up to 5, such as 0.4")
	}
	*s = Sigma(sigma)
	return nil
}

// String says how long the delay is.
func (d *Delay) String() string {
	switch {
	case d.Fixed > 0:
		return d.Fixed.String()
	case d.LogNormal != nil:
		return fmt.Sprintf("about %s (log-normal, sigma %v)", d.LogNormal.Median, float64(d.LogNormal.Sigma))
	default:
		return fmt.Sprintf("%s to %s", d.Between[0], d.Between[1])
	}
}

// maxDelay bounds every delay.
const maxDelay = 10 * time.Minute

// drawn reports whether the delay differs from call to call.
func (d *Delay) drawn() bool { return d != nil && d.Fixed == 0 }

// span returns the delay of a call by a uniform chance from 0 to below 1.
func (d *Delay) span(chance float64) time.Duration {
	switch {
	case d == nil:
		return 0
	case d.Fixed > 0:
		return time.Duration(d.Fixed)
	case d.LogNormal != nil:
		return d.LogNormal.span(chance)
	default:
		least, greatest := time.Duration(d.Between[0]), time.Duration(d.Between[1])
		return least + time.Duration(chance*float64(greatest-least))
	}
}

func (l *LogNormal) span(chance float64) time.Duration {
	limit := float64(cmp.Or(l.Max, Duration(maxDelay)))
	normal := math.Sqrt2 * math.Erfinv(2*chance-1) // -Inf at 0, which is no delay
	return time.Duration(min(limit, float64(l.Median)*math.Exp(float64(l.Sigma)*normal)))
}

// Flaws lists what is wrong with the delay.
func (d Delay) Flaws() (flaws []fixtures.Flaw) {
	if count(d.Fixed > 0, d.Between != nil, d.LogNormal != nil) != 1 {
		flaws = append(flaws, fixtures.Flaw{What: "a delay is one of {fixed: 1s}, {between: [50ms, 250ms]} and {lognormal: {median: 80ms, sigma: 0.4}}"})
	}
	if d.Between != nil && (len(d.Between) != 2 || d.Between[0] > d.Between[1]) {
		flaws = append(flaws, fixtures.Flaw{Field: "between", What: "takes the least and the greatest delay: between: [50ms, 250ms]"})
	}
	for _, span := range append([]Duration{d.Fixed}, d.Between...) {
		if time.Duration(span) > maxDelay {
			flaws = append(flaws, fixtures.Flaw{What: "a delay may be 10m at most"})
		}
	}
	return flaws
}

// Flaws lists what is wrong with the distribution.
func (l LogNormal) Flaws() (flaws []fixtures.Flaw) {
	if l.Median == 0 || l.Sigma == 0 {
		flaws = append(flaws, fixtures.Flaw{What: "a lognormal delay needs a median and a sigma: {median: 80ms, sigma: 0.4}"})
	}
	if l.Max > 0 && l.Max < l.Median || time.Duration(max(l.Max, l.Median)) > maxDelay {
		flaws = append(flaws, fixtures.Flaw{Field: "max", What: "must be at least the median, and both at most 10m"})
	}
	return flaws
}
