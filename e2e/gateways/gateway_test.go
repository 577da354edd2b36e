package gateways

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
)

// kind is a kind of gateway.
type kind struct {
	heading  string // in the page
	sub      string // subcommand of jupyter
	folder   string // its environment
	variable string // names a program in another environment
	make     string // the make target that installs it
}

var kinds = map[string]kind{
	"kernel":     {"Jupyter Kernel Gateway", "kernelgateway", ".cache/gateway", "NBDUET_KERNEL_GATEWAY", "gateway"},
	"enterprise": {"Jupyter Enterprise Gateway", "enterprisegateway", ".cache/enterprise", "NBDUET_ENTERPRISE_GATEWAY", "enterprise"},
}

// each runs a test with each kind of gateway.
func each(t *testing.T, test func(t *testing.T, k kind)) {
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, k)
		})
	}
}

// gateway is a gateway of a kind, at one port, which can be ended and started again.
type gateway struct {
	t     *testing.T
	kind  kind
	port  string
	dir   string // its own folder, in which its kernels begin
	cmd   *exec.Cmd
	ended chan struct{}
}

// newGateway starts a gateway and ends it after the test.
func newGateway(t *testing.T, k kind) *gateway {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must.NoError(t, err)
	g := &gateway{t: t, kind: k, port: portOf(free.Addr()), dir: t.TempDir()}
	must.NoError(t, free.Close())
	t.Cleanup(func() {
		g.end(syscall.SIGTERM)
		if t.Failed() {
			text, _ := os.ReadFile(filepath.Join(g.dir, "log"))
			t.Logf("the log of the gateway:\n%s", text)
		}
	})
	g.start()
	return g
}

// start starts the gateway as the page says and waits until it answers.
func (g *gateway) start() {
	g.t.Helper()
	root, err := lab.RepoRoot()
	must.NoError(g.t, err)
	program := os.Getenv(g.kind.variable)
	if program == "" {
		program = filepath.Join(root, g.kind.folder, "bin", "jupyter-"+g.kind.sub)
	}
	if program, err = exec.LookPath(program); err != nil {
		g.t.Fatalf("run `make %s` first: %v", g.kind.make, err)
	}
	c, err := commandOf(g.kind.heading, g.port, "jupyter", g.kind.sub)
	must.NoError(g.t, err)
	log, err := os.OpenFile(filepath.Join(g.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must.NoError(g.t, err)
	defer log.Close()
	g.cmd = exec.Command(program, c.args...)
	g.cmd.Dir = g.dir
	g.cmd.Stdout, g.cmd.Stderr = log, log
	g.cmd.Env = append(lab.CleanEnv(),
		"PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+g.dir,
		"JUPYTER_DATA_DIR="+filepath.Join(g.dir, "data"), "JUPYTER_RUNTIME_DIR="+filepath.Join(g.dir, "runtime"), "JUPYTER_CONFIG_DIR="+filepath.Join(g.dir, "config"),
		"IPYTHONDIR="+filepath.Join(g.dir, "ipython"), "MPLCONFIGDIR="+filepath.Join(root, ".cache", "matplotlib"))
	g.cmd.Env = append(g.cmd.Env, c.env...)
	must.NoError(g.t, g.cmd.Start())
	g.ended = make(chan struct{})
	go func() {
		defer close(g.ended)
		_ = g.cmd.Wait() // the channel reports its end
	}()
	must.NoError(g.t, poll.Until(g.t.Context(), "the gateway to answer", func(ctx context.Context) error {
		select {
		case <-g.ended:
			g.t.Fatal("the gateway has ended")
		default:
		}
		return g.answers(ctx)
	}))
}

func (g *gateway) answers(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+g.port+"/api", nil)
	if err != nil {
		return err
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", res.Status)
	}
	return nil
}

// end ends the gateway with a signal; its kernels notice and end too.
func (g *gateway) end(how syscall.Signal) {
	if g.ended == nil {
		return
	}
	select {
	case <-g.ended:
		return
	default:
	}
	_ = g.cmd.Process.Signal(how) // it may have ended
	select {
	case <-g.ended:
	case <-time.After(20 * time.Second):
		_ = g.cmd.Process.Kill()
		<-g.ended
	}
}

func portOf(a net.Addr) string {
	_, port, _ := net.SplitHostPort(a.String())
	return port
}

// site is a JupyterLab with a gateway's kernels.
type site struct {
	t *testing.T
	*lab.Lab
}

// newSite starts a JupyterLab as the page says, with the gateway at a port.
func newSite(t *testing.T, k kind, port string) *site {
	t.Helper()
	c, err := commandOf(k.heading, port, "jupyter", "lab")
	must.NoError(t, err)
	l, err := lab.Start(t.Context(), lab.Options{Args: c.args, Env: c.env})
	must.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of JupyterLab's log:\n%s", l.LogTail(60))
		}
		if err := l.Stop(); err != nil {
			t.Error(err)
		}
	})
	return &site{t, l}
}

// notebook writes a notebook with code cells c0, c1 and so on.
func (s *site) notebook(sources ...string) (path string) {
	s.t.Helper()
	path = strings.NewReplacer("/", "-", " ", "-").Replace(s.t.Name()) + ".ipynb"
	must.NoError(s.t, os.WriteFile(s.Path(path), notebookText(s.t, sources), 0o600))
	return path
}
