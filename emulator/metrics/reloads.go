package metrics

import "github.com/prometheus/client_golang/prometheus"

// Reloads counts how often scenario files were read again.
type Reloads struct {
	total *prometheus.CounterVec
	last  *prometheus.GaugeVec
}

// Reloads adds the figures of scenario files that are read again.
func (m *Metrics) Reloads() *Reloads {
	labels := []string{"result"}
	r := &Reloads{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_scenario_reloads_total",
			Help: "Changes of scenario files that were read, by result: of one that is refused the log says why.",
		}, labels),
		last: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "understudy_scenario_reload_timestamp_seconds",
			Help: "When scenario files were last read again with a result; absent until they are.",
		}, labels),
	}
	r.total.WithLabelValues("ok")
	r.total.WithLabelValues("refused")
	m.registry.MustRegister(r.total, r.last)
	return r
}

// Add counts a reload; one that is not ok left all as it was.
func (r *Reloads) Add(ok bool) {
	result := map[bool]string{true: "ok", false: "refused"}[ok]
	r.total.WithLabelValues(result).Inc()
	r.last.WithLabelValues(result).SetToCurrentTime()
}
