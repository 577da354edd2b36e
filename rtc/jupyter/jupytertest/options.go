package jupytertest

import (
	"crypto/sha1"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/kernels"
)

// Option changes how a server is started.
type Option func(*config)

type config struct {
	flags   []string
	env     []string
	baseURL string
	lab     bool
	collab  bool
	token   string
	// password is for the login page, "" for none.
	password string
	root     string

	documents bool
	apart     bool
	chat      bool // for a fake

	// needs names the features that only a real server has; kernels is for a fake.
	needs   string
	kernels kernels.Config
}

func configured(opts []Option) config {
	c := config{collab: true, token: randomHex(16)}
	for _, o := range opts {
		o(&c)
	}
	return c
}

// WithFlags adds command-line flags, which override the default ones. A fake supports few of them.
func WithFlags(flags ...string) Option {
	return func(c *config) {
		c.flags = append(c.flags, flags...)
		for _, f := range flags {
			name, value, _ := strings.Cut(f, "=")
			number, _ := strconv.ParseFloat(value, 64) // Jupyter itself refuses a value that is not a number
			switch name {
			case "--ServerApp.iopub_data_rate_limit":
				c.kernels.DataRate = number
			case "--ServerApp.iopub_msg_rate_limit":
				c.kernels.MessageRate = number
			case "--ZMQChannelsWebsocketConnection.kernel_ws_protocol":
				c.kernels.JSONOnly = value == ""
			case "--KernelRestarter.restart_limit":
				c.kernels.NoRestarts = number == 0
			case "--MappingKernelManager.cull_idle_timeout":
				c.kernels.CullAfter = time.Duration(number) * time.Second
			case "--MappingKernelManager.cull_interval", "--MappingKernelManager.cull_connected": // a second, and true
			default:
				c.needs = "the option " + f
			}
		}
	}
}

// WithEnv adds environment variables, each as "NAME=value". A fake does not support it.
func WithEnv(env ...string) Option {
	return func(c *config) {
		c.env = append(c.env, env...)
		c.needs = "its environment, " + strings.Join(env, ", ")
	}
}

// WithBaseURL puts the server under a path such as "/user/ada/".
func WithBaseURL(path string) Option {
	return func(c *config) { c.baseURL = path }
}

// WithLab starts JupyterLab for a browser, with window.jupyterapp exposed; without it the server has only its REST
// and websocket interfaces and starts faster.
func WithLab() Option {
	return func(c *config) { c.lab, c.needs = true, "JupyterLab" }
}

// WithoutCollaboration omits jupyter-collaboration.
func WithoutCollaboration() Option {
	return func(c *config) { c.collab = false }
}

// WithDocuments starts a server with jupyter-server-documents instead of jupyter-collaboration: the jupyter of
// .venv-jsd, or the program NBDUET_JUPYTER_DOCUMENTS.
func WithDocuments() Option {
	return func(c *config) { c.documents, c.collab, c.needs = true, false, "jupyter-server-documents" }
}

// WithTabsApart starts JupyterLab configured to keep people's tabs out of the rooms.
func WithTabsApart() Option {
	return func(c *config) {
		c.flags, c.lab, c.apart = append(c.flags, "--YDocExtension.disable_rtc=True"), true, true
	}
}

// WithToken sets the token; the default is a random one.
func WithToken(token string) Option {
	return func(c *config) { c.token = token }
}

// WithPassword gives the server a password for its login page, in addition to the token.
func WithPassword(password string) Option {
	return func(c *config) {
		hash := sha1.Sum([]byte(password + "5a17")) // the oldest form that Jupyter accepts, which needs no library
		c.password = password
		c.flags = append(c.flags, "--PasswordIdentityProvider.hashed_password=sha1:5a17:"+hex.EncodeToString(hash[:]))
	}
}

// WithRoot makes the server serve an existing folder, such as another server's.
func WithRoot(dir string) Option {
	return func(c *config) { c.root = dir }
}

// installed returns the folder in an environment variable, or else the usual one in .cache. The test fails with a
// hint if the file is not in it.
func installed(t testing.TB, variable, usual, file, hint string) string {
	t.Helper()
	place := os.Getenv(variable)
	if place == "" {
		place = filepath.Join(repository(), ".cache", filepath.FromSlash(usual))
	}
	if _, err := os.Stat(filepath.Join(place, filepath.FromSlash(file))); err != nil {
		t.Fatalf("%s: %v", hint, err)
	}
	return place
}
