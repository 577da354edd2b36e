// Package tenant puts together what answers the calls of one person's clients, or of several who share all: the documents
// and kernels of a Jupyter server, and the MCP server with its tools.
package tenant

import (
	"context"
	"errors"
	"log/slog"

	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// Config says what a world is made of.
type Config struct {
	// Server has the documents, and Kernels the kernels: maybe the same.
	Server, Runtime *jupyter.Server
	// Session and Tools are what is set of either; what ties them together is set here.
	Session session.Config
	Tools   tools.Config
	// MaxSessions is how many analysis sessions a client may have, 0 for no limit, and ImageCache how many bytes of images
	// are kept.
	MaxSessions, ImageCache int
	// State remembers runs, and, where Record is set, what clients work on. Close closes it.
	State  *activity.Store
	Record bool
	Logger *slog.Logger
}

// A World is made with [New], and ended with Close.
type World struct {
	MCP     *server.MCPServer
	Clients *tool.Clients

	manager  *session.Manager
	jobs     *deps.Work
	pictures *images.Store
	state    *activity.Store
	log      *slog.Logger
}

// New makes a world, which asks the Jupyter server nothing before a call needs it. Also where it fails, Close has to be called.
func New(cfg Config) (*World, error) {
	w := &World{Clients: &tool.Clients{}, pictures: images.NewStore(cfg.ImageCache), state: cfg.State, log: cfg.Logger}
	s := cfg.Session
	s.Server, s.Runtime, s.Runs, s.Logger = cfg.Server, cfg.Runtime, cfg.State.Runs(), cfg.Logger
	w.manager = session.New(s)
	w.jobs = deps.NewWork(w.manager)
	w.jobs.Analyses.Limit(cfg.MaxSessions)
	t := cfg.Tools
	t.Work, t.Clients, t.Images, t.Logger = w.jobs, w.Clients, w.pictures, cfg.Logger
	if cfg.Record {
		t.Activity = cfg.State
	}
	var err error
	w.MCP, err = tools.New(t)
	return w, err
}

// Stats are its figures, and Images the bytes of the images that it keeps.
func (w *World) Stats() session.Stats { return w.jobs.Analyses.Stats() }

// Images is how many bytes of images it keeps.
func (w *World) Images() int { return w.pictures.Held() }

// Runs reports whether any code runs in it, or waits for its turn.
func (w *World) Runs() bool {
	for state, n := range w.Stats().Runs {
		if n > 0 && !state.Ended() {
			return true
		}
	}
	return false
}

// Close leaves all documents, and closes the state. What could not be done in time, or not in order, is in the log, too.
func (w *World) Close(ctx context.Context) error {
	left := w.manager.Close(ctx)
	if left != nil {
		w.log.Warn("some notebooks could not be saved and left in order", "error", left)
	}
	kept := w.state.Close(ctx)
	if kept != nil {
		w.log.Warn("some activity could not be kept", "error", kept)
	}
	return errors.Join(left, kept)
}
