package serve

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/nbduet/nbduet/session"
)

// Metrics are the figures that /metrics serves in Prometheus's text format. Their labels are names of tools, states and
// kinds, never paths, tokens, clients or code. Create them with [NewMetrics]. They are safe for concurrent use.
type Metrics struct {
	from    Sources
	counted *metrics.Set
	server  atomic.Pointer[Server] // its clients are counted
	readers chan struct{}          // holds a value for each request that reads the figures
}

// Sources are called for each read of /metrics. A nil function leaves its figures out.
type Sources struct {
	Version string
	Session func() session.Stats
	Images  func() int // bytes of cached images
}

// The names of the figures; helps describes them.
const (
	callsName     = "nbduet_tool_calls_total"
	tookName      = "nbduet_tool_call_duration_seconds"
	requestsName  = "nbduet_http_requests_total"
	buildName     = "nbduet_build_info"
	imagesName    = "nbduet_image_cache_bytes"
	documentsName = "nbduet_documents"
	runsName      = "nbduet_runs"
	runBytesName  = "nbduet_run_output_bytes"
	analysesName  = "nbduet_analysis_sessions"
	kernelsName   = "nbduet_kernels"
	clientsName   = "nbduet_clients"
	inFlightName  = "nbduet_http_requests_in_flight"
)

// helps describes each figure in one line. The others, of Go and of the process, need no description beyond their names.
var helps = map[string]string{
	callsName:     "Tool calls answered, by outcome.",
	tookName:      "Duration of tool calls.",
	requestsName:  "HTTP requests answered, by status.",
	buildName:     "1, with the version of the program.",
	imagesName:    "Bytes of stored images.",
	documentsName: "Open documents, each with a room.",
	runsName:      "Retained runs of cells and of code, by state.",
	runBytesName:  "Bytes of retained outputs of ended runs.",
	analysesName:  "Analysis sessions of all clients.",
	kernelsName:   "Kernels started without a notebook.",
	clientsName:   "Clients: MCP sessions, streams of the older transport, and principals that called without either.",
	inFlightName:  "HTTP requests being served, without streams.",
}

// callBuckets are the bounds of the histogram of call durations, in seconds: from answers out of memory to cells that
// compute for minutes.
var callBuckets = []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}

// maxReaders bounds the requests that read the figures at once.
const maxReaders = 4

// NewMetrics returns new metrics.
func NewMetrics(from Sources) *Metrics {
	metrics.ExposeMetadata(true) // adds the types; this is a setting of the whole program
	return &Metrics{from: from, counted: metrics.NewSet(), readers: make(chan struct{}, maxReaders)}
}

// Observe counts a tool call. Give it to tools.Config.Observe.
func (m *Metrics) Observe(tool, outcome string, took time.Duration) {
	m.counted.GetOrCreateCounter(series(callsName, "outcome", outcome, "tool", tool)).Inc()
	m.counted.GetOrCreatePrometheusHistogramExt(series(tookName, "tool", tool), callBuckets).Update(took.Seconds())
}

// answered counts an HTTP request. m may be nil.
func (m *Metrics) answered(status int) {
	if m != nil && status != 0 {
		m.counted.GetOrCreateCounter(series(requestsName, "code", strconv.Itoa(status))).Inc()
	}
}

// of sets the server whose clients are counted. It returns an error if there is one already.
func (m *Metrics) of(s *Server) error {
	if !m.server.CompareAndSwap(nil, s) {
		return errors.New("its clients are already counted")
	}
	return nil
}

// handler serves all figures.
func (m *Metrics) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case m.readers <- struct{}{}:
			defer func() { <-m.readers }()
		default:
			busy(w, http.StatusServiceUnavailable, "too many requests for metrics: try again later")
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(m.text()) // a failed write needs no handling
	})
}

// text returns all figures.
func (m *Metrics) text() []byte {
	now := metrics.NewSet()
	gauge := func(n int, name string, labels ...string) { now.NewGauge(series(name, labels...), nil).Set(float64(n)) }
	gauge(1, buildName, "version", m.from.Version)
	if m.from.Session != nil {
		s := m.from.Session() // once, so that the figures are consistent
		gauge(s.Notebooks, documentsName, "kind", "notebook")
		gauge(s.Texts, documentsName, "kind", "text")
		for state, n := range s.Runs {
			gauge(n, runsName, "state", string(state))
		}
		gauge(s.RunBytes, runBytesName)
		gauge(s.Analyses, analysesName)
		gauge(s.Kernels, kernelsName)
	}
	if m.from.Images != nil {
		gauge(m.from.Images(), imagesName)
	}
	if server := m.server.Load(); server != nil {
		sessions, streams := server.sessions.count()
		gauge(sessions, clientsName, "kind", "session")
		gauge(streams, clientsName, "kind", "stream")
		gauge(server.principals.count(), clientsName, "kind", "person")
		gauge(int(server.requests.inUse()), inFlightName)
	}
	var all bytes.Buffer
	m.counted.WritePrometheus(&all)
	now.WritePrometheus(&all)
	metrics.WriteGoMetrics(&all)
	metrics.WriteProcMetrics(&all)
	metrics.WriteFDMetrics(&all)
	return explained(all.String())
}

// explained inserts the helps, which the library leaves empty, and removes a figure that shows Go's folder.
func explained(text string) []byte {
	const placed = "go_info_ext"
	out := make([]byte, 0, len(text)+2048)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimPrefix(line, "# TYPE "), placed) {
			continue
		}
		if name, is := strings.CutPrefix(line, "# HELP "); is {
			name = strings.TrimSpace(name)
			if helps[name] == "" {
				continue
			}
			line = "# HELP " + name + " " + helps[name] + "\n"
		}
		out = append(out, line...)
	}
	return out
}

// escape escapes a label's value for quotes.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// series returns a figure's name with labels, given as alternating names and values.
func series(name string, labels ...string) string {
	if len(labels) == 0 {
		return name
	}
	var pairs []string
	for pair := range slices.Chunk(labels, 2) {
		pairs = append(pairs, pair[0]+`="`+escape.Replace(strings.ToValidUTF8(pair[1], "\uFFFD"))+`"`)
	}
	return name + "{" + strings.Join(pairs, ",") + "}"
}
