package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
)

// notebook is the path of each user's notebook.
const notebook = "work.ipynb"

// A person is a user of the hub with a client.
type person struct {
	name, at string
	token    hubs.Token
	took     map[string][]time.Duration // calls, by their tools
}

// open makes the notebook, which opens its room.
func (p *person) open(ctx context.Context) error {
	if err := p.call(ctx, "create_document", map[string]any{"path": notebook}); err != nil {
		return err
	}
	return p.call(ctx, "read_nb_cells", map[string]any{"path": notebook})
}

// work adds cells, runs them, edits and reads, until ctx ends. A failed call is an error.
func (p *person) work(ctx context.Context, pause time.Duration) error {
	p.took = map[string][]time.Duration{}
	for n := 0; ; n++ {
		cell := fmt.Sprintf("import math\nx = [math.sqrt(i) for i in range(%d)]\nprint(len(x), sum(x))", 1000+n)
		for _, call := range []struct {
			tool string
			args map[string]any
		}{
			{"insert_nb_cells", map[string]any{"path": notebook, "position": 0, "cells": []any{map[string]any{"content": cell}}}},
			{"read_nb_cells", map[string]any{"path": notebook}},
			{"execute_nb_cells", map[string]any{"path": notebook, "ranges": []any{map[string]any{"start": 0, "end": 1}}}},
			{"delete_nb_cells", map[string]any{"path": notebook, "ranges": []any{map[string]any{"start": 20, "end": 21}}}},
		} {
			if call.tool == "delete_nb_cells" && n < 20 {
				continue
			}
			began := time.Now()
			err := p.call(ctx, call.tool, call.args)
			switch {
			case ctx.Err() != nil:
				return nil //nolint:nilerr // the time is over
			case err != nil:
				return err
			}
			p.took[call.tool] = append(p.took[call.tool], time.Since(began))
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
		}
	}
}

func (p *person) call(ctx context.Context, tool string, args map[string]any) error {
	body, err := json.Marshal(map[string]any{"tool_name": tool, "arguments": args})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.at+"/tools/call", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+p.token.Secret)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s calls %s: %w", p.name, tool, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s calls %s: %w", p.name, tool, err)
	}
	var got struct {
		Success bool `json:"success"`
	}
	if err := json.Unmarshal(text, &got); err != nil || !got.Success {
		return fmt.Errorf("%s calls %s: %s: %.500s", p.name, tool, resp.Status, text)
	}
	return nil
}

// free returns an unused port.
func free(ctx context.Context) (int, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("%s has no port", l.Addr())
	}
	return at.Port, nil
}
