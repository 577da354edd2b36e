package rooms_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// line is a proxied connection to a server with configurable faults.
type line struct {
	t     *testing.T
	proxy *toxiproxy.Proxy
}

func newLine(t *testing.T, s *jupytertest.Server) *line {
	t.Helper()
	srv := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	l := &line{t: t, proxy: toxiproxy.NewProxy(srv, "line", "127.0.0.1:0", host(t, s))}
	if err := l.proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.proxy.Stop)
	return l
}

func host(t *testing.T, s *jupytertest.Server) string {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// url returns the server's address through this line.
func (l *line) url() string { return "http://" + l.proxy.Listen }

// fault is a toxic of toxiproxy.
type fault struct {
	Name       string         `json:"name"`
	Type       string         `json:"type"`
	Stream     string         `json:"stream"`
	Toxicity   float32        `json:"toxicity"`
	Attributes map[string]any `json:"attributes"`
}

// both returns a fault in both directions.
func both(kind string, attributes map[string]any) []fault {
	var fs []fault
	for _, stream := range []string{"upstream", "downstream"} {
		fs = append(fs, fault{kind + "_" + stream, kind, stream, 1, attributes})
	}
	return fs
}

// fail adds faults to the line; the returned function removes them.
func (l *line) fail(faults []fault) (mend func()) {
	l.t.Helper()
	for _, f := range faults {
		b, err := json.Marshal(f)
		if err != nil {
			l.t.Fatal(err)
		}
		if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(string(b))); err != nil {
			l.t.Fatalf("%s: %v", b, err)
		}
	}
	return func() {
		for _, f := range faults {
			if err := l.proxy.Toxics.RemoveToxic(l.t.Context(), f.Name); err != nil {
				l.t.Errorf("take off %s: %v", f.Name, err)
			}
		}
	}
}

// lead connects the line to another server, as after a restart on the same port; connections are cut.
func (l *line) lead(s *jupytertest.Server) {
	l.t.Helper()
	to := &toxiproxy.Proxy{Listen: l.proxy.Listen, Upstream: host(l.t, s), Enabled: true}
	if err := l.proxy.Update(to); err != nil {
		l.t.Fatal(err)
	}
}
