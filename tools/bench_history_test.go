package tools_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// BenchmarkHistory measures the cost of a notebook's history, and of the revision in the answer, per call: the same call is
// made alternately in two notebooks, one of them with its history stopped. It reports the medians of both, and the median of
// the differences of the pairs, in microseconds.
func BenchmarkHistory(b *testing.B) {
	calls := map[string]func(i, cells int) toolstest.Dict{
		"read_nb_cells": func(i, cells int) toolstest.Dict {
			return toolstest.Dict{"ranges": []toolstest.Dict{{"id": fmt.Sprint("c", i%cells)}}}
		},
		"modify_nb_cells": func(i, cells int) toolstest.Dict {
			return toolstest.Dict{"exec": false, "force": true, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": fmt.Sprint("c", i%cells)}, "content": fmt.Sprint("y = ", i)}}}
		},
		"move_nb_cells": func(i, cells int) toolstest.Dict {
			return toolstest.Dict{"ranges": []toolstest.Dict{{"id": fmt.Sprint("c", i*7%cells)}}, "position": i * 13 % cells}
		},
	}
	for _, cells := range []int{50, 5_000} {
		for name, args := range calls {
			b.Run(fmt.Sprintf("%s/cells=%d", name, cells), func(b *testing.B) {
				p := newHistoryPair(b, cells)
				var list [2][]time.Duration
				var added []time.Duration
				for i := 0; b.Loop(); i++ {
					var took [2]time.Duration
					for k := range took {
						at := (k + i) % 2
						took[at] = p.call(name, p.paths[at], args(i, cells))
						list[at] = append(list[at], took[at])
					}
					added = append(added, took[0]-took[1])
				}
				for unit, list := range map[string][]time.Duration{"with-µs": list[0], "without-µs": list[1], "added-µs": added} {
					slices.Sort(list)
					b.ReportMetric(float64(list[len(list)/2].Nanoseconds())/1000, unit)
				}
			})
		}
	}
}

// historyPair has two open notebooks; the second has no history.
type historyPair struct {
	b     *testing.B
	c     *client.Client
	paths [2]string
}

func newHistoryPair(b *testing.B, cells int) *historyPair {
	b.Helper()
	s := jupytertest.Shared(b)
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		b.Fatal(err)
	}
	work := deps.NewWork(session.New(session.Config{Server: srv}))
	m, err := tools.New(tools.Config{Work: work, Version: "bench", Toolsets: tools.ToolsetNames()})
	if err != nil {
		b.Fatal(err)
	}
	c, err := client.NewInProcessClient(m)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		c.Close()
		if err := work.Close(context.Background()); err != nil {
			b.Error(err)
		}
		srv.CloseIdleConnections()
	})
	if err := c.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, err := c.Initialize(b.Context(), mcp.InitializeRequest{}); err != nil {
		b.Fatal(err)
	}
	sources := make([]string, cells)
	for i := range sources {
		sources[i] = fmt.Sprintf("x%d = %d\nprint(x%d)", i, i, i)
	}
	p := &historyPair{b: b, c: c}
	for i := range p.paths {
		p.paths[i] = s.Notebook(b, sources...)
		p.call("read_nb_cells", p.paths[i], toolstest.Dict{"ranges": []toolstest.Dict{{"start": 0}}})
		doc, err := work.Open(b.Context(), jupyter.MustPath(p.paths[i]))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(doc.Release)
		if i == 1 {
			doc.History().Stop()
		}
	}
	return p
}

// call makes a call, and returns its duration.
func (p *historyPair) call(name, path string, args toolstest.Dict) time.Duration {
	p.b.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, toolstest.With(args, "path", path)
	start := time.Now()
	res, err := p.c.CallTool(p.b.Context(), req)
	took := time.Since(start)
	must.NoError(p.b, err)
	must.False(p.b, res.IsError)
	return took
}
