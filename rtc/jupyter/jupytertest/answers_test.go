package jupytertest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

var update = flag.Bool("update", false, "write testdata from a real server")

// ask is a request, in which values from earlier answers replace $names.
type ask struct {
	method, path, body string
	keep               string // "name=member": keeps a member of the answer
	anonymous          bool   // sends no token
}

// asks are made in order: each depends on the state left by the earlier ones.
var asks = []ask{
	{method: "GET", path: "/api", anonymous: true},
	{method: "GET", path: "/api/status", anonymous: true},
	{method: "GET", path: "/api/status"},
	{method: "GET", path: "/api/nothing"},
	{method: "GET", path: "/elsewhere"},
	{method: "PUT", path: "/api/contents/a.txt", body: `{"type": "file", "format": "text", "content": "x"}`, anonymous: true},
	{method: "GET", path: "/api/contents/a.txt", anonymous: true},
	{method: "DELETE", path: "/api/contents/a.txt", anonymous: true},

	{method: "GET", path: "/api/contents"},
	{method: "PUT", path: "/api/contents/d", body: `{"type": "directory"}`},
	{method: "PUT", path: "/api/contents/d", body: `{"type": "directory"}`},
	{method: "PUT", path: "/api/contents/d/a%20b%23.txt", body: `{"type": "file", "format": "text", "content": "näme\n"}`},
	{method: "PUT", path: "/api/contents/d/a%20b%23.txt", body: `{"type": "file", "format": "text", "content": "näme\n"}`},
	{method: "GET", path: "/api/contents/d/a%20b%23.txt"},
	{method: "GET", path: "/api/contents/d/a%20b%23.txt?content=0"},
	{method: "GET", path: "/api/contents/d/a%20b%23.txt?content=0&hash=1"},
	{method: "GET", path: "/api/contents/d/a%20b%23.txt?format=base64"},
	{method: "GET", path: "/api/contents/d/a%20b%23.txt?format=json"},
	{method: "GET", path: "/api/contents/d/a%20b%23.txt?type=directory"},
	{method: "GET", path: "/api/contents/d/a%20b%23.txt?type=notebook"},
	{method: "PUT", path: "/api/contents/d/b.bin", body: `{"type": "file", "format": "base64", "content": "/wD+"}`},
	{method: "GET", path: "/api/contents/d/b.bin"},
	{method: "GET", path: "/api/contents/d/b.bin?format=text"},
	{method: "PUT", path: "/api/contents/d/c.bin", body: `{"type": "file", "content": "x"}`},
	{method: "PUT", path: "/api/contents/d/c.bin", body: `{"type": "file", "format": "text"}`},
	{method: "PUT", path: "/api/contents/d/c.bin", body: `{"content": "x"}`},
	{method: "PUT", path: "/api/contents/d/c.bin", body: `{`},
	{method: "PUT", path: "/api/contents/none/c.txt", body: `{"type": "file", "format": "text", "content": "x"}`},
	{method: "PUT", path: "/api/contents/none/c", body: `{"type": "directory"}`},
	{method: "PUT", path: "/api/contents/.hidden", body: `{"type": "directory"}`},
	{method: "GET", path: "/api/contents/.hidden"},
	{method: "GET", path: "/api/contents/none.txt"},
	{method: "GET", path: "/api/contents/d?content=0"},
	{method: "GET", path: "/api/contents/d?type=file"},
	{method: "GET", path: "/api/contents/d?type=notebook"},
	{method: "GET", path: "/api/contents/d"},

	{method: "PUT", path: "/api/contents/d/n.ipynb", body: `{"type": "notebook", "format": "json", "content": {"nbformat": 4, "nbformat_minor": 5, "metadata": {"b": 1, "a": 2.5}, "cells": [
		{"id": "c0", "cell_type": "code", "source": "1\n2", "metadata": {"trusted": true}, "execution_count": 1, "outputs": [
			{"output_type": "stream", "name": "stdout", "text": "x\ny\n"},
			{"output_type": "display_data", "metadata": {}, "data": {"text/plain": "a\nb", "image/png": "AA==\n", "application/json": {"k": ["l"]}}}]},
		{"id": "c1", "cell_type": "code", "source": "", "metadata": {}, "execution_count": null, "outputs": []},
		{"id": "c2", "cell_type": "markdown", "source": "# é <b>", "metadata": {}}]}}`},
	{method: "GET", path: "/api/contents/d/n.ipynb"},
	{method: "GET", path: "/api/contents/d/n.ipynb?type=file"},
	{method: "PUT", path: "/api/contents/d/broken.ipynb", body: `{"type": "file", "format": "text", "content": "{ no"}`},
	{method: "GET", path: "/api/contents/d/broken.ipynb"},
	{method: "GET", path: "/api/contents/d/broken.ipynb?content=0"},

	{method: "POST", path: "/api/contents/d", body: `{"copy_from": "d/n.ipynb"}`},
	{method: "POST", path: "/api/contents/d", body: `{"copy_from": "d/n.ipynb"}`},
	{method: "POST", path: "/api/contents/d", body: `{"copy_from": "d/n-Copy1.ipynb"}`},
	{method: "POST", path: "/api/contents/", body: `{"copy_from": "d/a b#.txt"}`},
	{method: "POST", path: "/api/contents/d", body: `{"copy_from": "none.txt"}`},
	{method: "POST", path: "/api/contents/d", body: `{"copy_from": "d"}`},
	{method: "POST", path: "/api/contents/none", body: `{"copy_from": "d/b.bin"}`},
	{method: "POST", path: "/api/contents/d/b.bin", body: `{"copy_from": "d/b.bin"}`},
	{method: "PATCH", path: "/api/contents/d/b.bin", body: `{"path": "d/n.ipynb"}`},
	{method: "PATCH", path: "/api/contents/d/none.bin", body: `{"path": "d/m.bin"}`},
	{method: "PATCH", path: "/api/contents/d/b.bin", body: `{"path": "none/m.bin"}`},
	{method: "PATCH", path: "/api/contents/d/b.bin", body: `{"path": "d/.b"}`},
	{method: "PATCH", path: "/api/contents/d/b.bin", body: `{"path": "d/e.bin"}`},
	{method: "DELETE", path: "/api/contents/d/b.bin"},
	{method: "DELETE", path: "/api/contents/d/e.bin"},

	{method: "PUT", path: "/api/collaboration/session/d/n.ipynb", body: `{"format": "json", "type": "notebook"}`, keep: "file=fileId"},
	{method: "PUT", path: "/api/collaboration/session/d%2Fn.ipynb", body: `{"format": "text", "type": "file"}`},
	{method: "PUT", path: "/api/collaboration/session/none.ipynb", body: `{"format": "json", "type": "notebook"}`},
	{method: "PUT", path: "/api/collaboration/session/d/n.ipynb", body: `{}`},
	{method: "PUT", path: "/api/collaboration/session/d/n.ipynb", body: `{"format": "json", "type": "notebook"}`, anonymous: true},
	{method: "GET", path: "/api/collaboration/session/d/n.ipynb"},
	{method: "PUT", path: "/api/collaboration/fork/json:notebook:$file", body: `[]`},
	{method: "GET", path: "/api/fileid/path?id=$file"},
	{method: "GET", path: "/api/fileid/path?id=none"},
	{method: "GET", path: "/api/fileid/path"},
	{method: "GET", path: "/api/fileid/id?path=d/n.ipynb"},
	{method: "GET", path: "/api/fileid/id?path=d/other.ipynb"},
	{method: "PATCH", path: "/api/contents/d/n.ipynb", body: `{"path": "d/m.ipynb"}`},
	{method: "GET", path: "/api/fileid/path?id=$file"},
	{method: "GET", path: "/api/fileid/id?path=d/n.ipynb"},
	{method: "DELETE", path: "/api/contents/d/m.ipynb"},
	{method: "GET", path: "/api/fileid/path?id=$file"},

	{method: "GET", path: "/api/sessions"},
	{method: "POST", path: "/api/sessions", body: `{"path": "d/n-Copy1.ipynb", "type": "notebook", "name": "n", "kernel": {"name": "python3"}}`, keep: "session=id"},
	{method: "POST", path: "/api/sessions", body: `{"path": "d/n-Copy1.ipynb", "type": "notebook", "name": "m", "kernel": {"name": "python3"}}`, keep: "kernel=kernel.id"},
	{method: "POST", path: "/api/sessions", body: `{"path": "d/x.ipynb", "type": "notebook", "kernel": {"name": "cobol"}}`},
	{method: "POST", path: "/api/sessions", body: `{"type": "notebook"}`},
	{method: "POST", path: "/api/sessions", body: `{"path": "x"}`},
	{method: "GET", path: "/api/sessions/$session"},
	{method: "GET", path: "/api/sessions/none"},
	{method: "PATCH", path: "/api/sessions/$session", body: `{"path": "moved.ipynb", "name": "moved"}`},
	{method: "PATCH", path: "/api/sessions/none", body: `{"path": "x"}`},
	{method: "PATCH", path: "/api/sessions/$session", body: `{"kernel": {"id": "none"}}`},
	{method: "GET", path: "/api/sessions"},
	{method: "GET", path: "/api/kernels/00000000-0000-0000-0000-000000000000"},
	{method: "DELETE", path: "/api/kernels/00000000-0000-0000-0000-000000000000"},
	{method: "POST", path: "/api/kernels/00000000-0000-0000-0000-000000000000/interrupt"},
	{method: "POST", path: "/api/kernels/00000000-0000-0000-0000-000000000000/restart"},
	{method: "GET", path: "/api/kernels/00000000-0000-0000-0000-000000000000/channels"},
	{method: "GET", path: "/api/kernels"},
	{method: "POST", path: "/api/kernels/$kernel/interrupt"},
	{method: "POST", path: "/api/kernels/$kernel/restart"},
	{method: "DELETE", path: "/api/kernels/$kernel"},
	{method: "GET", path: "/api/kernels"},
	{method: "GET", path: "/api/sessions"},
	{method: "GET", path: "/api/sessions/$session"},
	{method: "DELETE", path: "/api/contents/d"},
	{method: "GET", path: "/api/contents"},
}

// The fake gives the real server's answers.
func TestSameAnswers(t *testing.T) {
	var got string
	jupytertest.Bubble(t, func(t *testing.T) { got = answers(t, jupytertest.Start(t)) })
	asRecorded(t, "testdata/answers.txt", got, func() string { return answers(t, jupytertest.Start(t)) })
}

// asRecorded compares the fake's output with the real server's, if there is one, and with the recorded file.
func asRecorded(t *testing.T, file, fake string, realServer func() string) {
	t.Helper()
	if jupytertest.Real() {
		was := realServer()
		if *update {
			if err := os.WriteFile(file, []byte(was), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		sideBySide(t, "the real server", was, "the fake", fake)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sideBySide(t, file, string(b), "the fake", fake)
}

// sideBySide reports the differences of two texts.
func sideBySide(t *testing.T, name1, text1, name2, text2 string) {
	t.Helper()
	if text1 != text2 {
		t.Errorf("%s and %s differ; if the server has changed, run this with NBDUET_TEST_SERVER=real and -update:\n%s", name1, name2, udiff.Unified(name1, name2, text1, text2))
	}
}

// answers makes all the requests.
func answers(t *testing.T, s *jupytertest.Server) string {
	c := s.HTTP()
	if c == nil {
		c = &http.Client{Transport: &http.Transport{}}
	}
	defer c.CloseIdleConnections()
	var all strings.Builder
	kept := map[string]string{}
	for _, a := range asks {
		path := os.Expand(a.path, func(name string) string { return kept[name] })
		req, err := http.NewRequestWithContext(t.Context(), a.method, s.URL+path, strings.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		if !a.anonymous {
			req.Header.Set("Authorization", "token "+s.Token)
		}
		res, err := c.Do(req)
		if err != nil {
			t.Fatalf("%s %s: %v", a.method, a.path, err)
		}
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if name, member, ok := strings.Cut(a.keep, "="); ok {
			kept[name] = memberOf(t, b, member)
		}
		kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
		fmt.Fprintf(&all, "%s %s %s\n%d %s\n", a.method, a.path, a.body, res.StatusCode, kind)
		if location := res.Header.Get("Location"); location != "" {
			fmt.Fprintf(&all, "Location: %s\n", settled(s, location))
		}
		if kind != "text/html" { // pages are for people
			fmt.Fprintf(&all, "%s\n", settled(s, indented(b)))
		}
		all.WriteString("\n")
	}
	return all.String()
}

func memberOf(t *testing.T, b []byte, member string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	for name := range strings.SplitSeq(member, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	text, _ := v.(string)
	return text
}

// indented returns JSON with sorted members, and sorted entries of a folder; other text is unchanged.
func indented(b []byte) string {
	var v any
	if json.Unmarshal(b, &v) != nil {
		return string(b)
	}
	if m, ok := v.(map[string]any); ok {
		if list, ok := m["content"].([]any); ok {
			slices.SortFunc(list, func(a, b any) int {
				return cmp.Compare(fmt.Sprint(a.(map[string]any)["path"]), fmt.Sprint(b.(map[string]any)["path"]))
			})
		}
		if _, ok := m["kernels"].(float64); ok {
			m["connections"], m["kernels"] = "some", "some"
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(v) != nil {
		return string(b)
	}
	return strings.TrimSpace(out.String())
}

var unsettled = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)`), "DATE"},
	{regexp.MustCompile(`"execution_state": "\w+"`), `"execution_state": "STATE"`},
	{regexp.MustCompile(`"version": "[\d.]+"`), `"version": "VERSION"`},
}

// settled removes parts that differ between servers.
func settled(s *jupytertest.Server, text string) string {
	text = strings.ReplaceAll(text, s.Root, "ROOT")
	for _, u := range unsettled {
		text = u.what.ReplaceAllString(text, u.as)
	}
	return text
}
