package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
	"github.com/spf13/pflag"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
)

// Hosts have forms for the environment, and pass empty fields as empty variables: these count as not set, for every flag.
func TestEmptyEnvironment(t *testing.T) {
	clean(t)
	usual, _, err := parse(nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	newOptions(&flags{}).VisitAll(func(f *pflag.Flag) { all = append(all, f.Annotations[options.Env]...) })
	if len(all) < 40 {
		t.Fatalf("only %d variables: %v", len(all), all)
	}
	for _, value := range []string{"", " "} {
		for _, name := range all {
			t.Run(name, func(t *testing.T) {
				t.Setenv(name, value)
				s, _, err := parse(nil, io.Discard)
				must.NoError(t, err, must.Sprint(name, value))
				test.Eq(t, usual, s, test.Sprint(name, value))
			})
		}
		t.Run("all", func(t *testing.T) {
			for _, name := range all {
				t.Setenv(name, value)
			}
			for _, args := range [][]string{nil, {"--transport=streamable-http", "--auth-token=of-sixteen-letters", "--jupyter-url=http://h:1"}} {
				got, _, err := parse(args, io.Discard)
				must.NoError(t, err, must.Sprint(args))
				test.Eq(t, usual.agentName, got.agentName, test.Sprint(args))
				test.Eq(t, usual.MaxRooms, got.MaxRooms, test.Sprint(args))
				test.False(t, got.ReadOnly, test.Sprint(args))
				must.Nil(t, got.toolsets, must.Sprint(args))
				test.Eq(t, 0, got.http.Inherit.ListenFD, test.Sprint(args))
				test.Nil(t, got.http.oidc, test.Sprint(args))
			}
		})
	}
	// A fallback applies if the variable before it is empty.
	t.Setenv("NBDUET_DOCUMENT_URL", "")
	t.Setenv("DOCUMENT_URL", "http://second:1")
	s, _, err := parse(nil, io.Discard)
	must.NoError(t, err)
	test.Eq(t, "http://second:1", s.servers.documents.url)
}

// The first line of the log identifies the program.
func TestLogBeginsWithVersion(t *testing.T) {
	clean(t)
	o := start(t, found(), "--jupyter-url=http://127.0.0.1:9")
	first, _, _ := strings.Cut(o.stderr, "\n")
	if !strings.Contains(first, "nbduet "+thisBuild().String()+" starts") {
		t.Errorf("the log begins with %s", first)
	}
}

// The command health asks at the address where the program listens with the same environment.
func TestHealthCommand(t *testing.T) {
	clean(t)
	for _, c := range []struct {
		args, env string // env has MCP_PORT and NBDUET_HOST
		want      string // or the start of an error
	}{
		{"health", "", "http://127.0.0.1:3001/healthz"},
		{"health", "4000 0.0.0.0", "http://127.0.0.1:4000/healthz"},
		{"health --port=5", "4000 ::", "http://[::1]:5/healthz"},
		{"health --tls-cert=c.pem --host [::1]", "", "https://[::1]:3001/healthz"},
		{"--url https://h/mcp health", "4000 0.0.0.0", "https://h/healthz"},
		{"health --port=0", "", "--port: 0"},
		{"health --url=h", "", "--url: "},
		{"health now", "", "unexpected argument now"},
	} {
		port, host, _ := strings.Cut(c.env, " ")
		t.Setenv("MCP_PORT", port)
		t.Setenv("NBDUET_HOST", host)
		t.Setenv("NBDUET_TRANSPORT", "streamable-http")
		s, _, err := parse(strings.Fields(c.args), io.Discard)
		if err != nil && strings.HasPrefix(err.Error(), c.want) {
			continue
		}
		must.NoError(t, err)
		test.Eq(t, c.want, s.health)
	}
	t.Setenv("MCP_PORT", "9")
	t.Setenv("NBDUET_HOST", "")
	var out, log bytes.Buffer
	code := runWith(t.Context(), []string{"health"}, strings.NewReader(""), &out, &log, found())
	test.Eq(t, exitFault, code, test.Sprint("with nothing there"))
	test.LessEq(t, 0, out.Len(), test.Sprint("with nothing there"))
	test.Eq(t, 1, strings.Count(log.String(), "\n"), test.Sprint("with nothing there"))
}
