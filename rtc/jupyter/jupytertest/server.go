package jupytertest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
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

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/ystore"
)

// startTimeout bounds a start: it takes 2 to 7 seconds on a quiet machine.
const startTimeout = 90 * time.Second

// Server is a running Jupyter server, or a fake of one.
type Server struct {
	// URL is the server's base URL without a trailing slash.
	URL   string
	Token string
	// Root is the folder that the server serves.
	Root string
	// PID is the server's process id, 0 if it was not started here.
	PID int
	// RuntimeDir contains the server's jpserver-*.json; empty if it was not started here.
	RuntimeDir string

	// Fake gives access to features of a fake, such as faults; nil for a real server.
	Fake *fake.Server

	cmd  *exec.Cmd
	dir  string // temporary folder: root, home, log
	dial dialFunc
	stop func() // of a fake
}

// dialFunc is the type of [net.Dialer.DialContext].
type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// launch starts a real server and waits until it answers.
func launch(c config) (*Server, error) {
	program, err := findJupyter(c)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "nbduet-jupyter-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for Jupyter: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("make a folder for Jupyter: %w", err)
	}
	s := &Server{Token: c.token, Root: filepath.Join(dir, "root"), RuntimeDir: filepath.Join(dir, "runtime"), dir: dir}
	if c.root != "" {
		s.Root = c.root
	}
	if err := s.spawn(program, c); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	if err := s.waitReady(); err != nil {
		err = fmt.Errorf("%w; its log ends:\n%s", err, s.LogTail())
		s.Stop()
		return nil, err
	}
	return s, nil
}

// spawn starts the process. Its output goes to a file, so that no goroutine has to copy it.
func (s *Server) spawn(program string, c config) error {
	for _, d := range []string{"root", "home", "runtime", "config", "data", "ipython"} {
		if err := os.Mkdir(filepath.Join(s.dir, d), 0o700); err != nil {
			return fmt.Errorf("make a folder for Jupyter: %w", err)
		}
	}
	if c.collab {
		if err := ystore.Prepare(program, s.dir); err != nil {
			return err
		}
	}
	log, err := os.Create(filepath.Join(s.dir, "jupyter.log"))
	if err != nil {
		return fmt.Errorf("make Jupyter's log: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(program, arguments(s.Root, c)...)
	cmd.Dir = s.dir // the rooms' history is stored in the working folder
	cmd.Stdout, cmd.Stderr = log, log
	home := filepath.Join(s.dir, "home")
	cmd.Env = append(cleanEnv(os.Environ()),
		"HOME="+home, "USERPROFILE="+home,
		"JUPYTER_RUNTIME_DIR="+s.RuntimeDir,
		"JUPYTER_CONFIG_DIR="+filepath.Join(s.dir, "config"),
		"JUPYTER_DATA_DIR="+filepath.Join(s.dir, "data"),
		"IPYTHONDIR="+filepath.Join(s.dir, "ipython"),
		"JUPYTER_NO_CONFIG=", "PYTHONDONTWRITEBYTECODE=1")
	cmd.Env = append(cmd.Env, c.env...)
	dieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	s.cmd, s.PID = cmd, cmd.Process.Pid
	return nil
}

// arguments returns the command line after the program's name.
func arguments(root string, c config) []string {
	app := "server"
	if c.lab {
		app = "lab"
	}
	python := func(b bool) string {
		if b {
			return "True"
		}
		return "False"
	}
	// Only the extensions that the tests need are loaded: each one costs start-up time.
	extensions := fmt.Sprintf("{'jupyterlab': %[1]s, 'jupyter_lsp': False, 'jupyter_server_terminals': False, 'notebook_shim': False, "+
		"'jupyter_server_fileid': %[4]s, 'jupyter_server_ydoc': %[2]s, 'jupyter_server_documents': %[3]s}",
		python(c.lab), python(c.collab), python(c.documents), python(c.collab || c.documents))
	args := []string{
		app, "--no-browser", "--allow-root",
		"--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", "--ServerApp.root_dir=" + root,
		"--IdentityProvider.token=" + c.token,
		"--ServerApp.jpserver_extensions=" + extensions, "--ServerApp.terminals_enabled=False",
		"--ServerApp.log_level=INFO",
	}
	if c.lab {
		args = append(args, "--LabApp.expose_app_in_browser=True", "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate")
	}
	if c.baseURL != "" {
		args = append(args, "--ServerApp.base_url="+c.baseURL)
	}
	return append(args, c.flags...)
}

// cleanEnv removes the variables that make Jupyter read other configuration or write elsewhere.
func cleanEnv(env []string) []string {
	var kept []string
	for _, e := range env {
		if strings.HasPrefix(e, "JUPYTER") || strings.HasPrefix(e, "XDG_") || strings.HasPrefix(e, "IPYTHON") ||
			strings.HasPrefix(e, "NBDUET_") || strings.HasPrefix(e, "PYTHON") || strings.HasPrefix(e, "HOME=") {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// waitReady waits until the server has written its address and answers there.
func (s *Server) waitReady() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	file := filepath.Join(s.RuntimeDir, fmt.Sprintf("jpserver-%d.json", s.PID))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		if s.URL == "" {
			var info struct {
				URL  string `json:"url"`
				Port int    `json:"port"`
			}
			if b, err := os.ReadFile(file); err == nil && json.Unmarshal(b, &info) == nil && info.Port != 0 {
				s.URL = strings.TrimRight(info.URL, "/")
			}
		}
		if s.URL != "" && s.answers(ctx, client) {
			return nil
		}
		if exited(s.PID) {
			return errors.New("the Jupyter server ended while starting")
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the Jupyter server did not answer within %v", startTimeout)
		case <-time.After(30 * time.Millisecond):
		}
	}
}

func (s *Server) answers(ctx context.Context, client *http.Client) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/status", nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "token "+s.Token)
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// Stop ends the server and removes its folder: SIGTERM, and after ten seconds SIGKILL. It may be called again, and
// does nothing for a server that was not started here.
func (s *Server) Stop() { s.end(syscall.SIGTERM) }

// Kill ends the server at once, as a crash would, and keeps its folder until [Server.Stop].
func (s *Server) Kill() {
	if s.stop != nil {
		s.stop()
	}
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait() // the exit status of a killed process does not matter
		s.cmd = nil
	}
}

// KillProcess kills the process of a kernel, by its process id.
func (s *Server) KillProcess(t testing.TB, pid int) {
	t.Helper()
	if s.Fake != nil {
		if !s.Fake.Kill(pid) {
			t.Fatalf("there is no process %d", pid)
		}
		return
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) end(sig os.Signal) {
	if s.stop != nil {
		s.stop()
	}
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(sig)
		patience := time.AfterFunc(10*time.Second, func() { _ = s.cmd.Process.Kill() })
		_ = s.cmd.Wait()
		patience.Stop()
		s.cmd = nil
	}
	if s.dir != "" {
		os.RemoveAll(s.dir)
		s.dir = ""
	}
}

// LogTail returns the end of the server's log, without the token.
func (s *Server) LogTail() string {
	if s.dir == "" {
		return ""
	}
	b, err := os.ReadFile(filepath.Join(s.dir, "jupyter.log"))
	if err != nil {
		return ""
	}
	if len(b) > 4000 {
		b = b[len(b)-4000:]
	}
	if s.Token != "" {
		b = bytes.ReplaceAll(b, []byte(s.Token), []byte("[token]"))
	}
	return string(b)
}

// findJupyter returns the program to start.
func findJupyter(c config) (string, error) {
	name, venv, target := "NBDUET_JUPYTER", ".venv", "venv"
	if c.documents {
		name, venv, target = "NBDUET_JUPYTER_DOCUMENTS", ".venv-jsd", "venv-jsd"
	}
	program := os.Getenv(name)
	if program == "" {
		program = filepath.Join(repository(), venv, "bin", "jupyter")
	}
	if info, err := os.Stat(program); err != nil || info.IsDir() {
		return "", fmt.Errorf("no Jupyter at %s: run `make %s`, or name one with %s", program, target, name)
	}
	return program, nil
}

// repository returns the top folder of the repository that the tests run in.
func repository() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	for d := dir; ; d = filepath.Dir(d) {
		if b, err := os.ReadFile(filepath.Join(d, "go.mod")); err == nil {
			first, _, _ := strings.Cut(string(b), "\n")
			if strings.TrimSpace(first) == "module github.com/nbduet/nbduet" {
				return d
			}
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
