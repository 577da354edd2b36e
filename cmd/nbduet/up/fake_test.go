package up_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test program replaces Python and uv under their names: they are links to it, with a configuration file beside them.
func TestMain(m *testing.M) {
	if os.Getenv("NBDUET_FAKE") == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := play(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A fake configures a Python or uv for a test.
type fake struct {
	Version [3]int `json:"version"`
	Venv    bool   `json:"venv"`
	Lab     string `json:"lab"`
	Collab  string `json:"collab"`
	// Pip is the outcome of an installation: "" for success.
	Pip string `json:"pip"`
	// Server is the behaviour of a JupyterLab.
	Server string `json:"server"`
}

// usual is a Python without a JupyterLab, and complete a Python with one.
var (
	usual    = fake{Version: [3]int{3, 12, 1}, Venv: true}
	complete = fake{Version: [3]int{3, 12, 1}, Venv: true, Lab: "4.6.6", Collab: "5.0.4"}
)

// put creates a fake with that name in a folder.
func put(dir, name string, f fake) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, name+".json"), text, 0o600); err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(dir, name))
	return os.Symlink(self, filepath.Join(dir, name))
}

func play(args []string) error {
	self := args[0]
	text, err := os.ReadFile(self + ".json")
	if err != nil {
		return err
	}
	var f fake
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	line := strings.Join(args[1:], " ")
	switch {
	case strings.Contains(line, "import ensurepip"):
		return json.NewEncoder(os.Stdout).Encode(struct {
			Program string `json:"program"`
			Prefix  string `json:"prefix"`
			fake
		}{self, filepath.Dir(filepath.Dir(self)), f})
	case strings.Contains(line, "run_module"):
		return f.serve(self, args)
	}
	if err := record("installs", line); err != nil {
		return err
	}
	if slices.Contains(args, "venv") {
		dir := args[len(args)-1]
		f.Version = usual.Version
		return put(filepath.Join(dir, "bin"), "python", f)
	}
	env := filepath.Dir(filepath.Dir(self))
	if filepath.Base(self) == "uv" {
		env = filepath.Dir(filepath.Dir(args[slices.Index(args, "--python")+1]))
	}
	return f.install(env, filepath.Base(self) == "uv")
}

// install imitates pip install and uv pip install.
func (f fake) install(env string, uv bool) error {
	switch f.Pip {
	case "hangs":
		time.Sleep(time.Hour)
	case "no network":
		if uv {
			return errors.New("error: Failed to fetch: `https://x/simple/anyio/`\n  Caused by: error sending request for url\n  Caused by: dns error: failed to lookup address information")
		}
		for n := 4; n >= 0; n-- {
			fmt.Fprintf(os.Stdout, "WARNING: Retrying (Retry(total=%d, connect=None)) after connection broken by 'NewConnectionError'\n", n)
		}
		time.Sleep(time.Hour) // for each of the other packages
	case "company":
		if uv {
			return errors.New("error: Failed to fetch: `https://x/simple/anyio/`\n  Caused by: error sending request for url\n  Caused by: invalid peer certificate: UnknownIssuer")
		}
		for n := 4; n >= 0; n-- {
			fmt.Fprintf(os.Stdout, "WARNING: Retrying (Retry(total=%d, connect=None)) after connection broken by 'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'\n", n)
		}
		time.Sleep(time.Hour)
	case "wrong hash":
		fmt.Fprintln(os.Stdout, "Collecting anyio==4.16.0")
		fmt.Fprintln(os.Stdout, "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES\n    anyio==4.16.0:")
		return errors.New("exit")
	}
	if uv {
		fmt.Fprintln(os.Stdout, "Resolved 2 packages in 3ms\nDownloading jupyterlab (16.5MiB)\n Downloaded jupyterlab\nPrepared 2 packages in 1s")
	} else {
		fmt.Fprintln(os.Stdout, "Ignoring appnope: markers 'x' don't match your environment\nCollecting anyio==4.16.0 (from -r x)\n  Downloading anyio-4.16.0-py3-none-any.whl (95 kB)\nInstalling collected packages: anyio")
	}
	f.Lab, f.Collab = complete.Lab, complete.Collab
	return put(filepath.Join(env, "bin"), "python", f)
}

// record adds a line to a file that the test reads.
func record(name, line string) error {
	f, err := os.OpenFile(filepath.Join(os.Getenv("NBDUET_FAKE"), name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, line)
	return err
}

// serve imitates the parts of the Jupyter server that are used.
func (f fake) serve(self string, args []string) error {
	token := os.Getenv("JUPYTER_TOKEN")
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := record("servers", self+" in "+dir+" with "+token+": "+strings.Join(args[3:], " ")); err != nil {
		return err
	}
	if f.Server == "dies" {
		return fmt.Errorf("[I] http://127.0.0.1/lab?token=%s\n[C] Bad config encountered during initialization", token)
	}
	var root, port string
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--ServerApp.root_dir="); ok {
			root = value
		}
		if value, ok := strings.CutPrefix(arg, "--ServerApp.port="); ok {
			port = value
		}
	}
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM, os.Interrupt)
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, f.handler(token)) }()
	text, err := json.Marshal(map[string]any{
		"url": "http://" + listener.Addr().String() + "/", "token": token, "root_dir": root, "pid": os.Getpid(), "version": "2.21.1",
	})
	if err != nil {
		return err
	}
	file := filepath.Join(os.Getenv("JUPYTER_RUNTIME_DIR"), fmt.Sprintf("jpserver-%d.json", os.Getpid()))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	for {
		select {
		case <-ends:
			if f.Server == "stubborn" {
				continue
			}
			if f.Server == "deaf" {
				f.Server = ""
				continue
			}
		case <-quits(root):
		}
		return os.Remove(file)
	}
}

// quits returns a channel that is closed when the server is shut down, here by a file named shut-down.
func quits(root string) <-chan struct{} {
	c := make(chan struct{})
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(root, "shut-down")); err == nil {
				close(c)
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return c
}

func (f fake) handler(token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/status", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "token "+token {
			http.Error(w, `{"message": "Forbidden"}`, http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kernels": 0, "connections": 0, "started": "2026-01-02T03:04:05Z", "last_activity": "2026-01-02T03:04:05Z"}`)
	})
	if f.Server != "alone" {
		mux.HandleFunc("PUT /api/collaboration/session/{path...}", func(http.ResponseWriter, *http.Request) {})
	}
	return mux
}
