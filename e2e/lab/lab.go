package lab

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/ystore"
)

// Options are the options of a server. The zero value is valid.
type Options struct {
	// Root is the folder that the server shows; empty means a temporary one.
	Root string
	// Token is the server's token; empty means a random one of 48 characters.
	Token string
	// BaseURL is the server's path prefix, such as "/user/ann/"; empty means "/".
	BaseURL string
	// Args are further arguments of `jupyter lab`.
	Args []string
	// Command starts the server instead of the `jupyter lab` that [Program] finds: an absolute path and first arguments.
	Command []string
	// Env are further variables of the server's environment.
	Env []string
	// ReadyPath is the path that is polled until the server answers; empty means /api/status, which also checks the
	// token.
	ReadyPath string
	// Client is for a server with a private certificate; nil means the usual client.
	Client *http.Client
	// Log, if not nil, gets a copy of the server's output.
	Log io.Writer
	// StartTimeout is how long the server may take to answer; 0 means two minutes.
	StartTimeout time.Duration
}

// Lab is a running JupyterLab.
type Lab struct {
	// URL is the server's address with its prefix and without a trailing
	// slash or token, such as http://127.0.0.1:40123.
	URL string
	// Token is the token for the Authorization header.
	Token string
	// Root is the folder that the server shows.
	Root string
	// RuntimeDir is the folder of the server's jpserver-*.json.
	RuntimeDir string
	// PID is the server's process id and its process group.
	PID int
	// LogFile holds the output of the server and its kernels.
	LogFile string

	client *http.Client
	dirs   layout
	log    *os.File
	exited chan struct{} // closed when the process has ended
	exit   error         // its error; read after exited
	once   sync.Once
}

// Start starts a JupyterLab on a free loopback port and returns when it answers. The context limits only the start; the
// server runs until Stop.
func Start(ctx context.Context, opt Options) (*Lab, error) {
	if len(opt.Command) == 0 {
		program, err := Program()
		if err != nil {
			return nil, err
		}
		opt.Command = []string{program, "lab"}
	}
	if opt.ReadyPath == "" {
		opt.ReadyPath = "/api/status"
	}
	if opt.Client == nil {
		opt.Client = http.DefaultClient
	}
	if opt.Token == "" {
		secret := make([]byte, 24)
		if _, err := rand.Read(secret); err != nil {
			return nil, fmt.Errorf("make a token: %w", err)
		}
		opt.Token = hex.EncodeToString(secret)
	}
	if opt.StartTimeout == 0 {
		opt.StartTimeout = 2 * time.Minute
	}
	base, err := os.MkdirTemp("", "nbduet-lab-")
	if err != nil {
		return nil, fmt.Errorf("start JupyterLab: %w", err)
	}
	l, err := start(base, opt)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(base))
	}
	ctx, cancel := context.WithTimeout(ctx, opt.StartTimeout)
	defer cancel()
	if err := l.waitReady(ctx, opt.ReadyPath); err != nil {
		tail := l.LogTail(20)
		return nil, errors.Join(fmt.Errorf("start JupyterLab: %w; the end of its log:\n%s", err, tail), l.Stop())
	}
	return l, nil
}

// start makes the folders and starts the process.
func start(base string, opt Options) (*Lab, error) {
	dirs, err := newLayout(base, opt.Root)
	if err != nil {
		return nil, err
	}
	if err := dirs.writeSettings(); err != nil {
		return nil, err
	}
	// The collaboration store is written into the working directory.
	if err := ystore.Prepare(opt.Command[0], dirs.work); err != nil {
		return nil, err
	}
	fonts, err := fontCache()
	if err != nil {
		return nil, err
	}
	l := &Lab{
		Token:      opt.Token,
		Root:       dirs.root,
		RuntimeDir: dirs.runtime,
		LogFile:    filepath.Join(base, "jupyter.log"),
		client:     opt.Client,
		dirs:       dirs,
		exited:     make(chan struct{}),
	}
	l.log, err = os.Create(l.LogFile)
	if err != nil {
		return nil, fmt.Errorf("start JupyterLab: %w", err)
	}
	args := append(opt.Command[1:len(opt.Command):len(opt.Command)], []string{
		"--no-browser",
		"--allow-root", // containers run as root, which Jupyter refuses otherwise
		"--ServerApp.ip=127.0.0.1",
		"--ServerApp.port=0",
		"--ServerApp.root_dir=" + dirs.root,
		"--LabApp.expose_app_in_browser=True",
		"--LabApp.extension_manager=readonly",
	}...)
	if opt.BaseURL != "" {
		args = append(args, "--ServerApp.base_url="+opt.BaseURL)
	}
	cmd := exec.Command(opt.Command[0], append(args, opt.Args...)...)
	cmd.Dir = dirs.work
	cmd.Env = append(dirs.serverEnv(opt.Command[0], opt.Token, fonts), opt.Env...)
	// A file, not a pipe: kernels inherit it, and a pipe that a kernel holds
	// open would keep Wait from returning.
	cmd.Stdout, cmd.Stderr = l.log, l.log
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start JupyterLab with %s: %w", opt.Command[0], err), l.log.Close())
	}
	l.PID = cmd.Process.Pid
	go func() {
		defer close(l.exited)
		l.exit = cmd.Wait()
	}()
	return l, nil
}

// fontCache returns the folder in which matplotlib keeps its list of fonts between runs.
func fontCache() (string, error) {
	root, err := RepoRoot()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".cache", "matplotlib")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the cache of matplotlib: %w", err)
	}
	return dir, nil
}

// waitReady polls until the server has written its address and answers there with the token, and sets URL.
func (l *Lab) waitReady(ctx context.Context, path string) error {
	name := filepath.Join(l.RuntimeDir, fmt.Sprintf("jpserver-%d.json", l.PID))
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if l.URL == "" {
			// A partly written file is not an error: the next read gets it whole.
			if text, err := os.ReadFile(name); err == nil {
				var info struct {
					URL string `json:"url"`
				}
				if json.Unmarshal(text, &info) == nil && info.URL != "" {
					l.URL = strings.TrimRight(info.URL, "/")
				}
			}
		}
		if l.URL != "" && l.Get(ctx, path, nil) == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-l.exited:
			return fmt.Errorf("the server ended before it was ready: %w", exitError(l.exit))
		case <-ctx.Done():
			return fmt.Errorf("the server was not ready in time: %w", ctx.Err())
		}
	}
}

// EndKernel shuts down the kernel of the notebook at path, if it has one.
func (l *Lab) EndKernel(ctx context.Context, path string) error {
	var sessions []struct {
		ID   string `json:"id"`
		Path string `json:"path"`
	}
	if err := l.Get(ctx, "/api/sessions", &sessions); err != nil {
		return err
	}
	for _, s := range sessions {
		if s.Path != path {
			continue
		}
		err := l.request(ctx, http.MethodDelete, "/api/sessions/"+s.ID, http.StatusNoContent, nil)
		var status *statusError
		if errors.As(err, &status) && status.code == http.StatusNotFound {
			continue // it was ended in the meantime
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Get fetches path (such as "/api/contents") below URL with the token and
// decodes the JSON answer into out, unless out is nil.
func (l *Lab) Get(ctx context.Context, path string, out any) error {
	return l.request(ctx, http.MethodGet, path, http.StatusOK, out)
}

// statusError is an unexpected status of an answer.
type statusError struct {
	code int
	text string
}

// Error implements error.
func (e *statusError) Error() string { return e.text }

// request sends a request with the token and expects the given status.
func (l *Lab) request(ctx context.Context, method, path string, want int, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, l.URL+path, nil)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.Header.Set("Authorization", "token "+l.Token)
	resp, err := l.client.Do(req)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode != want {
		return fmt.Errorf("%s %s: %w", method, path, &statusError{resp.StatusCode, resp.Status})
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// PageURL returns the address that opens a file (a path below Root, with slashes) in a JupyterLab workspace of the given
// name, with a fresh layout and the token that lets a browser in.
func (l *Lab) PageURL(workspace, file string) string {
	parts := strings.Split(file, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return fmt.Sprintf("%s/lab/workspaces/%s/tree/%s?reset&token=%s",
		l.URL, url.PathEscape(workspace), strings.Join(parts, "/"), url.QueryEscape(l.Token))
}

// ClientEnv returns the environment for a program that finds this server as it would find the user's: by Jupyter's
// runtime directory.
func (l *Lab) ClientEnv() []string {
	return append(append(CleanEnv(), "HOME="+l.dirs.home), l.dirs.clientEnv()...)
}

// Path returns the path on disk of a file of the server.
func (l *Lab) Path(file string) string { return filepath.Join(l.Root, filepath.FromSlash(file)) }

// LogTail returns the last n lines of the server's output.
func (l *Lab) LogTail(n int) string {
	text, err := os.ReadFile(l.LogFile)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Exited is closed when the server's process has ended.
func (l *Lab) Exited() <-chan struct{} { return l.exited }

// Stop ends the server with its kernels, waits for its end and removes its
// temporary folder. It may be called again and by several goroutines.
func (l *Lab) Stop() error {
	var errs []error
	l.once.Do(func() {
		errs = append(errs, l.end(), l.log.Close(), os.RemoveAll(l.dirs.base))
	})
	<-l.exited
	return errors.Join(errs...)
}

// end asks the process group to stop and kills it after some seconds.
func (l *Lab) end() error {
	select {
	case <-l.exited:
		return nil
	default:
	}
	if err := terminateGroup(l.PID); err != nil {
		return fmt.Errorf("stop JupyterLab: %w", err)
	}
	select {
	case <-l.exited:
		return nil
	case <-time.After(15 * time.Second):
	}
	if err := killGroup(l.PID); err != nil {
		return fmt.Errorf("stop JupyterLab: %w", err)
	}
	<-l.exited
	return nil
}

// exitError turns an unexpected clean exit into an error.
func exitError(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}
