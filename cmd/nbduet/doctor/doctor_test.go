package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
	"github.com/nbduet/nbduet/cmd/nbduet/doctor"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
)

func TestMain(m *testing.M) { os.Exit(jupytertest.Tests(m).Run()) }

// examined returns the report of an examination, and its lines.
func examined(t *testing.T, p doctor.Patient) (report doctor.Report, lines string) {
	t.Helper()
	if p.Root == nil {
		p.Root = func(context.Context, string) string { return "" }
	}
	if p.State == nil {
		folder := t.TempDir()
		p.State = func() (string, error) { return folder, nil }
	}
	if p.Clients == nil {
		p.Clients = func() ([]doctor.Client, error) {
			return []doctor.Client{{Name: "cursor", Title: "Cursor", Configured: true}}, nil
		}
	}
	if p.Runtime == nil {
		p.Runtime = p.Documents
	}
	p.Log = slog.New(slog.DiscardHandler)
	var out bytes.Buffer
	c := console.New(&out)
	report = doctor.Examine(t.Context(), p, func(check doctor.Check) { doctor.Print(c, check) })
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("colours for what is no terminal: %q", out.String())
	}
	return report, out.String()
}

// server returns a client of a test's server, with another token if one is given.
func server(t *testing.T, s *jupytertest.Server, token string) *jupyter.Server {
	t.Helper()
	if token == "" {
		token = s.Token
	}
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: token, HTTPClient: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	return srv
}

// of returns the check with that name and result.
func of(t *testing.T, r doctor.Report, name string, result doctor.Result) doctor.Check {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name && c.Result == result {
			return c
		}
	}
	t.Errorf("no check of %s is %s: %+v", name, result, r.Checks)
	return doctor.Check{}
}

// files returns the names in a folder, without the server's own files.
func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); name != ".jupyter" && name != ".jupyter_ystore.db" {
			names = append(names, name)
		}
	}
	return names
}

// Without problems each line says so, the JSON has the same, and nothing is left: no notebook, no checkpoint, no kernel.
func TestAllIsWell(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		srv := server(t, s, "")
		for _, root := range []string{s.Root, ""} { // a server on this machine, and another
			report, lines := examined(t, doctor.Patient{Version: "1.2.3", Documents: srv, Root: func(context.Context, string) string { return root }})
			test.True(t, report.OK)
			test.StrNotContains(t, lines, "✗")
			test.StrNotContains(t, strings.ReplaceAll(lines, "· tab", ""), "·") // JupyterLab lacks the extension
			for _, name := range []string{"server", "token", "versions", "clocks", "collaboration", "edit", "kernel", "state", "client"} {
				of(t, report, name, doctor.Fine)
				if !strings.Contains(lines, "✓ "+name) {
					t.Errorf("no line is of %s:\n%s", name, lines)
				}
			}
			text, err := json.Marshal(report)
			must.NoError(t, err, must.Sprint("as JSON"))
			test.StrHasPrefix(t, `{"ok":true,"version":"1.2.3","checks":[{"check":"server","result":"fine","says":"http`, string(text), test.Sprint("as JSON"))
			left := files(t, s.Root)
			if root == "" { // the server deletes checkpoints, but keeps their folder
				left = slices.DeleteFunc(left, func(name string) bool { return name == ".ipynb_checkpoints" })
			}
			if len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			running, err := srv.Kernels.List(t.Context())
			must.NoError(t, err, must.Sprint("kernels left"))
			test.LessEq(t, 0, len(running), test.Sprint("kernels left"))
		}
	})
}

// The examination says whether JupyterLab has the extension, and of which version.
func TestTab(t *testing.T) {
	for name, c := range map[string]struct {
		about  string
		result doctor.Result
		says   string
	}{
		"the same": {`{"version": "1.2.3"}`, doctor.Fine, "of this version"},
		"another":  {`{"version": "1.2.2"}`, doctor.Note, "of nbduet 1.2.2; this is 1.2.3"},
		"none":     {"", doctor.Note, "no extension"},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := sessiontest.Front(t, jupytertest.Start(t), func(next *httputil.ReverseProxy) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						switch {
						case r.URL.Path == "/lab":
							_, _ = io.WriteString(w, `"appVersion": "4.6.6"`)
						case r.URL.Path == "/lab/extensions/nbduet-jupyter/package.json" && c.about != "":
							_, _ = io.WriteString(w, c.about)
						default:
							next.ServeHTTP(w, r)
						}
					})
				})
				report, _ := examined(t, doctor.Patient{Version: "1.2.3 (go1.26)", Documents: server(t, s, "")})
				test.StrContains(t, of(t, report, "tab", c.result).Says, c.says)
				test.True(t, report.OK)
			})
		})
	}
}

// A fault is reported with its sentence from package faults, and the checks that depend on it are left out.
func TestFaults(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			name    string
			options []jupytertest.Option
			token   string
			check   string
			fault   faults.Code
			leftOut string
		}{
			{"token", nil, "wr0ng-t0ken", "token", faults.WrongToken, "edit"},
			{"no collaboration", []jupytertest.Option{jupytertest.WithoutCollaboration()}, "", "collaboration", faults.NoCollaboration, "edit"},
			{"tabs apart", []jupytertest.Option{jupytertest.WithTabsApart()}, "", "collaboration", faults.TabsApart, ""},
		} {
			s := jupytertest.Start(t, c.options...)
			report, lines := examined(t, doctor.Patient{Documents: server(t, s, c.token), Root: func(context.Context, string) string { return s.Root }})
			check, want := of(t, report, c.check, doctor.Wrong), faults.New(c.fault, faults.Values{Address: s.URL})
			test.False(t, report.OK)
			test.Eq(t, c.fault, check.Fault)
			test.Eq(t, want.Wrong, check.Says)
			test.Eq(t, want.Fix, check.Fix)
			test.StrContains(t, lines, "✗ "+c.check)
			test.StrContains(t, lines, "→ "+want.Fix)
			test.StrNotContains(t, lines, s.Token)
			test.False(t, c.token != "" && strings.Contains(lines, c.token))
			if c.leftOut != "" {
				of(t, report, c.leftOut, doctor.LeftOut)
			}
			if left := files(t, s.Root); len(left) > 0 {
				t.Errorf("%s: left behind: %q", c.name, left)
			}
		}
	})
}

// Without a server, or with several, the report has the error of the search.
func TestNoServer(t *testing.T) {
	for _, want := range []faults.Fault{faults.New(faults.NoServer, faults.Values{}), faults.New(faults.SeveralServers, faults.Values{Detail: "a, b"})} {
		srv, err := jupyter.New(jupyter.Options{Find: func(context.Context) (jupyter.Found, error) { return jupyter.Found{}, want }})
		if err != nil {
			t.Fatal(err)
		}
		report, _ := examined(t, doctor.Patient{Documents: srv})
		check := of(t, report, "server", doctor.Wrong)
		test.Eq(t, want.Code, check.Fault)
		test.Eq(t, want.Fix, check.Fix)
		of(t, report, "kernel", doctor.LeftOut)
		of(t, report, "state", doctor.Fine)
	}
}

// A server that does not answer delays the examination only up to its time limit.
func TestSilentServer(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		stop := make(chan struct{})
		url := jupytertest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
		defer close(stop)
		srv, err := jupyter.New(jupyter.Options{
			URL: url, Token: "t", Timeout: 10 * time.Second, HTTPClient: &http.Client{Transport: &http.Transport{DialContext: jupytertest.Dial(t)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.CloseIdleConnections()
		began := time.Now()
		report, lines := examined(t, doctor.Patient{Documents: srv})
		took := time.Since(began)
		test.False(t, report.OK, test.Sprint(lines))
		test.LessEq(t, 30*time.Second, took, test.Sprint(lines))
		if check := of(t, report, "server", doctor.Wrong); check.Fault != faults.Busy {
			t.Errorf("%+v", check)
		}
	})
}

// A clock that is ten minutes off is reported.
func TestClocks(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		transport := &http.Transport{DialContext: jupytertest.Dial(t)}
		defer transport.CloseIdleConnections()
		srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: &http.Client{Transport: late{transport}}})
		if err != nil {
			t.Fatal(err)
		}
		report, _ := examined(t, doctor.Patient{Documents: srv})
		check := of(t, report, "clocks", doctor.Wrong)
		test.StrContains(t, check.Says, " apart")
		test.StrContains(t, check.Fix, "NTP")
	})
}

// late changes the time in answers.
type late struct{ transport *http.Transport }

func (l late) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.transport.RoundTrip(r)
	if err == nil {
		res.Header.Set("Date", time.Now().Add(10*time.Minute).UTC().Format(http.TimeFormat))
	}
	return res, err
}

func (l late) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return l.transport.DialContext(ctx, network, address)
}

// The state folder is tested, and left as it was.
func TestState(t *testing.T) {
	srv, err := jupyter.New(jupyter.Options{Find: func(context.Context) (jupyter.Found, error) { return jupyter.Found{}, errors.New("none") }})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]doctor.Result{filepath.Join(dir, "a", "b"): doctor.Fine, dir: doctor.Fine, filepath.Join(file, "x"): doctor.Wrong} {
		report, _ := examined(t, doctor.Patient{Documents: srv, State: func() (string, error) { return folder, nil }})
		if check := of(t, report, "state", want); !strings.Contains(check.Says, dir) {
			t.Errorf("%s: %+v", folder, check)
		}
		if left := files(t, dir); len(left) != 1 {
			t.Errorf("%s: the folder has %q", folder, left)
		}
	}
	report, _ := examined(t, doctor.Patient{Documents: srv, State: func() (string, error) { return "", errors.New("no home") }})
	check := of(t, report, "state", doctor.Wrong)
	test.StrContains(t, check.Says, "no home")
	test.StrContains(t, check.Fix, "--state")
}

// A client whose nbduet is missing is reported. It is not a fault if no client has nbduet.
func TestClients(t *testing.T) {
	srv, err := jupyter.New(jupyter.Options{Find: func(context.Context) (jupyter.Found, error) { return jupyter.Found{}, errors.New("none") }})
	if err != nil {
		t.Fatal(err)
	}
	clients := []doctor.Client{{Name: "cursor", Title: "Cursor"}, {Name: "zed", Title: "Zed", Configured: true, Problem: "its command /x does not exist"}}
	with := func(clients []doctor.Client, err error) doctor.Patient {
		return doctor.Patient{Documents: srv, Clients: func() ([]doctor.Client, error) { return clients, err }}
	}
	report, _ := examined(t, with(clients, nil))
	check := of(t, report, "client", doctor.Wrong)
	test.StrContains(t, check.Says, "Zed: its command /x")
	test.StrContains(t, check.Fix, "nbduet config zed --write")
	report, _ = examined(t, with(clients[:1], nil))
	if check := of(t, report, "client", doctor.Note); !strings.Contains(check.Fix, "nbduet config --list") {
		t.Errorf("%+v", check)
	}
	report, _ = examined(t, with(nil, errors.New("no home")))
	of(t, report, "client", doctor.Wrong)
}
