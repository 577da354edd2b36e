package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/nbduet/nbduet/cmd/nbduet/health"
	"github.com/nbduet/nbduet/cmd/nbduet/hub"
	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/cmd/nbduet/stdio"
	"github.com/nbduet/nbduet/cmd/nbduet/tenant"
	"github.com/nbduet/nbduet/cmd/nbduet/userdirs"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/serve"
	"github.com/nbduet/nbduet/tools/tool"
)

// The program's exit codes.
const (
	exitOK    = 0
	exitFault = 1
	exitUsage = 2 // wrong flags or environment
)

const (
	// shutdownTime bounds the time from the client's disconnect, or a signal, to the program's exit.
	shutdownTime = 5 * time.Second
	// drainTime is the part of shutdownTime in which tool calls may finish.
	drainTime = time.Second
)

// runProgram serves MCP on stdin and stdout until stdin or ctx ends, or over HTTP until ctx ends, and returns the exit code.
func runProgram(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runWith(ctx, args, stdin, stdout, stderr, nil)
}

// runWith is runProgram with a different search for servers on this machine; nil for the default search.
func runWith(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, find discover) int {
	err := work(ctx, args, stdin, stdout, stderr, find)
	var usage options.UsageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errUnwell):
		return exitFault
	case errors.As(err, &usage):
		_, _ = fmt.Fprintln(stderr, "nbduet:", err)
		return exitUsage
	default:
		_, _ = fmt.Fprintln(stderr, "nbduet:", err)
		return exitFault
	}
}

func work(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, find discover) error {
	if c, found := named(args); found {
		return c.do(ctx, args[1:], surroundings{stdout, stderr, find})
	}
	set, done, err := parse(args, stdout)
	if err != nil || done {
		return err
	}
	if set.health != "" {
		return health.Ask(ctx, set.health, stdout)
	}
	program := thisBuild()
	text := slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: set.logLevel})
	early := slog.New(tools.LogHandler(text, set.LogCode, nil))
	early.Info("nbduet " + program.String() + " starts")
	if set.hub != nil {
		return serveHub(ctx, set, stderr, early)
	}
	if find == nil {
		find = discoverLocal(set.servers.roots)
	}
	srv, kernels, err := connectServers(ctx, set, find, early)
	if err != nil {
		return err
	}
	defer srv.CloseIdleConnections()
	defer kernels.CloseIdleConnections()
	log := slog.New(tools.LogHandler(text, set.LogCode, jupyter.Redactor(srv, kernels)))
	if !set.http.Inherit.EndWithStdin { // otherwise that server started this program and may not listen yet
		checking, stop := context.WithCancel(ctx)
		wait := checkServers(checking, log, srv, kernels)
		defer func() {
			stop()
			wait()
		}()
	}
	state, err := openActivity(ctx, set.state, log)
	if err != nil {
		return err
	}
	var w *tenant.World
	var figures *serve.Metrics
	if set.http.Metrics {
		figures = serve.NewMetrics(serve.Sources{
			Version: program.String(),
			Session: func() session.Stats { return w.Stats() },
			Images:  func() int { return w.Images() },
		})
	}
	w, err = tenant.New(set.world(srv, kernels, state, figures, log))
	if err == nil {
		log.Info("serving MCP", "transport", set.http.transport, "jupyter", srv.BaseURL(), "kernels", kernels.BaseURL(), "toolsets", set.toolsets, "read_only", set.ReadOnly)
		if set.http.Inherit.EndWithStdin {
			var stop context.CancelFunc
			ctx, stop = untilEnd(ctx, stdin)
			defer stop()
		}
		if set.http.transport == transportStdio {
			err = stdio.Listen(ctx, w.MCP, &w.Clients.Calls, stdin, stdout, drainTime, log)
		} else {
			err = listenHTTP(ctx, w.MCP, w.Clients, set.http, figures, stderr, log)
		}
	}
	// The shutdown must run even if ctx has ended.
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime-drainTime)
	defer cancel()
	_ = w.Close(end) // the error is already logged
	return err
}

// world returns the configuration of a world; figures may be nil.
func (set settings) world(srv, kernels *jupyter.Server, state *activity.Store, figures *serve.Metrics, log *slog.Logger) tenant.Config {
	c := tenant.Config{
		Server: srv, Runtime: kernels, State: state, Logger: log, MaxSessions: set.MaxSessions, ImageCache: set.imageCache,
		Journal: set.journal,
		Record:  set.toolsets == nil || slices.Contains(set.toolsets, tool.ToolsetContext),
		Session: session.Config{
			FixedKernel: kernel.Fixed{Path: set.servers.notebook, ID: set.servers.kernelID}, IdleTimeout: set.sessionTimeout, MaxRooms: set.MaxRooms,
			AgentName: set.agentName, InputTimeout: set.inputTimeout, ServerTimeout: set.serverTimeout,
		},
		Tools: tools.Config{
			Version: thisBuild().bare(), Toolsets: set.toolsets, OutputSchemas: set.outputs, Answers: set.answers, ReadOnly: set.ReadOnly, LogCode: set.LogCode,
			MaxImages: shown(set.MaxImages), MaxImageBytes: set.MaxImageBytes, Project: set.project, Notebook: set.servers.notebook,
			AnswerWithin: set.answerWithin, AgentPasswords: set.AgentPasswords,
		},
	}
	if figures != nil {
		c.Tools.Observe = figures.Observe
	}
	return c
}

// serveHub serves the users of a hub until ctx ends.
func serveHub(ctx context.Context, set settings, stderr io.Writer, log *slog.Logger) error {
	l, err := set.http.Inherit.listen(ctx, set.http.address)
	if err != nil {
		return options.UsageError{Err: err}
	}
	return hub.Service{
		Settings: *set.hub, State: set.state, Timeout: set.serverTimeout, Roots: set.servers.roots, Logger: log,
		HTTP: serve.Config{
			AllowedHosts: set.http.hosts, AllowedOrigins: set.http.AllowedOrigins, ClientTimeout: set.http.clientTimeout,
			CertFile: set.http.TLSCert, KeyFile: set.http.TLSKey, Limits: serve.Limits{DrainTime: drainTime}, Logger: log,
		},
		World: func(srv *jupyter.Server, state *activity.Store) tenant.Config {
			return set.world(srv, srv, state, nil, log)
		},
	}.Run(ctx, l, stderr)
}

// activityPath returns the default file of the activity record.
func activityPath() (string, error) {
	folder, err := userdirs.Here().State()
	return filepath.Join(folder, "activity.db"), err
}

// shown converts the number of images per answer for tools.Config, where 0 means the default.
func shown(flag int) int {
	if flag == 0 {
		return -1
	}
	return flag
}

// openActivity opens the activity record. A file that was named must be usable; if the default file is not, the record lasts
// as long as the program.
func openActivity(ctx context.Context, named string, log *slog.Logger) (*activity.Store, error) {
	if named != "" {
		s, err := activity.Open(ctx, activity.Options{Path: named, Logger: log})
		if err != nil {
			return nil, options.UsageError{Err: fmt.Errorf("--state: %w", err)}
		}
		return s, nil
	}
	file, err := activityPath()
	if err == nil {
		var s *activity.Store
		if s, err = activity.Open(ctx, activity.Options{Path: file, Logger: log}); err == nil {
			return s, nil
		}
	}
	// The path is in the message, because the path of the user's state is not part of a call's content.
	log.Warn("activity is lost when this program ends: to keep it, give a file with --state: " + err.Error())
	return activity.Open(ctx, activity.Options{Path: activity.Memory, Logger: log})
}
