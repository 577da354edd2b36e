package jupyterhub

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test/must"
)

// caller is one user's MCP client that sends each message unchanged and keeps the raw answers.
type caller struct {
	at, token string
	session   string // the MCP session
	id        int
}

// newCaller begins an MCP session.
func (o *office) newCaller(t *testing.T, token string) *caller {
	t.Helper()
	return &caller{at: o.how.URL, token: token, session: o.session(t, token)}
}

// reply is the answer to a request.
type reply struct {
	status int
	raw    string
	result json.RawMessage
	failed bool // an error of HTTP, of the protocol or of a tool
}

// ask sends a request in a session.
func (c *caller) ask(ctx context.Context, session, method string, params any) (r reply, err error) {
	c.id++
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return r, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.at, bytes.NewReader(text))
	if err != nil {
		return r, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Mcp-Session-Id", session)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	r = reply{status: res.StatusCode, raw: string(all), failed: true}
	for line := range strings.Lines("data: " + r.raw + "\n" + r.raw) {
		var m struct {
			ID     int
			Result json.RawMessage
		}
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if ok && json.Unmarshal([]byte(data), &m) == nil && m.ID == c.id && m.Result != nil {
			var tool struct{ IsError bool }
			_ = json.Unmarshal(m.Result, &tool) // only a tool's result has this field
			r.result, r.failed = m.Result, tool.IsError
		}
	}
	return r, err
}

// call calls a tool, which may fail.
func (c *caller) call(t *testing.T, tool string, args map[string]any) reply {
	t.Helper()
	r, err := c.ask(t.Context(), c.session, "tools/call", map[string]any{"name": tool, "arguments": args})
	must.NoError(t, err)
	return r
}

// do calls a tool that has to succeed and decodes its structured content.
func (c *caller) do(t *testing.T, tool string, args map[string]any, out any) reply {
	t.Helper()
	r := c.call(t, tool, args)
	if r.failed {
		t.Fatalf("%s: status %d: %s", tool, r.status, r.raw)
	}
	var result struct {
		Structured json.RawMessage `json:"structuredContent"`
		Content    []struct{ Type, Text string }
	}
	must.NoError(t, json.Unmarshal(r.result, &result))
	if out == nil {
		return r
	}
	if result.Structured == nil && len(result.Content) > 0 {
		result.Structured = json.RawMessage(result.Content[0].Text)
	}
	if err := json.Unmarshal(result.Structured, out); err != nil {
		t.Fatalf("%s: %v: %s", tool, err, r.raw)
	}
	return r
}

// list reads all pages of a list.
func list[T any](t *testing.T, c *caller, method, key string) (all []T) {
	t.Helper()
	params := map[string]any{}
	for {
		r, err := c.ask(t.Context(), c.session, method, params)
		must.NoError(t, err)
		var page map[string]json.RawMessage
		must.NoError(t, json.Unmarshal(r.result, &page))
		var some []T
		must.NoError(t, json.Unmarshal(page[key], &some))
		all = append(all, some...)
		next, ok := page["nextCursor"]
		if !ok {
			return all
		}
		params["cursor"] = next
	}
}

// offered is a listed tool.
type offered struct {
	Name        string
	Annotations struct{ ReadOnlyHint bool }
	InputSchema struct {
		Properties map[string]struct {
			Type string
			Enum []string
		}
		Required []string
	}
}

// reads returns 1 for a read-only tool, else 0.
func (o offered) reads() int {
	if o.Annotations.ReadOnlyHint {
		return 1
	}
	return 0
}

// names are the names of a user's objects, by the names of arguments. The values of one argument are tried in turn.
type names map[string][]any

// neutral are arguments that do not name a user's object.
var neutral = map[string]any{
	"text": "mine", "content": "mine", "code": "1", "source": "mine", "cell_source": "mine", "old_text": "mine", "new_text": "mine too", "old_string": "mine",
	"new_string": "mine too", "title": "mine", "cell_type": "code", "pattern": "explore_dataset", "timeout": 1, "timeout_seconds": 1, "wait": 1, "position": 0,
	"length": 1, "cell_index": 0, "source_index": 0, "target_index": 0, "force": true, "exec": false, "include_data": true, "include_head": true,
	"include_content": true, "include_outputs": true, "mode": "connect", "query": "mine", "user_asked": true,
	"ranges": []any{map[string]any{"start": 0, "end": 1}}, "cells": []any{map[string]any{"content": "1"}},
	"modifications": []any{map[string]any{"range": map[string]any{"start": 0, "end": 1}, "content": "mine"}},
}

// idle are the other arguments, which are left out: they do not name an object either.
var idle = []string{
	"maxCellOutputSize", "maxOutputSize", "interrupt_on_cancel", "progress_interval", "stream", "own", "document_provider", "jupyter_token", "type",
	"include_source", "cell_indices", "what", "reason", "replace_all", "occurrence", "max_depth", "start_index", "limit", "agents", "rows", "format", "sheet",
	"table", "delimiter", "encoding", "response_format", "topics", "discovery", "solution", "add_to", "clear_outputs", "count", "filter", "person",
	"output", "offset", "max_content", "max_chars", "head_rows", "max_columns", "include_all", "maxCellData", "cursor", "outline", "in", "regexp", "until", "times", "range", "time", "task",
}

// calls returns a tool's calls with a user's names: one for each name of each of its arguments, with the first name of
// all others. An argument that is in no table is an error, so that new ones are added to a table.
func (n names) calls(o offered) (all []map[string]any, err error) {
	base := map[string]any{}
	var named []string
	for arg := range o.InputSchema.Properties {
		required := slices.Contains(o.InputSchema.Required, arg)
		switch values, ok := n[arg]; {
		case ok:
			base[arg], named = values[0], append(named, arg)
		case neutral[arg] != nil:
			base[arg] = neutral[arg]
		case required || !slices.Contains(idle, arg):
			return nil, fmt.Errorf("%s: it is not known what users have as %q", o.Name, arg)
		}
	}
	slices.Sort(named)
	all = append(all, base)
	for _, arg := range named {
		for _, value := range n[arg][1:] {
			one := map[string]any{}
			for k, v := range base {
				one[k] = v
			}
			one[arg] = value
			all = append(all, one)
		}
		// A tool that needs one of several names may get only that one.
		if one := map[string]any{arg: n[arg][0]}; len(named) > 1 {
			for k, v := range base {
				if _, is := n[k]; !is || slices.Contains(o.InputSchema.Required, k) {
					one[k] = v
				}
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// hidden returns the forms of a text in answers: plain, and in base64 at any offset.
func hidden(text string) (forms []string) {
	forms = append(forms, text)
	for skip := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", skip) + text))
		forms = append(forms, encoded[4:len(encoded)-4])
	}
	return forms
}
