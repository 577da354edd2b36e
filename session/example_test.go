package session_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// A notebook is opened, a cell is inserted and run, and its output is in the shared document.
func Example() {
	if err := runCell(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// done 1
	// stream 42
}

func runCell(ctx context.Context) (err error) {
	running, err := jupytertest.SharedServer()
	if err != nil {
		return err
	}
	server, err := jupyter.New(jupyter.Options{URL: running.URL, Token: running.Token})
	if err != nil {
		return err
	}
	defer server.CloseIdleConnections()
	path := "example-" + rand.Text() + ".ipynb"
	empty := map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": []any{}}
	if _, err := server.Contents.Put(ctx, jupyter.MustPath(path), jupyter.NewContent{Type: "notebook", Format: "json", Content: empty}); err != nil {
		return err
	}

	manager := session.New(session.Config{Server: server})
	defer func() { err = errors.Join(err, manager.Close(ctx)) }() // saves and leaves what is open
	doc, err := manager.Open(ctx, jupyter.MustPath(path))
	if err != nil {
		return err
	}
	defer doc.Release()
	err = doc.Edit(ctx, "insert cell", func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{ID: "answer", Type: ydoc.Code, Source: "print(6 * 7, end='')"})
		return err
	})
	if err != nil {
		return err
	}

	kernel, err := doc.Kernel().Start(ctx)
	if err != nil {
		return err
	}
	defer server.Kernels.Shutdown(ctx, kernel.ID) // Close leaves it to the people
	runs, err := doc.Run(ctx, []string{"answer"})
	if err != nil {
		return err
	}
	if err := runs[0].Wait(ctx); err != nil {
		return err
	}
	fmt.Println(runs[0].Result().State, *runs[0].Result().Count)
	cell, _ := doc.Notebook().Cell("answer")
	fmt.Println(cell.Outputs[0]["output_type"], cell.Outputs[0]["text"])
	return nil
}
