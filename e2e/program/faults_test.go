package program_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// firstStart starts the program as at a person's first use, on a machine with a file a.ipynb in all its servers. env has
// variables in addition to a clean environment.
func firstStart(t *testing.T, env []string, args ...string) *agent.Agent {
	t.Helper()
	return kit.StartAgentAs(t, agent.Options{Words: true, Args: args, Env: append(append(lab.CleanEnv(), "HOME="+t.TempDir()), env...)})
}

// startFails checks that a first start fails with the sentence of a fault, in a tool's answer, in the program's log, and
// in the report of doctor. on are the servers that doctor must leave unchanged.
func startFails(t *testing.T, on []*lab.Lab, env []string, f faults.Fault, args ...string) {
	t.Helper()
	t.Run("start", func(t *testing.T) { says(t, firstStart(t, env, args...), f) })
	t.Run("doctor", func(t *testing.T) { doctorSays(t, on, env, f, args...) })
}

// says checks that both the tool's answer and the program's log contain the sentence of a fault.
func says(t *testing.T, a *agent.Agent, f faults.Fault) {
	t.Helper()
	code, sentence := f.Code, f.Error()
	answer, err := a.Call(t.Context(), "insert_nb_cells", kit.Insert("a.ipynb", 0, true, "1 + 1"))
	must.NoError(t, err)
	if !strings.Contains(answer.Text, sentence) {
		t.Errorf("%s: the answer does not say %q: %s", code, sentence, answer.Text)
	}
	must.NoError(t, poll.Until(t.Context(), "the log to say "+sentence, func(context.Context) error {
		if !strings.Contains(a.Log(), sentence) {
			return fmt.Errorf("it says %s", a.Log())
		}
		return nil
	}))
}

// labWith starts a separate server with a notebook a.ipynb.
func labWith(t *testing.T, opt lab.Options) *lab.Lab {
	t.Helper()
	l, err := lab.Start(t.Context(), opt)
	must.NoError(t, err)
	t.Cleanup(func() {
		if err := l.Stop(); err != nil {
			t.Error(err)
		}
	})
	must.NoError(t, os.WriteFile(l.Path("a.ipynb"), kit.NotebookText(t, []kit.Cell{kit.Code("x = 1")}), 0o600))
	return l
}

func reachLab(l *lab.Lab) []string {
	return []string{"JUPYTER_SERVER_URL=" + l.URL, "JUPYTER_TOKEN=" + l.Token}
}

// eating returns the address of a proxy that passes on all requests to a server except the handshakes of websockets.
func eating(t *testing.T, l *lab.Lab, eat func(http.ResponseWriter, *http.Request, http.Handler)) (address string) {
	t.Helper()
	target, err := url.Parse(l.URL)
	must.NoError(t, err)
	through := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{DisableKeepAlives: true},
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			eat(w, r, through)
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// Ways in which proxies treat blocked handshakes of websockets; through passes one on as a plain request.
var eaters = map[string]func(w http.ResponseWriter, r *http.Request, through http.Handler){
	"the headers are taken out": func(w http.ResponseWriter, r *http.Request, through http.Handler) {
		r.Header.Del("Upgrade")
		r.Header.Del("Connection")
		through.ServeHTTP(w, r)
	},
	"the connection is closed": func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) },
	"the upgrade is taken, and the connection closed": func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		up := websocket.Upgrader{Subprotocols: websocket.Subprotocols(r)}
		if ws, err := up.Upgrade(w, r, nil); err == nil {
			_ = ws.Close()
		}
	},
}

// Each kind of failed first start has one sentence, in the log, in the answer of a tool, and in the report of doctor.
func TestFirstStartFails(t *testing.T) {
	kit.AddNotebook(t, "a.ipynb", kit.NotebookText(t, []kit.Cell{kit.Code("x = 1")}))
	shared := []*lab.Lab{kit.Jupyter(t)}
	here := faults.Values{Address: kit.Jupyter(t).URL}
	t.Run("no_server", func(t *testing.T) {
		startFails(t, shared, []string{"JUPYTER_RUNTIME_DIR=" + t.TempDir()}, faults.New(faults.NoServer, faults.Values{}))
	})
	t.Run("wrong_token", func(t *testing.T) {
		startFails(t, shared, []string{"JUPYTER_SERVER_URL=" + kit.Jupyter(t).URL, "JUPYTER_TOKEN=wr0ng-t0ken"}, faults.New(faults.WrongToken, here))
	})
	t.Run("not_there", func(t *testing.T) {
		startFails(t, nil, []string{"JUPYTER_SERVER_URL=http://127.0.0.1:9", "JUPYTER_TOKEN=t0ken"}, faults.New(faults.NotThere,
			faults.Values{Address: "http://127.0.0.1:9", Detail: "dial tcp 127.0.0.1:9: connect: connection refused"}))
	})
	t.Run("not_jupyter", func(t *testing.T) {
		address := kit.Jupyter(t).URL + "/no/such/prefix"
		startFails(t, shared, []string{"JUPYTER_SERVER_URL=" + address, "JUPYTER_TOKEN=" + kit.Jupyter(t).Token}, faults.New(faults.NotJupyter, faults.Values{Address: address}))
	})
	t.Run("http_not_https", func(t *testing.T) {
		address := "https" + strings.TrimPrefix(kit.Jupyter(t).URL, "http")
		startFails(t, shared, []string{"JUPYTER_SERVER_URL=" + address, "JUPYTER_TOKEN=" + kit.Jupyter(t).Token}, faults.New(faults.HTTPNotHTTPS, faults.Values{Address: address}))
	})
	for name, eat := range eaters {
		t.Run("websockets_eaten: "+name, func(t *testing.T) {
			proxy := eating(t, kit.Jupyter(t), eat)
			startFails(t, shared, []string{"JUPYTER_SERVER_URL=" + proxy, "JUPYTER_TOKEN=" + kit.Jupyter(t).Token}, faults.New(faults.WebsocketsEaten, faults.Values{Address: proxy}))
			// The same for the kernels' server only.
			env := []string{"DOCUMENT_URL=" + kit.Jupyter(t).URL, "DOCUMENT_TOKEN=" + kit.Jupyter(t).Token, "RUNTIME_URL=" + proxy, "RUNTIME_TOKEN=" + kit.Jupyter(t).Token}
			startFails(t, shared, env, faults.New(faults.WebsocketsEaten, faults.Values{}).ForRole("runtime"))
		})
	}
	t.Run("port_in_use", func(t *testing.T) {
		address := strings.TrimPrefix(kit.Jupyter(t).URL, "http://")
		_, port, _ := strings.Cut(address, ":")
		p, err := agent.Spawn(agent.Options{Binary: kit.Binary(t), Args: []string{"--transport=http", "--port=" + port}, Env: append(kit.AgentEnv(t), "HOME="+t.TempDir())})
		must.NoError(t, err)
		<-p.Exited()
		if sentence := "nbduet: " + faults.New(faults.PortInUse, faults.Values{Address: address, Detail: "another program"}).Error() + "\n"; !strings.HasSuffix(p.Log(), sentence) {
			t.Errorf("its last line is not %q: %s", sentence, p.Log())
		}
	})
	t.Run("no_collaboration", func(t *testing.T) {
		l := labWith(t, lab.Options{Args: []string{`--ServerApp.jpserver_extensions={"jupyter_server_ydoc": False, "jupyterlab": True}`}})
		startFails(t, []*lab.Lab{l}, reachLab(l), faults.New(faults.NoCollaboration, faults.Values{}))
		// With another server on this machine there are two.
		dir := t.TempDir()
		for _, one := range []*lab.Lab{l, kit.Jupyter(t)} {
			name := fmt.Sprintf("jpserver-%d.json", one.PID)
			text, err := os.ReadFile(filepath.Join(one.RuntimeDir, name))
			must.NoError(t, err)
			must.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		}
		list := []string{l.URL + " (root folder " + l.Root + ")", kit.Jupyter(t).URL + " (root folder " + kit.Jupyter(t).Root + ")"}
		if list[0] > list[1] {
			list[0], list[1] = list[1], list[0]
		}
		startFails(t, []*lab.Lab{l, kit.Jupyter(t)}, []string{"JUPYTER_RUNTIME_DIR=" + dir}, faults.New(faults.SeveralServers, faults.Values{Detail: strings.Join(list, ", ")}))
	})
	t.Run("tabs_apart", func(t *testing.T) {
		l := labWith(t, lab.Options{Args: []string{"--YDocExtension.disable_rtc=True"}})
		startFails(t, []*lab.Lab{l}, reachLab(l), faults.New(faults.TabsApart, faults.Values{}))
	})
	t.Run("private_ca", func(t *testing.T) {
		cert, key, pool := kit.SelfSigned(t)
		link := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true}
		l := labWith(t, lab.Options{Client: &http.Client{Transport: link}, Args: []string{"--ServerApp.certfile=" + cert, "--ServerApp.keyfile=" + key}})
		on := []*lab.Lab{l}
		startFails(t, on, reachLab(l), faults.New(faults.PrivateCA, faults.Values{Address: l.URL}))
		t.Run("believed", func(t *testing.T) {
			believes := firstStart(t, []string{"JUPYTER_RUNTIME_DIR=" + l.RuntimeDir}, "--ca-file="+cert)
			answer, err := believes.Call(t.Context(), "insert_nb_cells", kit.Insert("a.ipynb", 0, true, "6 * 7"))
			must.NoError(t, err)
			test.False(t, answer.IsError, test.Sprint("with the file"))
			test.StrContains(t, answer.Text, "42", test.Sprint("with the file"))
		})
		doctorIsFine(t, on, []string{"JUPYTER_RUNTIME_DIR=" + l.RuntimeDir}, "--ca-file="+cert)
		address := "http" + strings.TrimPrefix(l.URL, "https")
		startFails(t, on, []string{"JUPYTER_SERVER_URL=" + address, "JUPYTER_TOKEN=" + l.Token}, faults.New(faults.HTTPSNotHTTP, faults.Values{Address: address}))
	})
}

// Old rooms come from an environment that is installed for this test.
func TestFirstStartOnOldJupyterLab(t *testing.T) {
	made := exec.CommandContext(t.Context(), "../scripts/lab.sh", "4.1", "1")
	made.Stderr = os.Stderr
	program, err := made.Output()
	must.NoError(t, err)
	l := labWith(t, lab.Options{Command: []string{strings.TrimSpace(string(program)), "lab"}})
	startFails(t, []*lab.Lab{l}, reachLab(l), faults.New(faults.OldCollaboration, faults.Values{Detail: "it is that of JupyterLab 4.1.8"}))
}
