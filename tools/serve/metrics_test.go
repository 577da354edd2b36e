package serve

import (
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/run"
)

// figures reads /metrics as Prometheus does.
func (r *rig) figures(changes ...change) map[string]*dto.MetricFamily {
	r.t.Helper()
	a := r.send("GET", "/metrics", "", changes...)
	r.wants(a, 200)
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain; version=0.0.4") {
		r.t.Errorf("the type is %s", a.header.Get("Content-Type"))
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(a.body))
	if err != nil {
		r.t.Fatalf("%v in %s", err, a.body)
	}
	return families
}

// figure is the value with labels, name=value; -1 if there is none.
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
	if _, err := New(r.s.cfg); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("the same metrics for two servers: %v", err)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	<-done
}
