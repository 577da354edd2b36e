package tools

import (
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/notebook"
)

func TestNbSessions(t *testing.T) {
	r := newRig(t)
	dir := r.server.Name(t, "")
	const empty = `{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}`
	a, b := r.server.Write(t, dir+"/a.ipynb", empty), r.server.Write(t, dir+"/sub/b.ipynb", empty)
	outside := r.server.Notebook(t, "1")
	var got notebook.QuerySessionsResult
	query := func(root string) notebook.QuerySessionsResult {
		t.Helper()
		got = notebook.QuerySessionsResult{}
		r.good("query_nb_sessions", dict{"root_path": root}, &got)
		return got
	}
	if query(dir); got.Total != 0 || got.Active != 0 || len(got.Sessions) != 0 || got.RootPath != dir {
		t.Errorf("before any use: %+v", got)
	}
	for _, path := range []string{a, b, outside} {
		r.read(path)
	}
	if query("/" + dir); got.Total != 2 || got.Active != 2 || len(got.Sessions) != 2 || got.RootPath != dir {
		t.Fatalf("after use: %+v", got)
	}
	s := got.Sessions[0]
	if s.Path != a || s.Status != "connected" || s.SessionID == "" || s.FileID == "" || s.CellCount != 1 || s.Message != "RTC session is active" || s.ExpiresIn == nil {
		t.Errorf("session = %+v", s)
	}
	if _, err := time.Parse(time.RFC3339, s.LastActivity); err != nil {
		t.Error(err)
	}
	r.good("query_nb_sessions", nil, &got)
	if got.Total != 3 || got.RootPath != "" {
		t.Errorf("everywhere: %+v", got)
	}

	var ended document.EndSessionResult
	r.good("end_nb_session", dict{"path": "/" + a}, &ended)
	if ended != (document.EndSessionResult{Path: a, Status: "disconnected", Message: "RTC session ended successfully"}) {
		t.Errorf("end = %+v", ended)
	}
	if query(dir); got.Total != 2 || got.Active != 1 || got.Sessions[0].Status != "disconnected" || !strings.HasPrefix(got.Sessions[0].Message, "RTC session ended") {
		t.Errorf("after the end: %+v", got)
	}
	r.good("end_nb_session", dict{"path": a}, &ended)
	if ended.Status != "disconnected" || ended.Message == "RTC session ended successfully" {
		t.Errorf("ended again: %+v", ended)
	}
	r.good("end_nb_session", dict{"path": dir + "/never.ipynb"}, &ended)
	if ended.Status != "not_found" || ended.Path != dir+"/never.ipynb" || ended.Message == "" {
		t.Errorf("never opened: %+v", ended)
	}
	// The next use opens it again.
	r.read(a)
	if query(dir); got.Active != 2 {
		t.Errorf("used again: %+v", got)
	}
	r.bad("end_nb_session", dict{"path": "../x.ipynb"}, `".."`)
	r.bad("end_nb_session", dict{"path": ""}, "path has 0 characters")
	r.bad("query_nb_sessions", dict{"root_path": "a/../b"}, `".."`)
	r.bad("query_nb_sessions", dict{"path": "a"}, `no argument "path"`)
}

// toolsOfTheServer are calls that need the Jupyter server.
func callsOfTheServer(path string) map[string]dict {
	return map[string]dict{
		"list_nbs":         {},
		"get_nb_stat":      {"path": path},
		"read_nb_cells":    {"path": path},
		"insert_nb_cells":  {"path": path, "position": 0, "cells": []dict{{"content": "1"}}},
		"modify_nb_cells":  {"path": path, "modifications": []dict{{"range": dict{"start": 0}, "content": "1"}}},
		"delete_nb_cells":  {"path": path, "ranges": []dict{{"start": 0}}},
		"execute_nb_cells": {"path": path, "ranges": []dict{{"start": 0}}},
	}
}

// callsOfOurs are calls that are answered whatever state the server is in.
func (r *rig) callsOfOurs() {
	r.t.Helper()
	r.good("get_base_url", nil, nil)
	r.good("nb_path_from_url", dict{"url": r.server.URL + "/tree/a.ipynb"}, nil)
	r.good("query_nb_sessions", nil, nil)
	r.good("end_nb_session", dict{"path": "a.ipynb"}, nil)
}

func TestWrongToken(t *testing.T) {
	s := jupytertest.Shared(t)
	good := newRigOn(t, s)
	path := s.Notebook(t, "1")
	defer good.unchanged(path)()
	r := newRigOn(t, &jupytertest.Server{URL: s.URL, Token: "wrong-token", Root: s.Root})
	for tool, args := range callsOfTheServer(path) {
		r.bad(tool, args, "token is wrong or missing", "JUPYTER_TOKEN")
	}
	r.callsOfOurs()
}

func TestServerDown(t *testing.T) {
	r := newRigOn(t, &jupytertest.Server{URL: "http://127.0.0.1:9", Token: "any-token"})
	for tool, args := range callsOfTheServer("a.ipynb") {
		r.bad(tool, args, "http://127.0.0.1:9")
	}
	r.callsOfOurs()
}

// The list of tools is what the toolsets say, in a fixed order.
func TestToolsList(t *testing.T) {
	r := newRig(t)
	names := func(cfg Config) string {
		cfg.Work = r.work
		c := r.connect(cfg)
		defer c.Close()
		list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, tool := range list.Tools {
			out = append(out, tool.Name)
		}
		return strings.Join(out, " ")
	}
	if got := names(Config{Toolsets: []string{"rtc"}}); got != "end_document_session end_nb_session query_document_session query_nb_sessions" {
		t.Errorf("rtc: %s", got)
	}
	if got := names(Config{Toolsets: []string{"notebook", "rtc"}, ReadOnly: true}); got != "get_base_url get_nb_stat list_available_kernels list_nbs nb_path_from_url query_document_session query_nb_sessions read_nb_cells" {
		t.Errorf("read-only: %s", got)
	}
	if got := names(Config{Toolsets: []string{"runs"}}); got != "cancel_run get_run list_runs wait_run" {
		t.Errorf("runs: %s", got)
	}
	if got := len(strings.Fields(names(Config{}))); got != 42 {
		t.Errorf("%d tools by default, want 12 of notebook, 4 of runs, 11 of document, 11 of analysis, 4 of rtc", got)
	}
}
