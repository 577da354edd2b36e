package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/nbduet/nbduet/session"
)

// Metrics are the figures that /metrics shows in Prometheus's text format. Their labels are names of tools, states and
// kinds, never paths, tokens, clients or code. Make them with [NewMetrics]. They are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	took     *prometheus.HistogramVec
	requests *prometheus.CounterVec
}

// Sources are read when /metrics is. A nil function leaves its figures out.
type Sources struct {
	Version string
	Session func() session.Stats
	Images  func() int // bytes of the images kept
}

// callBuckets bound the durations of calls, in seconds: from answers out of memory to cells that compute for minutes.
var callBuckets = []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}

// NewMetrics makes metrics.
func NewMetrics(from Sources) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nbduet_tool_calls_total", Help: "Tool calls answered, by outcome.",
		}, []string{"tool", "outcome"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "nbduet_tool_call_duration_seconds", Help: "Duration of tool calls.", Buckets: callBuckets,
		}, []string{"tool"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nbduet_http_requests_total", Help: "HTTP requests answered, by status.",
		}, []string{"code"}),
	}
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "nbduet_build_info", Help: "1, with the version of the program."}, []string{"version"})
	info.WithLabelValues(from.Version).Set(1)
	m.registry.MustRegister(m.calls, m.took, m.requests, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if from.Session != nil {
		m.registry.MustRegister(sessionCollector{from.Session})
	}
	if from.Images != nil {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "nbduet_image_cache_bytes", Help: "Bytes of the images kept.",
		}, func() float64 { return float64(from.Images()) }))
	}
	return m
}

// Observe counts a tool call. Give it to tools.Config.Observe.
func (m *Metrics) Observe(tool, outcome string, took time.Duration) {
	m.calls.WithLabelValues(tool, outcome).Inc()
	m.took.WithLabelValues(tool).Observe(took.Seconds())
}

// answered counts an HTTP request. m may be nil.
func (m *Metrics) answered(status int) {
	if m != nil && status != 0 {
		m.requests.WithLabelValues(strconv.Itoa(status)).Inc()
	}
}

// handler serves all figures.
func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, DisableCompression: true})
}

// A sessionCollector reads the figures of a session.Manager, all at one moment.
type sessionCollector struct{ stats func() session.Stats }

var (
	documentsDesc = prometheus.NewDesc("nbduet_documents", "Documents open, each with a room.", []string{"kind"}, nil)
	runsDesc      = prometheus.NewDesc("nbduet_runs", "Runs of cells and of code remembered, by state.", []string{"state"}, nil)
	runBytesDesc  = prometheus.NewDesc("nbduet_run_output_bytes", "Bytes of the outputs remembered of ended runs.", nil, nil)
	analysesDesc  = prometheus.NewDesc("nbduet_analysis_sessions", "Analysis sessions of all clients.", nil, nil)
	kernelsDesc   = prometheus.NewDesc("nbduet_kernels", "Kernels that this program has started for no notebook.", nil, nil)
)

// Describe implements prometheus.Collector.
func (w sessionCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{documentsDesc, runsDesc, runBytesDesc, analysesDesc, kernelsDesc} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (w sessionCollector) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, n int, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	s := w.stats()
	gauge(documentsDesc, s.Notebooks, "notebook")
	gauge(documentsDesc, s.Texts, "text")
	for state, n := range s.Runs {
		gauge(runsDesc, n, string(state))
	}
	gauge(runBytesDesc, s.RunBytes)
	gauge(analysesDesc, s.Analyses)
	gauge(kernelsDesc, s.Kernels)
}

// A clientCollector reads the figures of a server's clients.
type clientCollector struct{ s *Server }

var (
	clientsDesc  = prometheus.NewDesc("nbduet_clients", "Clients: MCP sessions, streams of the older transport, and principals that have called without either.", []string{"kind"}, nil)
	inFlightDesc = prometheus.NewDesc("nbduet_http_requests_in_flight", "HTTP requests being served, streams not counted.", nil, nil)
)

// Describe implements prometheus.Collector.
func (c clientCollector) Describe(out chan<- *prometheus.Desc) {
	out <- clientsDesc
	out <- inFlightDesc
}

// Collect implements prometheus.Collector.
func (c clientCollector) Collect(out chan<- prometheus.Metric) {
	sessions, streams := c.s.sessions.count()
	for kind, n := range map[string]int{"session": sessions, "stream": streams, "person": c.s.principals.count()} {
		out <- prometheus.MustNewConstMetric(clientsDesc, prometheus.GaugeValue, float64(n), kind)
	}
	out <- prometheus.MustNewConstMetric(inFlightDesc, prometheus.GaugeValue, float64(c.s.requests.inUse()))
}
