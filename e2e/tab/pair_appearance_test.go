package tab_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// faces checks that the tab shows exactly these clients at carets in the cell, each once and with a picture, and in the
// panel with the notebook.
func (p *person) faces(ctx context.Context, path, cell string, names ...string) error {
	flags, err := p.Flags(ctx)
	if err != nil {
		return err
	}
	carets, err := p.Carets(ctx, cell)
	if err != nil {
		return err
	}
	var seen []string
	for _, f := range flags {
		if !f.Loaded || !strings.HasPrefix(f.Avatar, "data:image/") {
			return fmt.Errorf("%+v", flags)
		}
		seen = append(seen, f.Name)
	}
	if slices.Sort(seen); !slices.Equal(seen, names) || carets != len(names) {
		return fmt.Errorf("%d carets, and flags of %q", carets, seen)
	}
	entries, err := p.Collaborators(ctx)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.Contains(entry, path) {
			continue
		}
		at := slices.IndexFunc(names, func(name string) bool { return strings.Contains(entry, name) })
		if at < 0 {
			return fmt.Errorf("%q in the panel", entries)
		}
		names = slices.Delete(slices.Clone(names), at, at+1)
	}
	if len(names) > 0 {
		return fmt.Errorf("%q without %q in the panel", entries, names)
	}
	return nil
}

// Each client has its own presence, with the name that it gives itself, until it disconnects, or a while longer if its
// program was killed.
func TestAppearances(t *testing.T) {
	const gone = 35 * time.Second // 30 s, and the tab checks every 3 s
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("first = 1\nsecond = 2\nthird = 3"), kit.Code("other = 1"))
	tab := open(t, path)
	start := func(client string) *agent.Agent {
		t.Helper()
		file := kit.Binary(t)
		a, err := agent.Start(ctx, agent.Options{Binary: file, Env: kit.AgentEnv(t), Client: client})
		must.NoError(t, err)
		t.Cleanup(a.Kill)
		return a
	}
	edit := func(a *agent.Agent, from, to string) {
		t.Helper()
		_, err := a.Do(ctx, "edit_text", map[string]any{"path": path, "cell_id": "cell-0", "old_text": from, "new_text": to}, nil)
		must.NoError(t, err)
	}
	shown := func(what string, names ...string) {
		t.Helper()
		must.NoError(t, poll.Until(ctx, what, func(ctx context.Context) error { return tab.faces(ctx, path, "cell-0", names...) }))
	}

	claude := kit.StartAgentAs(t, agent.Options{Client: "claude-code"})
	gemini, third := start("gemini-cli"), start("my own thing")
	edit(claude, "first = 1", "first = 10")
	shown("one face", "Claude")
	edit(gemini, "second = 2", "second = 20")
	shown("two faces", "Claude", "Gemini")
	edit(third, "third = 3", "third = 30")
	shown("three faces", "Claude", "Gemini", "my own thing (AI)")
	tab.Shoot("faces")

	// One disconnects.
	leaves := time.Now()
	if err := third.Close(); err != nil {
		t.Error(err)
	}
	closed := time.Now()
	shown("who leaves is gone", "Claude", "Gemini")
	t.Logf("gone %v after leaving began, %v after it ended", time.Since(leaves).Round(time.Millisecond), time.Since(closed).Round(time.Millisecond))

	// Another one is killed.
	killed := time.Now()
	gemini.Kill()
	_ = gemini.Close() // its error says that it was killed
	shown("who was killed is gone", "Claude")
	took := time.Since(killed)
	t.Logf("gone %v after it was killed", took.Round(time.Millisecond))
	if took > gone {
		t.Errorf("%v is longer than %v", took, gone)
	}
}

// The README's picture of a mention: a person asks in a cell, an agent answers and corrects it, another works nearby.
func TestCalledTogether(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Markdown("# Bikes in the rain"), kit.Code("days = [1, 2, 3, 4]\nbikes = [310, 120, 290, 95]"),
		kit.Markdown("The bars should start at zero."), kit.Code("import matplotlib.pyplot as plt\n\nplt.figure(figsize=(6, 2))\nplt.bar(days, bikes)\nplt.ylim(80, 320)"), kit.Code("rain_mm = [0, 5, 0, 7]"))
	tab := open(t, path)
	must.NoError(t, tab.Resize(ctx, 1000, 620))
	claude := kit.StartAgentAs(t, agent.Options{Client: "claude-code"})
	gemini := kit.StartAgentAs(t, agent.Options{Client: "gemini-cli"})
	kit.ReadCells(t, claude, path)
	kit.ReadCells(t, gemini, path)
	heard := listens(ctx, claude, path)
	must.NoError(t, tab.Select(ctx, 2, 30, 30))
	must.NoError(t, tab.Type(ctx, "\n\n@Duet fix the axis, please"))
	must.NoError(t, tab.EditCell(ctx, 1))
	m := <-heard
	must.NoError(t, m.err)
	if m.Text != "fix the axis, please" {
		t.Fatalf("%+v", m)
	}
	var out changedCell
	_, err := claude.Do(ctx, "reply", map[string]any{"mention": m.Mention, "text": "Done: the axis starts at **0** now.", "cells": []string{"cell-3"}}, &out)
	must.NoError(t, err)
	must.NoError(t, poll.Until(ctx, "the reply", func(ctx context.Context) error {
		seen, err := tab.Rendered(ctx, out.CellID)
		if err == nil && seen == "" {
			err = fmt.Errorf("nothing in %s", out.CellID)
		}
		return err
	}))
	edit := func(a *agent.Agent, cell, from, to string) {
		t.Helper()
		_, err := a.Do(ctx, "edit_text", map[string]any{"path": path, "cell_id": cell, "old_text": from, "new_text": to}, nil)
		must.NoError(t, err)
	}
	edit(claude, "cell-3", "ylim(80,", "ylim(0,")
	edit(gemini, "cell-4", "7]", "8]")
	must.NoError(t, poll.Until(ctx, "both flags", func(ctx context.Context) error {
		flags, err := tab.Flags(ctx)
		if err == nil && (len(flags) != 2 || !flags[0].Loaded || !flags[1].Loaded) {
			err = fmt.Errorf("%+v", flags)
		}
		return err
	}))
	tab.Shoot("called")
	if *update {
		must.NoError(t, tab.Screenshot(ctx, "../testdata/called.png"))
	}
}
