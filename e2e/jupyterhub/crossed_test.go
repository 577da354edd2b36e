package jupyterhub

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
)

// only is a word in each of ann's objects that no other user sends or has.
const only = "heliotrope-7c1e95-for-ann-alone"

// fewest is the minimal number of bob's requests with ann's names.
const fewest = 200

// crossing is bob, who knows the names of all of ann's objects.
type crossing struct {
	*office
	ann, bob  *caller
	hers      names
	forms     []string // must not be in an answer to bob
	tools     []offered
	templates []struct {
		URI string `json:"uriTemplate"`
	}
	resources []struct{ URI string }
	sent      int
}

// crossed lets bob request all of ann's objects by name.
func (o *office) crossed(t *testing.T) {
	_, err := o.StartServer(t.Context(), "bob")
	must.NoError(t, err)
	key := token(t, o.Hub, "ann", work("ann")...)
	c := &crossing{office: o, ann: o.newCaller(t, key.Secret), bob: o.newCaller(t, token(t, o.Hub, "bob", work("bob")...).Secret), forms: hidden(only)}
	c.make(t)
	c.tools = list[offered](t, c.ann, "tools/list", "tools")
	// Tools that only read come first; some of the others destroy their objects.
	slices.SortStableFunc(c.tools, func(a, b offered) int {
		return cmp.Compare(b.reads(), a.reads())
	})
	c.templates = list[struct {
		URI string `json:"uriTemplate"`
	}](t, c.ann, "resources/templates/list", "resourceTemplates")
	c.resources = list[struct{ URI string }](t, c.ann, "resources/list", "resources")
	heard, stop := c.listen(t, c.bob)
	before := c.state(t, key)
	// Once while bob has no object of that name, and once more with the objects that some of the calls made.
	for range 2 {
		c.reads(t)
		c.calls(t)
	}
	c.sessions(t)
	if after := c.state(t, key); !maps.Equal(before, after) {
		for name, was := range before {
			if after[name] != was {
				t.Errorf("of ann's, %s was\n%.1500s\nand is\n%.1500s", name, was, after[name])
			}
		}
	}
	// Other users are not notified of ann's actions.
	c.ann.do(t, "insert_nb_cells", map[string]any{"path": "hers.ipynb", "position": 0, "cells": []any{map[string]any{"content": "# " + only}}}, nil)
	c.ann.do(t, "delete_nb_cells", map[string]any{"path": "hers.ipynb", "ranges": []any{map[string]any{"start": 0, "end": 1}}}, nil)
	stop()
	for _, form := range append(c.forms, fmt.Sprint(c.hers["session_id"][0])) {
		if strings.Contains(heard(), form) {
			t.Errorf("bob's stream has what is ann's: %s", heard())
		}
	}
	if c.sent < fewest {
		t.Errorf("bob has sent %d requests, want %d", c.sent, fewest)
	}
	t.Logf("%d requests of bob's with ann's names: none answered with anything of hers", c.sent)
	c.right(t)
}

// make makes one of each of ann's objects and notes its name.
func (c *crossing) make(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"hers.txt": "word\n" + only, "hers.csv": "word\n" + only,
		"project.yaml": "project:\n  name: p\nmodules:\n  hers:\n    description: " + only,
	} {
		must.NoError(t, os.WriteFile(c.Home("ann")+"/"+name, []byte(text+"\n"), 0o600))
	}
	a := c.ann
	a.do(t, "create_document", map[string]any{"path": "hers.ipynb"}, nil)
	code := fmt.Sprintf("hers = %q\nimport pandas as pd\ntable = pd.DataFrame({%q: [1]})\nprint(hers)", only, only)
	plot := fmt.Sprintf("import matplotlib.pyplot as plt\nplt.title(%q)\nplt.plot([1, 3, 2])\nplt.show()", only)
	a.do(t, "insert_nb_cells", map[string]any{"path": "hers.ipynb", "position": 0, "exec": true, "timeout": 60, "cells": []any{map[string]any{"content": code}, map[string]any{"content": plot}}}, nil)
	a.do(t, "use_notebook", map[string]any{"notebook_name": "her book", "notebook_path": "hers.ipynb", "mode": "connect"}, nil)
	var cells agent.Cells
	a.do(t, "read_nb_cells", map[string]any{"path": "hers.ipynb"}, &cells)
	var made struct {
		SessionID string `json:"session_id"`
		KernelID  string `json:"kernel_id"`
	}
	a.do(t, "session_create", map[string]any{"name": only, "notebook_path": "hers.ipynb"}, &made)
	picture := a.do(t, "execute_code", map[string]any{"session_id": made.SessionID, "code": plot + "\n" + code}, nil)
	uri := regexp.MustCompile(`jupyter://sessions/([^/"\\]+)/images/([^./"\\]+)\.png`).FindStringSubmatch(picture.raw)
	if uri == nil {
		t.Fatalf("no image: %.3000s", picture.raw)
	}
	a.do(t, "record_context", map[string]any{"topics": []any{only}, "discovery": only, "solution": only}, nil)
	var runs struct {
		Runs []struct {
			ID string `json:"run_id"`
		}
	}
	listed := a.do(t, "list_runs", map[string]any{}, &runs)
	if len(runs.Runs) == 0 {
		t.Fatalf("no runs: %s", listed.raw)
	}
	var changes struct{ Revision string }
	a.do(t, "get_nb_stat", map[string]any{"path": "hers.ipynb"}, &changes)
	at := c.URL + "/user/ann/lab/tree/hers.ipynb"
	c.hers = names{
		"path":          {"hers.ipynb", "hers.txt", "hers.csv", at, "../ann/hers.ipynb", c.Home("ann") + "/hers.ipynb", "/user/ann/hers.ipynb"},
		"notebook_path": {"hers.ipynb", at}, "source_path": {"hers.ipynb", at}, "copyPath": {"copy.ipynb"}, "newPath": {"renamed.ipynb"}, "root_path": {"hers.ipynb"},
		"session_id": {made.SessionID}, "notebook_name": {"her book", "hers.ipynb"}, "kernel_id": {made.KernelID}, "run_id": {runs.Runs[0].ID},
		"cell_id": {cells.Cells[0].ID}, "source_cell_id": {cells.Cells[0].ID}, "target_cell_id": {cells.Cells[1].ID}, "after_id": {cells.Cells[0].ID},
		"cell": {cells.Cells[0].ID}, "cell_ids_to_delete": {[]any{cells.Cells[0].ID}}, "resource_uri": {uri[0], uri[0] + "/full", "jupyter://images/" + uri[2]},
		"url": {at, c.URL + "/user/ann/tree/hers.ipynb"}, "jupyter_url": {c.URL + "/user/ann/"}, "variable_name": {"hers", "table"}, "name": {"hers", "her book"},
		"revision": {changes.Revision}, "since": {changes.Revision}, "module": {"hers"}, "kernel_name": {"python3"}, "mention": {cells.Cells[0].ID}, "step": {changes.Revision},
		// Arguments of resources.
		"image_id": {uri[2]}, "file": {"hers"}, "notebook_id": {"hers.ipynb"}, "pattern": {"explore_dataset"},
	}
	for _, r := range list[struct{ URI string }](t, a, "resources/list", "resources") {
		if found := regexp.MustCompile(`^notebook://([^/]+)/([^/]+)$`).FindStringSubmatch(r.URI); found != nil && found[1] != "templates" {
			c.hers["notebook_id"] = append([]any{found[2]}, c.hers["notebook_id"]...)
			if found[1] != made.SessionID {
				c.hers["session_id"] = append(c.hers["session_id"], found[1])
			}
		}
	}
	img, err := a.ask(t.Context(), a.session, "resources/read", map[string]any{"uri": uri[0]})
	must.NoError(t, err)
	var blob struct{ Contents []struct{ Blob string } }
	must.NoError(t, json.Unmarshal(img.result, &blob))
	c.forms = append(c.forms, blob.Contents[0].Blob[:400])
}

// listen opens the stream of a client's notifications.
func (c *crossing) listen(t *testing.T, who *caller) (heard func() string, stop func()) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, who.at, nil)
	must.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+who.token)
	req.Header.Set("Mcp-Session-Id", who.session)
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req)
	must.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	var mu sync.Mutex
	var all strings.Builder
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		part := make([]byte, 4096)
		for {
			n, err := res.Body.Read(part)
			mu.Lock()
			all.Write(part[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	stop = sync.OnceFunc(func() {
		_ = res.Body.Close() // which ends the reader
		<-ended
	})
	t.Cleanup(stop)
	return func() string { mu.Lock(); defer mu.Unlock(); return all.String() }, stop
}

// passing matches values that change with time.
var passing = regexp.MustCompile(`\\"(seconds_ago|last_activity|last_used)\\":("[^"]*"|[^,}]*)`)

// state returns ann's objects, as her server and her agent show them.
func (c *crossing) state(t *testing.T, key hubs.Token) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, file := range files(t, c.Hub, "ann") {
		if b, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, ".ipynb") {
			all[file] = fmt.Sprintf("%x", sha256.Sum256(b))
		} else {
			all[file] = "there"
		}
	}
	type kernel struct {
		ID    string
		State string `json:"execution_state"`
	}
	var kernels []kernel
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.URL+"/user/ann/api/kernels", nil)
	must.NoError(t, err)
	req.Header.Set("Authorization", "token "+key.Secret)
	res, err := http.DefaultClient.Do(req)
	must.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must.NoError(t, err)
	must.NoError(t, json.Unmarshal(b, &kernels))
	slices.SortFunc(kernels, func(a, b kernel) int { return strings.Compare(a.ID, b.ID) })
	all["kernels"] = fmt.Sprint(kernels)
	session := c.hers["session_id"][0]
	for tool, args := range map[string]map[string]any{
		"read_nb_cells": {"path": "hers.ipynb"}, "get_variable": {"session_id": session, "variable_name": "hers"}, "session_list": {},
		"get_run": {"run_id": c.hers["run_id"][0]}, "list_runs": {}, "list_agent_edits": {"path": "hers.ipynb"},
	} {
		all[tool] = passing.ReplaceAllString(string(c.ann.do(t, tool, args, nil).result), "")
	}
	return all
}

// clean checks that an answer to bob has no content of ann's objects.
func (c *crossing) clean(t *testing.T, what string, r reply) {
	t.Helper()
	c.sent++
	for _, form := range c.forms {
		if strings.Contains(r.raw, form) {
			t.Errorf("bob is answered with what is ann's: %s: %.2000s", what, r.raw)
		}
	}
	if r.status >= http.StatusInternalServerError {
		t.Errorf("%s: status %d: %s", what, r.status, r.raw)
	}
}

// calls lets bob call each tool with ann's names.
func (c *crossing) calls(t *testing.T) {
	t.Helper()
	for _, tool := range c.tools {
		all, err := c.hers.calls(tool)
		if err != nil {
			t.Error(err)
		}
		for _, args := range all {
			r := c.bob.call(t, tool.Name, args)
			c.clean(t, fmt.Sprintf("%s %v", tool.Name, args), r)
		}
	}
}

var placeholder = regexp.MustCompile(`\{[+?]?(\w+)\}`)

// uris returns the addresses of ann's resources.
func (c *crossing) uris(t *testing.T) (all []string) {
	t.Helper()
	for _, template := range c.templates {
		list := []string{template.URI}
		for _, field := range placeholder.FindAllStringSubmatch(template.URI, -1) {
			values := c.hers[field[1]]
			switch {
			case field[1] == "name":
				values = c.hers["module"]
			case field[1] == "ext" && strings.Contains(template.URI, "/images/"):
				values = []any{"png"}
			case field[1] == "ext":
				values = []any{"py"}
			case field[0] == "{?limit}":
				values = []any{"?limit=10"}
			case values == nil:
				t.Errorf("it is not known what users have as %q in %s", field[1], template.URI)
			}
			var next []string
			for _, uri := range list {
				for _, v := range values {
					next = append(next, strings.Replace(uri, field[0], fmt.Sprint(v), 1))
				}
			}
			list = next
		}
		all = append(all, list...)
	}
	for _, r := range c.resources {
		all = append(all, r.URI)
	}
	return all
}

// reads lets bob read and subscribe to ann's resources.
func (c *crossing) reads(t *testing.T) {
	t.Helper()
	for _, uri := range c.uris(t) {
		for _, method := range []string{"resources/read", "resources/subscribe"} {
			r, err := c.bob.ask(t.Context(), c.bob.session, method, map[string]any{"uri": uri})
			must.NoError(t, err)
			c.clean(t, method+" "+uri, r)
		}
	}
}

// sessions lets bob use ann's sessions of the protocol.
func (c *crossing) sessions(t *testing.T) {
	t.Helper()
	refused := func(what string, r reply) {
		t.Helper()
		c.clean(t, what, r)
		test.GreaterEq(t, 400, r.status, test.Sprint(what))
		test.Less(t, 500, r.status, test.Sprint(what))
	}
	for _, method := range []string{"ping", "tools/list", "resources/list", "prompts/list"} {
		r, err := c.bob.ask(t.Context(), c.ann.session, method, map[string]any{})
		must.NoError(t, err)
		refused(method+" in ann's session", r)
	}
	r, err := c.bob.ask(t.Context(), c.ann.session, "tools/call", map[string]any{"name": "read_nb_cells", "arguments": map[string]any{"path": "hers.ipynb"}})
	must.NoError(t, err)
	refused("a call in ann's session", r)
	events := c.events(t)
	for what, at := range map[[2]string]string{
		{http.MethodGet, "her stream"}: "/mcp", {http.MethodDelete, "her session"}: "/mcp", {http.MethodPost, "her stream of events"}: events,
	} {
		req, err := http.NewRequestWithContext(t.Context(), what[0], c.service+at, strings.NewReader(ping))
		must.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+c.bob.token)
		req.Header.Set("Mcp-Session-Id", c.ann.session)
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		must.NoError(t, err)
		var b []byte
		if res.StatusCode >= 400 { // otherwise it may be an endless stream
			b, err = io.ReadAll(res.Body)
			must.NoError(t, err)
		}
		must.NoError(t, res.Body.Close())
		refused(what[0]+" "+what[1], reply{status: res.StatusCode, raw: string(b)})
	}
	if a := request(t, http.MethodPost, c.service+events, c.ann.token, ping); a.status >= 300 {
		t.Errorf("ann's own message to her stream: status %d: %s", a.status, a.body)
	}
}

// events opens a stream of events for ann and returns the address for its messages, below the service's address.
func (c *crossing) events(t *testing.T) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.service+"/sse", nil)
	must.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+c.ann.token)
	res, err := http.DefaultClient.Do(req)
	must.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	first := make([]byte, 4096)
	n, err := res.Body.Read(first)
	must.NoError(t, err)
	found := regexp.MustCompile(`/message\?sessionId=\S+`).FindString(string(first[:n]))
	if found == "" {
		t.Fatalf("no address in %s", first[:n])
	}
	return found
}

// right checks that the same names work for ann.
func (c *crossing) right(t *testing.T) {
	t.Helper()
	answered, with := 0, 0
	for _, tool := range c.tools {
		all, err := c.hers.calls(tool)
		if err != nil || !tool.Annotations.ReadOnlyHint || len(tool.InputSchema.Required) == 0 {
			continue
		}
		var last reply
		ok := false
		for _, args := range all {
			last = c.ann.call(t, tool.Name, args)
			ok = ok || !last.failed
			if strings.Contains(last.raw, only) {
				with++
			}
		}
		if ok {
			answered++
		} else {
			t.Errorf("ann's own %s is not answered: %.1000s", tool.Name, last.raw)
		}
	}
	for _, template := range c.templates {
		one := *c
		one.templates, one.resources = slices.DeleteFunc(slices.Clone(c.templates), func(o struct {
			URI string `json:"uriTemplate"`
		},
		) bool {
			return o != template
		}), nil
		var last reply
		ok := false
		for _, uri := range one.uris(t) {
			var err error
			last, err = c.ann.ask(t.Context(), c.ann.session, "resources/read", map[string]any{"uri": uri})
			must.NoError(t, err)
			ok = ok || !last.failed
			if strings.Contains(last.raw, only) {
				with++
			}
		}
		if ok {
			answered++
		} else {
			t.Errorf("ann's own %s is not read: %.1000s", template.URI, last.raw)
		}
	}
	t.Logf("%d tools and templates answer ann with the same names; %d answers have the word", answered, with)
}
