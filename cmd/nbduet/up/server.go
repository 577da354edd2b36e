package up

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

const (
	// startTime is how long a server may take to answer: the first start of an installation compiles many files.
	startTime = 3 * time.Minute
	// lookAgain is the interval of the search for the server meanwhile.
	lookAgain = 200 * time.Millisecond
	// tailLines is the number of log lines shown if the server dies, and tailBytes the size of the text that is read for
	// them.
	tailLines, tailBytes = 8, 1 << 14
)

// program starts JupyterLab. With Python's own -m, a file in the folder that is named like one of Jupyter's modules would be
// imported instead.
const program = `import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]
import runpy
runpy.run_module("jupyterlab", run_name="__main__", alter_sys=True)
`

// A server is a JupyterLab that this command started.
type server struct {
	cmd     *exec.Cmd
	log     string
	token   string
	ended   chan struct{} // closed when it has ended
	status  error         // of its end; set before ended is closed
	running jupyter.Running
	api     *jupyter.Server // nil until it answers
}

// A start describes the server to start.
type start struct {
	python, folder, notebook, log, token string
	port                                 int
	browser, root                        bool
	extensions                           string // the folder with the extension of JupyterLab
}

// server starts JupyterLab, waits until it answers, and checks that clients can work with it. The context bounds only that.
func (s start) server(ctx context.Context) (*server, error) {
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start JupyterLab: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(s.python, s.args()...)
	own(cmd)
	cmd.Dir = s.folder
	cmd.Env = s.env(os.Environ())
	cmd.Stdout, cmd.Stderr = log, log // not a pipe, which a kernel could hold open
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start JupyterLab: %w", err)
	}
	v := &server{cmd: cmd, log: s.log, token: s.token, ended: make(chan struct{})}
	go func() {
		defer close(v.ended)
		v.status = cmd.Wait()
	}()
	ctx, stop := context.WithTimeoutCause(ctx, startTime, fmt.Errorf("it did not answer within %s", startTime))
	defer stop()
	if err = v.answers(ctx, s.folder); err == nil {
		err = collaborates(ctx, v.api)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start JupyterLab: %w", err), v.end(nil))
	}
	return v, nil
}

func (s start) args() []string {
	args := []string{
		"-c", program, "--ServerApp.ip=127.0.0.1", "--ServerApp.port=" + strconv.Itoa(s.port), "--ServerApp.port_retries=0",
		"--ServerApp.root_dir=" + s.folder, "--LabApp.extra_labextensions_path=" + s.extensions,
	}
	if !s.browser {
		args = append(args, "--ServerApp.open_browser=False")
	}
	if s.notebook != "" {
		args = append(args, "--ServerApp.file_to_run="+filepath.Join(s.folder, s.notebook)) // the browser opens it
	}
	if s.root {
		args = append(args, "--allow-root")
	}
	return args
}

// env adds the token, which other users could read if it were an argument. The environment's programs come first in PATH, so
// that !pip in a notebook is the environment's pip.
func (s start) env(env []string) []string {
	env = append(env, "JUPYTER_TOKEN="+s.token, "PATH="+filepath.Dir(s.python)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if dirs := jupyter.DefaultRuntimeDirs(); len(dirs) > 0 {
		env = append(env, "JUPYTER_RUNTIME_DIR="+dirs[0]) // clients look there
	}
	return env
}

// answers waits until the server is found among the running ones.
func (v *server) answers(ctx context.Context, folder string) error {
	for {
		found, err := runningIn(ctx, folder, v.isThis)
		if found != nil {
			v.running = *found
			v.api, err = jupyter.New(jupyter.Options{URL: found.URL, Token: found.Token, Timeout: endTime})
			return err
		}
		if err == nil {
			select {
			case <-v.ended:
				return v.died()
			case <-ctx.Done():
			case <-time.After(lookAgain):
				continue
			}
		}
		return context.Cause(ctx)
	}
}

// runningIn finds a running server whose root is the folder and for which wanted returns true.
func runningIn(ctx context.Context, folder string, wanted func(jupyter.Running) bool) (*jupyter.Running, error) {
	all, err := jupyter.Discover(ctx, nil)
	for _, r := range all {
		if root, err := resolved(r.Root); err == nil && root == folder && wanted(r) {
			return &r, nil
		}
	}
	return nil, err
}

// isThis reports whether a server is this one. On Windows its process differs from the one that was started; its token
// differs if a configuration sets one.
func (v *server) isThis(r jupyter.Running) bool {
	return r.Token == v.token || r.PID == v.cmd.Process.Pid
}

// died says how the server has ended, and why.
func (v *server) died() error {
	how := "it has ended"
	if v.status != nil {
		how += " (" + v.status.Error() + ")"
	}
	return fmt.Errorf("%s; the end of its log, %s:\n%s", how, v.log, v.tail())
}

// tail returns the end of the log, without the token.
func (v *server) tail() string {
	f, err := os.Open(v.log)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		_, _ = f.Seek(-tailBytes, io.SeekEnd)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	said := strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
	return strings.ReplaceAll(said, v.token, "...")
}

// collaborates returns an error if a server has no real-time collaboration, because a configuration can turn it off.
func collaborates(ctx context.Context, srv *jupyter.Server) error {
	rooms, err := srv.Rooms.Available(ctx)
	if err == nil && !rooms {
		return errors.New("its real-time collaboration is turned off: see `jupyter server extension list`, or use nbduet's own with --own")
	}
	return err
}

// isFree returns an error if a port is in use.
func isFree(ctx context.Context, port int) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return usage("--port: %d is not free: %w", port, err)
	}
	return l.Close()
}
