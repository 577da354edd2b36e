package jupyter

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/samber/lo"
)

const (
	// probeTimeout is how long to wait for more servers once one has answered.
	probeTimeout = 1500 * time.Millisecond
	// firstProbeTimeout is how long to wait for the first: a server that is saving a large notebook exists, but does
	// not answer.
	firstProbeTimeout = 10 * time.Second
	maxProbes         = 64      // at once
	maxRunning        = 256     // number of files read, newest first
	maxRuntimeFile    = 1 << 16 // bytes
)

// Running is a Jupyter server that runs on this machine.
type Running struct {
	// URL is its base URL without a trailing slash.
	URL string
	// Token is empty if the server needs none, or needs a password.
	Token string
	// Root is the folder that the server serves.
	Root    string
	PID     int
	Version string
	// Password is set if the server requires a password, which a token cannot replace.
	Password bool
}

// Discover finds the running servers from the files "jpserver-*.json" in the given folders; nil means
// [DefaultRuntimeDirs]. It requests the status of all of them at once, and ignores the files of crashed servers. It
// waits for silent servers for ten seconds, or for about a second and a half once another has answered. The result is
// sorted by address and process id.
//
// Discover also ignores missing folders and unreadable files; an error means that ctx ended.
func Discover(ctx context.Context, runtimeDirs []string) ([]Running, error) {
	return DiscoverTrusting(ctx, runtimeDirs, nil)
}

// DiscoverTrusting is Discover with the given certificate authorities; nil means the system's.
func DiscoverTrusting(ctx context.Context, runtimeDirs []string, roots *x509.CertPool) ([]Running, error) {
	if runtimeDirs == nil {
		runtimeDirs = DefaultRuntimeDirs()
	}
	ctx, cancel := withTimeout(ctx, defaultTimeout)
	defer cancel()
	candidates := readRuntimeFiles(runtimeDirs)
	live := probe(ctx, candidates, roots)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("look for running Jupyter servers: %w", err)
	}
	out := lo.Filter(candidates, func(_ Running, i int) bool { return live[i] })
	slices.SortFunc(out, func(a, b Running) int {
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.PID, b.PID))
	})
	return slices.CompactFunc(out, func(a, b Running) bool { return a.URL == b.URL }), nil
}

// probe reports for each server whether it answers.
func probe(ctx context.Context, servers []Running, roots *x509.CertPool) []bool {
	ctx, enough := context.WithTimeout(ctx, firstProbeTimeout)
	defer enough()
	live := make([]bool, len(servers))
	slots := make(chan struct{}, maxProbes)
	var first sync.Once
	var wg sync.WaitGroup
	began := time.Now()
	for i, r := range servers {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if live[i] = r.answers(ctx, roots); live[i] {
				first.Do(func() { time.AfterFunc(time.Until(began.Add(probeTimeout)), enough) })
			}
		})
	}
	wg.Wait()
	return live
}

// answers reports whether the server runs and is the one in the file.
func (r Running) answers(ctx context.Context, roots *x509.CertPool) bool {
	s, err := New(Options{URL: r.URL, Token: r.Token, Roots: roots})
	if err != nil {
		return false
	}
	defer s.CloseIdleConnections()
	_, err = s.Health.Status(ctx)
	if err == nil || errors.Is(err, ErrNotTrusted) || errors.Is(err, ErrNoGateway) { // a later request reports the problem
		return true
	}
	// A server with a password refuses us, but it runs. One that refuses the token in its file is another server on a
	// reused port.
	return r.Password && r.Token == "" && errors.Is(err, ErrUnauthorized)
}

// readRuntimeFiles reads the files in the folders, without contacting the servers.
func readRuntimeFiles(dirs []string) []Running {
	type file struct {
		path string
		mod  time.Time
	}
	var files []file
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), "jpserver-") || filepath.Ext(e.Name()) != ".json" {
				continue
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				files = append(files, file{filepath.Join(dir, e.Name()), info.ModTime()})
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(b.mod.Compare(a.mod), cmp.Compare(a.path, b.path))
	})
	return lo.FilterMap(files[:min(len(files), maxRunning)], func(f file, _ int) (Running, bool) { return readRuntimeFile(f.path) })
}

func readRuntimeFile(path string) (Running, bool) {
	f, err := os.Open(path)
	if err != nil {
		return Running{}, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRuntimeFile))
	if err != nil {
		return Running{}, false
	}
	var info struct {
		URL      string `json:"url"`
		Token    string `json:"token"`
		Root     string `json:"root_dir"`
		PID      int    `json:"pid"`
		Version  string `json:"version"`
		Password bool   `json:"password"`
	}
	if json.Unmarshal(data, &info) != nil || !strings.HasPrefix(info.URL, "http") {
		return Running{}, false // half written, or the server listens on a socket file
	}
	info.URL = strings.TrimRight(info.URL, "/")
	return Running(info), true
}

// DefaultRuntimeDirs returns the folders of the runtime files of this user's Jupyter servers: if JUPYTER_RUNTIME_DIR
// is set, only that one, else "runtime" below JUPYTER_DATA_DIR or below the platform's data folder (jupyter_core's
// rules).
func DefaultRuntimeDirs() []string { return runtimeDirs(runtime.GOOS, os.Getenv, os.UserHomeDir) }

func runtimeDirs(goos string, env func(string) string, home func() (string, error)) []string {
	if d := env("JUPYTER_RUNTIME_DIR"); d != "" {
		return []string{d}
	}
	if d := env("JUPYTER_DATA_DIR"); d != "" {
		return []string{filepath.Join(d, "runtime")}
	}
	h, err := home()
	if err != nil {
		h = "" // then only the variables can help
	}
	var data string
	switch {
	case goos == "windows" && env("APPDATA") != "":
		data = filepath.Join(env("APPDATA"), "jupyter")
	case goos != "windows" && goos != "darwin" && env("XDG_DATA_HOME") != "":
		data = filepath.Join(env("XDG_DATA_HOME"), "jupyter")
	case h == "":
		return nil
	case goos == "darwin":
		data = filepath.Join(h, "Library", "Jupyter")
	case goos == "windows":
		data = filepath.Join(h, ".jupyter", "data")
	default:
		data = filepath.Join(h, ".local", "share", "jupyter")
	}
	return []string{filepath.Join(data, "runtime")}
}
