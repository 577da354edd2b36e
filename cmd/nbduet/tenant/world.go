// Package tenant assembles the parts that serve one person's clients, or several people who share everything: the documents
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
	"github.com/nbduet/nbduet/session/store/journal"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// Config is the configuration of a world.
type Config struct {
	// Server has the documents, and Runtime the kernels; they may be the same.
	Server, Runtime *jupyter.Server
	// Session and Tools configure the two parts; New sets the fields that connect them.
	Session session.Config
	Tools   tools.Config
	// MaxSessions is the number of analysis sessions that a client may have, 0 for no limit. ImageCache is the size of the
	// image cache in bytes.
	MaxSessions, ImageCache int
	// State remembers runs and, if Record is set, what clients work on. Close closes it.
	State  *activity.Store
	Record bool
	// Journal keeps the edits of clients beside the State, for undo after a restart.
	Journal bool
	Logger  *slog.Logger
}

// A World is made with [New] and ended with Close.
type World struct {
	MCP     *server.MCPServer
	Clients *tool.Clients

	manager  *session.Manager
	jobs     *deps.Work
	pictures *images.Store
	state    *activity.Store
	journal  *journal.Journal // nil for none
	log      *slog.Logger
}

// New makes a world. It sends no request to the Jupyter server; calls do when they need it. Close must be called even if New
// returns an error.
func New(cfg Config) (*World, error) {
	w := &World{Clients: &tool.Clients{}, pictures: images.NewStore(cfg.ImageCache), state: cfg.State, log: cfg.Logger}
	s := cfg.Session
	s.Server, s.Runtime, s.Runs, s.Logger = cfg.Server, cfg.Runtime, cfg.State.Runs(), cfg.Logger
	if cfg.Journal {
		w.journal = journal.New(journal.Options{Path: journal.Beside(cfg.State.Path()), Logger: cfg.Logger})
		s.Journal = w.journal
	}
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

// Stats returns the figures of its documents, runs and kernels.
func (w *World) Stats() session.Stats { return w.jobs.Analyses.Stats() }

// Images returns the size of its cached images in bytes.
func (w *World) Images() int { return w.pictures.Held() }

// Runs reports whether code is running or waiting to run.
func (w *World) Runs() bool {
	for state, n := range w.Stats().Runs {
		if n > 0 && !state.Ended() {
			return true
		}
	}
	return false
}

// Close leaves all documents, and closes the state. It also logs the errors that it returns.
func (w *World) Close(ctx context.Context) error {
	left := w.manager.Close(ctx)
	if left != nil {
		w.log.Warn("some notebooks could not be saved and closed", "error", left)
	}
	kept := w.state.Close(ctx)
	if w.journal != nil {
		kept = errors.Join(kept, w.journal.Close(ctx))
	}
	if kept != nil {
		w.log.Warn("some activity could not be saved", "error", kept)
	}
	return errors.Join(left, kept)
}
