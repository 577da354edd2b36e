package serve

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
)

// figures reads /metrics as Prometheus does.
func (r *rig) figures(changes ...change) map[string]*dto.MetricFamily {
	r.t.Helper()
	a := r.send("GET", "/metrics", "", changes...)
	r.wants(a, 200)
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain; version=0.0.4") {
		r.t.Errorf("the type is %s", a.header.Get("Content-Type"))
	}
	return parsed(r.t, a.body)
}

// parsed reads a text as Prometheus does.
func parsed(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return families
}

// figure returns the value with the given labels, name=value, or -1.
func figure(f *dto.MetricFamily, labels ...string) float64 {
next:
	for _, m := range f.GetMetric() {
		for _, want := range labels {
			name, value, _ := strings.Cut(want, "=")
			has := false
			for _, l := range m.GetLabel() {
				has = has || l.GetName() == name && l.GetValue() == value
			}
			if !has {
				continue next
			}
		}
		switch {
		case m.Gauge != nil:
			return m.Gauge.GetValue()
		case m.Counter != nil:
			return m.Counter.GetValue()
		case m.Histogram != nil:
			return float64(m.Histogram.GetSampleCount())
		}
	}
	return -1
}

func TestMetrics(t *testing.T) {
	r := newRig(t, nil)
	r.wants(r.send("GET", "/metrics", ""), 404)
	r.wants(r.send("GET", "/metrics", "", bearing("x")), 401)

	figures := NewMetrics(Sources{
		Version: "1.2.3", Images: func() int { return 77 },
		Session: func() session.Stats {
			return session.Stats{Notebooks: 3, Texts: 2, Runs: map[run.State]int{run.Queued: 0, run.Running: 5}, RunBytes: 99, Analyses: 4, Kernels: 6}
		},
	})
	r = newRig(t, func(cfg *Config) { cfg.Metrics = figures })
	r.wants(r.send("GET", "/metrics", "", bearing("x")), 401)
	r.wants(r.send("GET", "/metrics", "", with("Authorization", "")), 401)
	r.wants(r.send("GET", "/metrics", "", with("Origin", "https://evil.example")), 403)
	r.wants(r.send("POST", "/metrics", "{}"), 405)
	r.begin()
	r.begin(bearing(token2))
	r.events()
	r.wants(r.send("GET", "/tools/list", ""), 200)
	figures.Observe("echo", "ok", 20*time.Millisecond)
	figures.Observe("echo", "ok", 2*time.Second)
	figures.Observe("echo", "refused", time.Hour)
	got := r.figures()
	for _, c := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"nbduet_build_info", []string{"version=1.2.3"}, 1},
		{"nbduet_tool_calls_total", []string{"tool=echo", "outcome=ok"}, 2},
		{"nbduet_tool_calls_total", []string{"tool=echo", "outcome=refused"}, 1},
		{"nbduet_tool_call_duration_seconds", []string{"tool=echo"}, 3},
		{"nbduet_documents", []string{"kind=notebook"}, 3},
		{"nbduet_documents", []string{"kind=text"}, 2},
		{"nbduet_runs", []string{"state=running"}, 5},
		{"nbduet_runs", []string{"state=queued"}, 0},
		{"nbduet_run_output_bytes", nil, 99},
		{"nbduet_analysis_sessions", nil, 4},
		{"nbduet_kernels", nil, 6},
		{"nbduet_image_cache_bytes", nil, 77},
		{"nbduet_clients", []string{"kind=session"}, 2},
		{"nbduet_clients", []string{"kind=stream"}, 1},
		{"nbduet_clients", []string{"kind=person"}, 1},
		{"nbduet_http_requests_in_flight", nil, 0},
		{"nbduet_http_requests_total", []string{"code=401"}, 2},
		{"nbduet_http_requests_total", []string{"code=403"}, 1},
	} {
		if n := figure(got[c.name], c.labels...); n != c.want {
			t.Errorf("%s %v is %v, want %v", c.name, c.labels, n, c.want)
		}
	}
	for name, kind := range map[string]dto.MetricType{
		"nbduet_tool_calls_total": dto.MetricType_COUNTER, "nbduet_http_requests_total": dto.MetricType_COUNTER,
		"nbduet_tool_call_duration_seconds": dto.MetricType_HISTOGRAM,
		"nbduet_build_info":                 dto.MetricType_GAUGE, "nbduet_documents": dto.MetricType_GAUGE, "nbduet_runs": dto.MetricType_GAUGE,
		"nbduet_run_output_bytes": dto.MetricType_GAUGE, "nbduet_analysis_sessions": dto.MetricType_GAUGE, "nbduet_kernels": dto.MetricType_GAUGE,
		"nbduet_image_cache_bytes": dto.MetricType_GAUGE, "nbduet_clients": dto.MetricType_GAUGE, "nbduet_http_requests_in_flight": dto.MetricType_GAUGE,
		"go_goroutines": dto.MetricType_GAUGE,
	} {
		f := got[name]
		test.Eq(t, kind, f.GetType())
		test.False(t, strings.HasPrefix(name, "nbduet_") && f.GetHelp() == "")
	}
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes"} {
		if figure(got[name]) <= 0 {
			t.Errorf("%s is %v", name, figure(got[name]))
		}
	}
	// A call in progress is counted.
	done := r.hold("/tools/call", `{"tool_name":"wait","arguments":{"mark":"held"}}`, "held")
	if n := figure(r.figures()["nbduet_http_requests_in_flight"]); n != 1 {
		t.Errorf("%v in flight", n)
	}
	_, err := New(r.s.cfg)
	must.Error(t, err, must.Sprint("the same metrics for two servers"))
	test.StrContains(t, err.Error(), "another server", test.Sprint("the same metrics for two servers"))
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	<-done
}

// Durations are in Prometheus's buckets: in each whose bound they do not exceed, and in the one without a bound.
func TestDurations(t *testing.T) {
	m := NewMetrics(Sources{})
	for _, took := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond, 30 * time.Minute, time.Hour} {
		m.Observe("echo", "ok", took)
	}
	h := parsed(t, string(m.text()))["nbduet_tool_call_duration_seconds"].GetMetric()[0].GetHistogram()
	var bounds []float64
	var counts []uint64
	for _, b := range h.GetBucket() {
		bounds, counts = append(bounds, b.GetUpperBound()), append(counts, b.GetCumulativeCount())
	}
	if want := append(slices.Clone(callBuckets), math.Inf(1)); !slices.Equal(bounds, want) {
		t.Errorf("the bounds are %v, want %v", bounds, want)
	}
	if want := []uint64{2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5}; !slices.Equal(counts, want) {
		t.Errorf("the counts are %v, want %v", counts, want)
	}
	test.Eq(t, 5, h.GetSampleCount())
	test.Eq(t, 5400.003, h.GetSampleSum())
}

// A label's value is read back unchanged, for any text.
func TestLabels(t *testing.T) {
	m := NewMetrics(Sources{Version: `v"1`})
	odd := []string{`a"b`, `a\`, `\"`, "a\nb", `a\nb`, `a="b",c="d"`, "}", "{", "a}, b", "", "é", "# HELP go_info_ext"}
	for _, tool := range odd {
		m.Observe(tool, "ok", time.Second)
	}
	m.Observe("not UTF-8: \xff", "ok", time.Second)
	got := parsed(t, string(m.text()))
	if n := figure(got["nbduet_build_info"], `version=v"1`); n != 1 {
		t.Errorf("the build is %v", n)
	}
	for _, tool := range append(odd, "not UTF-8: \uFFFD") {
		for _, name := range []string{"nbduet_tool_calls_total", "nbduet_tool_call_duration_seconds"} {
			if n := figure(got[name], "tool="+tool); n != 1 {
				t.Errorf("%s of %q is %v", name, tool, n)
			}
		}
	}
	if n := len(got["nbduet_tool_calls_total"].GetMetric()); n != len(odd)+1 {
		t.Errorf("%d series", n)
	}
}

// No label is a path: the metrics do not reveal where the program was built, or where it runs.
func TestMetricsHaveNoPaths(t *testing.T) {
	for name, f := range parsed(t, string(NewMetrics(Sources{Version: "1"}).text())) {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if strings.ContainsAny(l.GetValue(), `/\`) {
					t.Errorf("%s has %s=%q", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
}

// A refused caller is asked to retry.
func TestMetricsAreReadByFew(t *testing.T) {
	m := NewMetrics(Sources{})
	r := newRig(t, func(cfg *Config) { cfg.Metrics = m })
	for range maxReaders {
		m.readers <- struct{}{}
	}
	a := r.send("GET", "/metrics", "")
	r.wants(a, 503)
	if a.header.Get("Retry-After") == "" {
		t.Errorf("the header is %v", a.header)
	}
	<-m.readers
	for range 2 { // a place was given back
		r.figures()
	}
}

// Calls are counted while the figures are read.
func TestMetricsAtOnce(t *testing.T) {
	m := NewMetrics(Sources{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 100 {
				m.Observe("tool"+strconv.Itoa(i%7), "ok", time.Second)
				m.answered(200 + i%3)
			}
		})
	}
	for range 5 {
		parsed(t, string(m.text()))
	}
	wg.Wait()
	var calls, requests float64
	got := parsed(t, string(m.text()))
	for i := range 7 {
		calls += figure(got["nbduet_tool_calls_total"], "tool=tool"+strconv.Itoa(i))
	}
	for i := range 3 {
		requests += figure(got["nbduet_http_requests_total"], "code="+strconv.Itoa(200+i))
	}
	test.Eq(t, 400, calls)
	test.Eq(t, 400, requests)
}
