package tab_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// mentioned is the answer of wait_for_mention.
type mentioned struct {
	Mention, Username, Path, Text, Source, Message string
	CellID                                         string `json:"cell_id"`

	at  time.Time
	err error
}

// listens starts to wait for a mention.
func listens(ctx context.Context, a *agent.Agent, path string) <-chan mentioned {
	heard := make(chan mentioned, 1)
	go func() {
		var m mentioned
		_, m.err = a.Do(ctx, "wait_for_mention", map[string]any{"path": path, "timeout": 60}, &m)
		m.at = time.Now()
		heard <- m
	}()
	return heard
}

// Text that a person writes after an agent's name in a cell is delivered when the person has left the cell or has
// stopped writing, and is answered below it. Text in outputs and in the file is not a mention.
func TestCalledInACell(t *testing.T) {
	const far = 24
	ctx := t.Context()
	cells := []kit.Cell{kit.Markdown("# Bikes\n\n@Duet from the file"), kit.Code(`print("@Duet x")`), kit.Markdown("Notes:"), kit.Code("y = 2")}
	for i := len(cells); i <= far; i++ {
		cells = append(cells, kit.Code(strings.Repeat("\n", 4)+fmt.Sprintf("x = %d", i)))
	}
	path := kit.NewNotebook(t, cells...)
	tab := open(t, path)
	nbduet := kit.StartAgent(t)
	kit.ReadCells(t, nbduet, path)
	who, err := tab.Username(ctx)
	must.NoError(t, err)
	must.NoError(t, tab.run(ctx, 1))
	must.NoError(t, tab.WaitView(ctx, "the output", func(cells []browser.ViewCell) error {
		if o := cells[1].Outputs; len(o) != 1 || !strings.Contains(o[0].Text, "@Duet x") {
			return fmt.Errorf("%+v", o)
		}
		return nil
	}))

	answered := func(m mentioned, cell, text, source, reply string) string {
		t.Helper()
		must.NoError(t, m.err)
		must.Eq(t, cell, m.CellID)
		must.Eq(t, text, m.Text)
		must.Eq(t, source, m.Source)
		must.Eq(t, who, m.Username)
		must.Eq(t, path, m.Path)
		var out changedCell
		_, err := nbduet.Do(ctx, "reply", map[string]any{"mention": m.Mention, "text": reply, "cells": []string{fmt.Sprintf("cell-%d", far)}}, &out)
		must.NoError(t, err)
		must.NoError(t, poll.Until(ctx, "the reply, rendered", func(ctx context.Context) error {
			seen, err := tab.Rendered(ctx, out.CellID)
			if err == nil && !strings.HasPrefix(seen, strings.ReplaceAll(reply, "*", "")+"\n") {
				err = fmt.Errorf("%q", seen)
			}
			return err
		}))
		return out.CellID
	}

	// In a Markdown cell that the person leaves.
	heard := listens(ctx, nbduet, path)
	must.NoError(t, tab.Select(ctx, 2, len("Notes:"), len("Notes:")))
	must.NoError(t, tab.Type(ctx, "\n\n@Duet fix the axis"))
	left := time.Now()
	must.NoError(t, tab.EditCell(ctx, 3))
	m := <-heard
	took := m.at.Sub(left)
	reply := answered(m, "cell-2", "fix the axis", "Notes:\n\n@Duet fix the axis", "The axis is *fixed*.")
	t.Logf("heard %v after the cell began to be left, and the reply seen after %v", took.Round(time.Millisecond), time.Since(left).Round(time.Millisecond))
	tab.Shoot("reply")

	// In a comment, where the caret stays.
	heard = listens(ctx, nbduet, path)
	must.NoError(t, tab.EditCell(ctx, 4))
	must.NoError(t, tab.Type(ctx, "  # @nbduet why 2?"))
	rested := time.Now()
	m = <-heard
	took = m.at.Sub(rested)
	answered(m, "cell-3", "why 2?", "y = 2  # @nbduet why 2?", "Because.")
	t.Logf("heard %v after the last key, and the reply seen after %v", took.Round(time.Millisecond), time.Since(rested).Round(time.Millisecond))
	tab.Shoot("reply-to-comment")

	var list struct{ Mentions []map[string]any }
	_, err = nbduet.Do(ctx, "list_mentions", nil, &list)
	must.NoError(t, err)
	if len(list.Mentions) != 0 {
		t.Errorf("called by others: %+v", list.Mentions)
	}

	// The link in the first reply.
	target := fmt.Sprintf("cell-%d", far)
	seen := func(ctx context.Context) error {
		in, err := tab.InView(ctx, target)
		if err == nil && !in {
			err = errors.New("it is not in view")
		}
		return err
	}
	must.NoError(t, tab.Top(ctx))
	if seen(ctx) == nil {
		t.Fatal("the cell is in view before anybody went there: nothing would be tested")
	}
	must.NoError(t, tab.Click(ctx, fmt.Sprintf(`.jp-MarkdownOutput a[href="#cell-id=%s"]`, target)))
	must.NoError(t, poll.Until(ctx, "the cell to which the reply leads", seen))
	tab.Shoot("link")
	if cells := kit.ReadCells(t, nbduet, path); cells[3].ID != reply {
		t.Errorf("%+v", cells[3])
	}
}

// A client that is not waiting is notified when a person mentions it in the tab: by the resource that it has subscribed
// to, and by its channel; then it replies.
func TestCalledWithoutWaiting(t *testing.T) {
	const uri = "mentions://list"
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("y = 2"), kit.Code("z = 3"))
	tab := open(t, path)
	nbduet := kit.StartAgentAs(t, agent.Options{Client: "claude-code", Protocol: "2025-06-18"})
	kit.ReadCells(t, nbduet, path)
	must.NoError(t, nbduet.Subscribe(ctx, uri))
	must.NoError(t, tab.EditCell(ctx, 0))
	must.NoError(t, tab.Type(ctx, "  # @Claude why 2?"))
	must.NoError(t, tab.EditCell(ctx, 1))
	must.NoError(t, poll.Until(ctx, "the client to be told", func(context.Context) error {
		if pushed := nbduet.Pushed(); len(pushed) != 1 || nbduet.Updates(uri) == 0 {
			return fmt.Errorf("by the channel %q, and %d times of the resource", pushed, nbduet.Updates(uri))
		}
		return nil
	}))
	if says := nbduet.Pushed()[0]; !strings.Contains(says, `called you in `+path+`, cell "cell-0": "why 2?"`) {
		t.Error(says)
	}
	text, err := nbduet.Read(ctx, uri)
	must.NoError(t, err)
	var list struct {
		Mentions []struct{ Mention, Text string }
	}
	must.NoError(t, json.Unmarshal([]byte(text), &list))
	must.SliceLen(t, 1, list.Mentions, must.Sprint(text))
	must.Eq(t, "why 2?", list.Mentions[0].Text, must.Sprint(text))
	var out changedCell
	_, err = nbduet.Do(ctx, "reply", map[string]any{"mention": list.Mentions[0].Mention, "text": "Because."}, &out)
	must.NoError(t, err)
	must.NoError(t, poll.Until(ctx, "the reply, rendered", func(ctx context.Context) error {
		seen, err := tab.Rendered(ctx, out.CellID)
		if err == nil && !strings.HasPrefix(seen, "Because.") {
			err = fmt.Errorf("%q", seen)
		}
		return err
	}))
	tab.Shoot("reply")
}
