package hubs

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
)

// mark is a variable in the environment of all descendants of a hub. Its value is the folder.
const mark = "NBDUET_TESTS_HUB"

// Options are the options of a hub.
type Options struct {
	// Version is 5 or 6.
	Version int
	// Prefix is the hub's path prefix, such as "/labs/"; empty means "/".
	Prefix string
	// Config is the test's part of jupyterhub_config.py.
	Config string
	// Python is the interpreter of the users' servers; empty means the one of .venv.
	Python string
	// Env has additional variables for the users' servers.
	Env []string
}

// Hub is a running JupyterHub.
type Hub struct {
	// URL is the hub's address with its prefix and without a trailing slash.
	URL string

	secret string // of a service with all permissions that tests need
	dirs   layout
	log    *os.File
	pid    int
	exited chan struct{} // closed when the hub's process has ended
	exit   error         // its error; read after exited
	once   sync.Once
	ending error
}

// Start starts a hub and returns when it answers. The context limits only the start; the hub runs until Stop.
func Start(ctx context.Context, opt Options) (*Hub, error) {
	dirs, err := find(opt)
	if err != nil {
		return nil, err
	}
	if dirs.base, err = os.MkdirTemp("", "nbduet-hub-"); err != nil {
		return nil, fmt.Errorf("start JupyterHub: %w", err)
	}
	h := &Hub{dirs: dirs, exited: make(chan struct{})}
	if err := h.start(ctx, opt); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dirs.base))
	}
	err = poll.Until(ctx, "the hub to answer", func(ctx context.Context) error {
		select {
		case <-h.exited:
			return nil // waiting is useless
		default:
			return h.Call(ctx, http.MethodGet, "/info", nil, nil)
		}
	})
	select {
	case <-h.exited:
		err = fmt.Errorf("the hub has ended: %w", errors.Join(h.exit, err))
	default:
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start JupyterHub: %w; the end of its log:\n%s", err, h.LogTail(30)), h.Stop())
	}
	return h, nil
}

// start makes the folders and starts the process.
func (h *Hub) start(ctx context.Context, opt Options) error {
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return fmt.Errorf("make a token: %w", err)
	}
	h.secret = hex.EncodeToString(secret)
	env, err := h.dirs.write(ctx, opt, h.secret)
	if err != nil {
		return err
	}
	h.URL = "http://" + h.dirs.address + strings.TrimRight(opt.Prefix, "/")
	if h.log, err = os.Create(filepath.Join(h.dirs.base, "hub.log")); err != nil {
		return fmt.Errorf("start JupyterHub: %w", err)
	}
	cmd := exec.Command(h.dirs.python, "-m", "jupyterhub", "-f", h.dirs.config())
	cmd.Dir, cmd.Env = h.dirs.base, append(clean(), env...)
	cmd.Stdout, cmd.Stderr = h.log, h.log // a file, which child processes may hold open
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("start JupyterHub: %w", err), h.log.Close())
	}
	h.pid = cmd.Process.Pid
	go func() {
		defer close(h.exited)
		h.exit = cmd.Wait()
	}()
	return nil
}

// clean returns the machine's environment without variables that lead to another hub's proxy, servers or settings.
func clean() (env []string) {
	for _, pair := range lab.CleanEnv() {
		if !strings.HasPrefix(pair, "CONFIGPROXY_") {
			env = append(env, pair)
		}
	}
	return env
}

// Home returns a user's folder, which the user's server shows.
func (h *Hub) Home(user string) string { return filepath.Join(h.dirs.homes, user) }

// LogTail returns the last n lines that the hub, its proxy and the users' servers printed.
func (h *Hub) LogTail(n int) string {
	text, err := os.ReadFile(h.log.Name())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Stop ends the hub with its proxy and all servers, waits for their end, and removes the temporary folder. It may be
// called again and by several goroutines.
func (h *Hub) Stop() error {
	h.once.Do(func() {
		h.ending = errors.Join(h.end(), h.sweep(), h.log.Close(), os.RemoveAll(h.dirs.base))
	})
	<-h.exited
	return h.ending
}

// end asks the hub to stop, which stops its servers, and kills it after some time.
func (h *Hub) end() error {
	for _, with := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if err := syscall.Kill(-h.pid, with); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop JupyterHub: %w", err)
		}
		select {
		case <-h.exited:
			return nil
		case <-time.After(30 * time.Second):
		}
	}
	<-h.exited
	return nil
}

// sweep kills the hub's leftover processes: servers and kernels have their own process groups, and only the hub stops
// them.
func (h *Hub) sweep() error {
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return fmt.Errorf("stop what JupyterHub has left: %w", err)
	}
	for _, file := range all {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(env, []byte(mark+"="+h.dirs.base+"\x00")) {
			continue // it has ended, or belongs to another user
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop what JupyterHub has left: %w", err)
		}
	}
	return nil
}
