package notebook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// savedNote is the note that every answer about a document can carry.
type savedNote struct {
	Saved   *bool  `json:"saved"`
	Problem string `json:"save_problem"`
}

func (s savedNote) unsaved() bool { return s.Saved != nil && !*s.Saved && s.Problem != "" }

// If the file is not saved, the answers about the notebook say so: here it is deleted while it is open.
func TestAnswersSayWhenTheFileDoesNotFollow(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1")
		var note savedNote
		r.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{{"content": "2"}}, "exec": false}, &note)
		if note.Saved != nil {
			t.Errorf("a healthy notebook is said to be unsaved: %+v", note)
		}
		doc, err := r.Work.Open(t.Context(), jupyter.MustPath(path)) // held open, as by a running call
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Release()
		// Not while the first edit is being saved, which recreates the file if it has checked for it before.
		release, err := doc.SaveAndHold(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Srv.Contents.Delete(t.Context(), jupyter.MustPath(path)); err != nil {
			t.Fatal(err)
		}
		release()
		// With the notebook held open: a call that opens it is refused once the deletion is known.
		if err := doc.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{Type: ydoc.Code, Source: "3"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		var listed struct {
			Sessions []savedNote `json:"sessions"`
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			r.Good("query_nb_sessions", toolstest.Dict{"root_path": path}, &listed)
			if len(listed.Sessions) == 1 && listed.Sessions[0].unsaved() {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("query_nb_sessions says %+v", listed)
			}
		}
		if !strings.Contains(listed.Sessions[0].Problem, "moved or deleted") {
			t.Errorf("the problem is said to be %q", listed.Sessions[0].Problem)
		}
		note = savedNote{}
		r.Good("end_nb_session", toolstest.Dict{"path": path}, &note)
		if !note.unsaved() {
			t.Errorf("end_nb_session says %+v", note)
		}
	})
}

// The answer names the other people in the notebook, and where they are.
func TestPeopleAreNamed(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r, other := toolstest.New(t), toolstest.New(t)
		path := r.Server.Notebook(t, "x = 1", "y = 2")
		other.Good("read_nb_cells", toolstest.Dict{"path": path}, nil)
		r.Good("read_nb_cells", toolstest.Dict{"path": path}, nil)
		other.Good("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 1}, "content": "y = 3"}}}, nil)
		var stat notebook.Stat
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			r.Good("get_nb_stat", toolstest.Dict{"path": path}, &stat)
			if len(stat.People) == 1 && stat.People[0].CellID == "c1" {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("get_nb_stat says %+v", stat.People)
			}
		}
		p := stat.People[0]
		test.Eq(t, "AI Agent", p.Name)
		test.True(t, p.Agent)
		must.NotNil(t, p.Index)
		test.Eq(t, 1, *p.Index)
	})
}
