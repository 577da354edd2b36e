package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/poll"
)

// mentioned is the answer of wait_for_mention.
type mentioned struct {
	Mention, Username, Path, Text, Source, Message string
	CellID                                         string `json:"cell_id"`

	at  time.Time
	err error
}

// listens waits for a mention.
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

// What a person writes behind an agent's name in a cell is heard when the person has left the cell, or has stopped
// writing, and is answered beneath. What stands in outputs and in the file calls nobody.
func TestCalledInACell(t *testing.T) {
	const far = 24
	ctx := t.Context()
	cells := []cell{markdown("# Bikes\n\n@Duet from the file"), code(`print("@Duet x")`), markdown("Notes:"), code("y = 2")}
	for i := len(cells); i <= far; i++ {
		cells = append(cells, code(strings.Repeat("\n", 4)+fmt.Sprintf("x = %d", i)))
	}
	path := newNotebook(t, cells...)
	tab := open(t, path)
	nbduet := startAgent(t)
	readCells(t, nbduet, path)
	who, err := tab.Username(ctx)
	must(t, err)
	must(t, tab.run(ctx, 1))
	must(t, tab.WaitView(ctx, "the output", func(cells []browser.ViewCell) error {
		if o := cells[1].Outputs; len(o) != 1 || !strings.Contains(o[0].Text, "@Duet x") {
			return fmt.Errorf("%+v", o)
		}
		return nil
	}))

	answered := func(m mentioned, cell, text, source, reply string) string {
		t.Helper()
		must(t, m.err)
		if m.CellID != cell || m.Text != text || m.Source != source || m.Username != who || m.Path != path {
			t.Fatalf("%+v", m)
		}
		var out changedCell
		_, err := nbduet.Do(ctx, "reply", map[string]any{"mention": m.Mention, "text": reply, "cells": []string{fmt.Sprintf("cell-%d", far)}}, &out)
		must(t, err)
		must(t, poll.Until(ctx, "the reply, rendered", func(ctx context.Context) error {
			seen, err := tab.Rendered(ctx, out.CellID)
			if err == nil && !strings.HasPrefix(seen, strings.ReplaceAll(reply, "*", "")+"\n") {
				err = fmt.Errorf("%q", seen)
			}
			return err
		}))
		return out.CellID
	}

	// In a Markdown cell, which is left.
	heard := listens(ctx, nbduet, path)
	must(t, tab.Select(ctx, 2, len("Notes:"), len("Notes:")))
	must(t, tab.Type(ctx, "\n\n@Duet fix the axis"))
	left := time.Now()
	must(t, tab.EditCell(ctx, 3))
	m := <-heard
	took := m.at.Sub(left)
	reply := answered(m, "cell-2", "fix the axis", "Notes:\n\n@Duet fix the axis", "The axis is *fixed*.")
	t.Logf("heard %v after the cell began to be left, and the reply seen after %v", took.Round(time.Millisecond), time.Since(left).Round(time.Millisecond))
	tab.shoot("reply")

	// In a comment, where the caret stays.
	heard = listens(ctx, nbduet, path)
	must(t, tab.EditCell(ctx, 4))
	must(t, tab.Type(ctx, "  # @nbduet why 2?"))
	rested := time.Now()
	m = <-heard
	took = m.at.Sub(rested)
	answered(m, "cell-3", "why 2?", "y = 2  # @nbduet why 2?", "Because.")
	t.Logf("heard %v after the last key, and the reply seen after %v", took.Round(time.Millisecond), time.Since(rested).Round(time.Millisecond))
	tab.shoot("reply-to-comment")

	var list struct{ Mentions []map[string]any }
	_, err = nbduet.Do(ctx, "list_mentions", nil, &list)
	must(t, err)
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
	must(t, tab.Top(ctx))
	if seen(ctx) == nil {
		t.Fatal("the cell is in view before anybody went there: nothing would be tested")
	}
	must(t, tab.Click(ctx, fmt.Sprintf(`.jp-MarkdownOutput a[href="#cell-id=%s"]`, target)))
	must(t, poll.Until(ctx, "the cell to which the reply leads", seen))
	tab.shoot("link")
	if cells := readCells(t, nbduet, path); cells[3].ID != reply {
		t.Errorf("%+v", cells[3])
	}
}
