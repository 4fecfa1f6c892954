package behavior

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/understudy-sandbox/understudy/fixtures"
)

// delay is how long an answer is delayed, in real time and not on the world's clock: one of three kinds.
type delay struct {
	Fixed     Duration   `yaml:"fixed"`
	Between   []Duration `yaml:"between"` // the shortest and the longest
	LogNormal *logNormal `yaml:"lognormal"`
}

// logNormal is a log-normal distribution of delays.
type logNormal struct {
	Median Duration `yaml:"median"`
	Sigma  sigma    `yaml:"sigma"`
	Max    Duration `yaml:"max"` // 0 is maxDelay
}

// sigma is a standard deviation above 0 and up to 5.
type sigma float64

// UnmarshalText reads a standard deviation.
func (s *sigma) UnmarshalText(text []byte) (err error) {
	*s, err = parsePositive[sigma](text, 5, "is not a sigma above 0 and up to 5, such as 0.4")
	return err
}

// String describes the delay in words.
func (d *delay) String() string {
	switch {
	case d.Fixed > 0:
		return d.Fixed.String()
	case d.LogNormal != nil:
		return fmt.Sprintf("about %s (log-normal, sigma %v)", d.LogNormal.Median, float64(d.LogNormal.Sigma))
	default:
		return fmt.Sprintf("%s to %s", d.Between[0], d.Between[1])
	}
}

// maxDelay is the longest delay of a call, by all rules of all scenarios.
const maxDelay = 10 * time.Minute

// random reports whether the delay differs from call to call.
func (d *delay) random() bool { return d != nil && d.Fixed == 0 }

// span returns the delay of a call for a uniform random number from 0 to below 1.
func (d *delay) span(uniform float64) time.Duration {
	switch {
	case d == nil:
		return 0
	case d.Fixed > 0:
		return time.Duration(d.Fixed)
	case d.LogNormal != nil:
		return d.LogNormal.span(uniform)
	default:
		shortest, longest := time.Duration(d.Between[0]), time.Duration(d.Between[1])
		return shortest + time.Duration(uniform*float64(longest-shortest))
	}
}

func (l *logNormal) span(uniform float64) time.Duration {
	limit := float64(cmp.Or(l.Max, Duration(maxDelay)))
	normal := math.Sqrt2 * math.Erfinv(2*uniform-1) // -Inf at 0, which gives no delay
	return time.Duration(min(limit, float64(l.Median)*math.Exp(float64(l.Sigma)*normal)))
}

// Validate lists the violations of the delay.
func (d delay) Validate() []fixtures.Violation {
	found := fixtures.Violations{}
	found.Require(count(d.Fixed > 0, d.Between != nil, d.LogNormal != nil) == 1, "", "a delay is one of {fixed: 1s}, {between: [50ms, 250ms]} and {lognormal: {median: 80ms, sigma: 0.4}}")
	found.Require(d.Between == nil || len(d.Between) == 2 && d.Between[0] <= d.Between[1], "between", "takes the shortest and the longest delay: write between: [50ms, 250ms]")
	for _, span := range append([]Duration{d.Fixed}, d.Between...) {
		found.Require(time.Duration(span) <= maxDelay, "", "a delay may be 10m at most")
	}
	return found
}

// Validate lists the violations of the distribution.
func (l logNormal) Validate() []fixtures.Violation {
	found := fixtures.Violations{}
	found.Require(l.Median != 0 && l.Sigma != 0, "", "a lognormal delay needs a median and a sigma: write lognormal: {median: 80ms, sigma: 0.4}")
	found.Require((l.Max == 0 || l.Max >= l.Median) && time.Duration(max(l.Max, l.Median)) <= maxDelay, "max", "must be at least the median, and both at most 10m")
	return found
}
