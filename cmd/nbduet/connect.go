package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// discoverTime bounds the search for servers on this machine, which happens before MCP's initialize can be answered.
const discoverTime = 3 * time.Second

// defaultAddress is Jupyter's own default.
const defaultAddress = "http://localhost:8888"

// discover finds the Jupyter servers that run on this machine.
type discover func(context.Context) ([]jupyter.Running, error)

func discoverLocal(ctx context.Context) ([]jupyter.Running, error) {
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	return jupyter.Discover(ctx, nil)
}

// connect chooses the Jupyter server of an endpoint. It asks the server nothing: if the server is down, or the token
// wrong, each tool says so when it is called, and works once that is repaired.
func connect(ctx context.Context, p endpoint, find discover, timeout time.Duration, log *slog.Logger) (*jupyter.Server, error) {
	opt := jupyter.Options{URL: p.url, Token: p.token, Role: p.role, Timeout: timeout, Logger: log, UserAgent: "nbduet"}
	if p.url == "" {
		running, err := find(ctx)
		if err != nil {
			return nil, err
		}
		if len(running) == 0 && p.token != "" { // it may run in a container, for example
			running = []jupyter.Running{{URL: defaultAddress}}
		}
		one, err := only(running)
		if err != nil {
			return nil, usageError{err}
		}
		log.Info("no address was given, taking this Jupyter server", "url", one.URL, "root", one.Root)
		opt.URL = one.URL
		if opt.Token == "" {
			opt.Token = one.Token
		}
	}
	srv, err := jupyter.New(opt)
	if err != nil {
		return nil, usageError{err}
	}
	if p.url == "" || srv.HasToken() {
		return srv, nil
	}
	// A server of the same user on this machine leaves its token in a file.
	running, err := find(ctx)
	if err != nil {
		log.Debug("no token was given, and none was found", "error", err)
		return srv, nil
	}
	for _, r := range running {
		if r.Token != "" && jupyter.SameServer(r.URL, srv.BaseURL()) {
			opt.Token = r.Token
			return jupyter.New(opt)
		}
	}
	return srv, nil
}

// only returns the one running server.
func only(running []jupyter.Running) (jupyter.Running, error) {
	switch len(running) {
	case 0:
		return jupyter.Running{}, errors.New("no Jupyter server runs on this machine as this user: start one with \"jupyter lab\", " +
			"or name one with --jupyter-url (JUPYTER_SERVER_URL) and --token (JUPYTER_TOKEN)")
	case 1:
		return running[0], nil
	}
	var b strings.Builder
	b.WriteString("several Jupyter servers run on this machine, choose one with --jupyter-url (JUPYTER_SERVER_URL):")
	for _, r := range running {
		fmt.Fprintf(&b, "\n  --jupyter-url %s  (root folder %s)", r.URL, r.Root)
	}
	return jupyter.Running{}, errors.New(b.String())
}
