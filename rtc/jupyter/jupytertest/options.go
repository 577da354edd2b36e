package jupytertest

import (
	"os"
	"path/filepath"
	"testing"
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
	root    string

	documents bool
}

// WithFlags adds command-line flags, which win over the ones given by default.
func WithFlags(flags ...string) Option {
	return func(c *config) { c.flags = append(c.flags, flags...) }
}

// WithEnv adds environment variables, each as "NAME=value".
func WithEnv(env ...string) Option {
	return func(c *config) { c.env = append(c.env, env...) }
}

// WithBaseURL puts the server under a path such as "/user/ada/".
func WithBaseURL(path string) Option {
	return func(c *config) { c.baseURL = path }
}

// WithLab starts JupyterLab for a browser, with window.jupyterapp exposed; without it the server has its REST and
// websocket interfaces alone and starts faster.
func WithLab() Option {
	return func(c *config) { c.lab = true }
}

// WithoutCollaboration leaves jupyter-collaboration out.
func WithoutCollaboration() Option {
	return func(c *config) { c.collab = false }
}

// WithDocuments starts a server that has jupyter-server-documents in place of jupyter-collaboration: the jupyter of
// .venv-jsd, or the one that NBDUET_JUPYTER_DOCUMENTS names.
func WithDocuments() Option {
	return func(c *config) { c.documents, c.collab = true, false }
}

// WithToken sets the token; the default is a random one.
func WithToken(token string) Option {
	return func(c *config) { c.token = token }
}

// WithRoot lets the server serve a folder that is there already, such as another server's.
func WithRoot(dir string) Option {
	return func(c *config) { c.root = dir }
}

// installed is the place that a variable of the environment names, or else the usual one in .cache. The test fails with
// a hint where there is no such file in it.
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
