package doctor

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// The content of the examination's notebook: a sentence to search for in the file, and code that means the same in kernels
// of most languages.
const (
	written  = "nbduet doctor writes this."
	computes = "6*7"
	result   = "42"
)

// work works in a new notebook, as an agent does, and deletes it.
func work(ctx context.Context, x *examination) {
	name := "nbduet-doctor-" + strings.ToLower(rand.Text()[:8]) + ".ipynb"
	path := jupyter.MustPath(name)
	_, err := x.Documents.Contents.Put(ctx, path, jupyter.NewContent{Type: "notebook", Format: "json", Content: map[string]any{
		"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": []any{},
	}})
	if err != nil {
		x.wrong("collaboration", fmt.Errorf("create a test notebook: %w", err))
		x.leaveOut("without a notebook", "edit", "kernel")
		return
	}
	manager := session.New(session.Config{Server: x.Documents, Runtime: x.Runtime, AgentName: "nbduet doctor", Logger: x.Log})
	defer tidy(context.WithoutCancel(ctx), x, manager, path)
	doc, err := manager.Open(origin.With(ctx, origin.Author{Client: "doctor"}), path) // so that people see the author
	if err != nil {
		x.wrong("collaboration", err)
		x.leaveOut("without a room", "edit", "kernel")
		return
	}
	defer doc.Release()
	lookAtTabs(ctx, x)
	tryEdit(ctx, x, doc)
	tryKernel(ctx, x, doc)
}

// lookAtTabs checks whether people's tabs are in the rooms.
func lookAtTabs(ctx context.Context, x *examination) {
	fault, err := x.Documents.Health.CheckTabs(ctx)
	switch {
	case err != nil:
		x.wrong("collaboration", err)
	case fault.Code != "":
		x.wrong("collaboration", fault)
	default:
		x.fine("collaboration", "on, and websockets pass")
	}
}

// tryEdit writes into the notebook, and waits until the edit is in the room and the file.
func tryEdit(ctx context.Context, x *examination, doc *session.Document) {
	began := time.Now()
	err := doc.Edit(ctx, "try an edit", func(e *ydoc.Editor) error {
		_, err := e.Insert(e.Len(), ydoc.NewCell{Type: "markdown", Source: written})
		return err
	})
	if err != nil {
		x.wrong("edit", err)
		return
	}
	room := time.Since(began)
	if err := saved(ctx, x, doc); err != nil {
		x.wrong("edit", fmt.Errorf("the room has the edit, but the file does not: %w", err))
		return
	}
	x.fine("edit", "reached the room in %s and the file in %s", short(room), short(time.Since(began)))
}

// saved saves the document and reads its file.
func saved(ctx context.Context, x *examination, doc *session.Document) error {
	release, err := doc.SaveAndHold(ctx)
	if err != nil {
		return err
	}
	defer release()
	if problem := doc.Unsaved(); problem != "" {
		return errors.New(problem)
	}
	file, err := x.Documents.Contents.Get(ctx, doc.Path(), jupyter.ContentsOptions{Content: true, Type: "notebook"})
	if err != nil {
		return err
	}
	if !strings.Contains(string(file.Content), written) {
		return fmt.Errorf("%s was saved, but is unchanged", doc.Path())
	}
	return nil
}

// tryKernel runs a cell.
func tryKernel(ctx context.Context, x *examination, doc *session.Document) {
	began := time.Now()
	r, err := doc.RunNew(ctx, computes, run.Options{})
	if err == nil {
		err = r.Wait(ctx)
	}
	if err != nil {
		x.wrong("kernel", err)
		return
	}
	got := r.Result()
	text, err := json.Marshal(got.Outputs)
	switch {
	case got.Err != nil:
		x.wrong("kernel", got.Err)
	case err != nil:
		x.wrong("kernel", fmt.Errorf("read the outputs of a cell: %w", err))
	case got.State != run.Done || !strings.Contains(string(text), result):
		x.wrong("kernel", fmt.Errorf("a cell with %s ended %s, with output %s", computes, got.State, text))
	default:
		x.fine("kernel", "started and ran a cell in %s", short(time.Since(began)))
	}
}

// tidy deletes the notebook and shuts down its kernel.
func tidy(ctx context.Context, x *examination, manager *session.Manager, path jupyter.Path) {
	ctx, stop := context.WithTimeout(ctx, tidyFor)
	defer stop()
	err := manager.Close(ctx)
	sessions, listed := x.Runtime.Sessions.List(ctx)
	err = errors.Join(err, listed)
	for _, s := range sessions {
		if s.Path == path {
			err = errors.Join(err, x.Runtime.Kernels.Shutdown(ctx, s.Kernel.ID))
		}
	}
	if err = errors.Join(err, remove(ctx, x, path)); err != nil {
		x.note(Check{Name: "tidiness", Result: Wrong, Says: "test files or kernels were not removed: " + err.Error(), Fix: "delete " + path.String()})
	}
}

// remove deletes the notebook. A server moves deleted files to a wastebasket, so a file that can be reached without the
// server is deleted here, with its checkpoint.
func remove(ctx context.Context, x *examination, path jupyter.Path) error {
	if x.root != "" {
		name := path.String()
		const checkpoints = ".ipynb_checkpoints"
		if os.Remove(filepath.Join(x.root, name)) == nil {
			_ = os.Remove(filepath.Join(x.root, checkpoints, strings.TrimSuffix(name, ".ipynb")+"-checkpoint.ipynb")) // if any
			_ = os.Remove(filepath.Join(x.root, checkpoints))                                                         // if empty
			return nil
		}
	}
	return x.Documents.Contents.Delete(ctx, path)
}

// short formats a duration for people.
func short(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
