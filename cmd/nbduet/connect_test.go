package main

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel"
)

// Without a Jupyter server, or with two, the program is there: it lists what it has, says in each call what is wrong and
// what to do, and finds the server when there is one. Nothing is searched for when nobody calls.
func TestStaysUpWithoutAServer(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	there := jupyter.Running{URL: s.URL, Token: s.Token, Root: s.Root}
	other := jupyter.Running{URL: "http://127.0.0.1:9", Token: "oth3r", Root: "/home/b"}
	var running atomic.Pointer[[]jupyter.Running]
	var searches atomic.Int32
	running.Store(&[]jupyter.Running{})
	p := launchWith(t, func(context.Context) ([]jupyter.Running, error) {
		searches.Add(1)
		return *running.Load(), nil
	})
	p.initialize()
	for id, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		if m := p.ask(id+2, method, map[string]any{}); m["result"] == nil {
			t.Errorf("%s answers %v", method, m)
		}
	}
	if n := searches.Load(); n != 1 {
		t.Errorf("%d searches before a call, want the one at the start", n)
	}
	id := 10
	// call repeats a call, as people do, until it answers what it should.
	call := func(tool string, fails bool, says ...string) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			id++
			text, failed := p.tool(id, tool, nil)
			if strings.Contains(text, s.Token) || strings.Contains(text, "oth3r") {
				t.Fatalf("%s shows a token: %s", tool, text)
			}
			missing := ""
			for _, want := range says {
				if !strings.Contains(text, want) {
					missing = want
				}
			}
			if failed == fails && missing == "" {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %v %s, want %q", tool, failed, text, says)
			}
		}
	}
	none := []string{"no Jupyter server runs on this machine", "`jupyter lab`", "--jupyter-url (JUPYTER_SERVER_URL)", "--token (JUPYTER_TOKEN)"}
	call("list_nbs", true, none...)
	call("get_base_url", true, none...)
	running.Store(&[]jupyter.Running{there, other})
	call("list_nbs", true, "several Jupyter servers", s.URL, s.Root, other.URL, other.Root, "--jupyter-url (JUPYTER_SERVER_URL)")
	running.Store(&[]jupyter.Running{there})
	call("list_nbs", false, "notebook")
	call("get_base_url", false, s.URL)
	p.in.Close()
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
	log := p.log.String()
	if strings.Count(log, "there is no Jupyter server to work on yet") != 1 || !strings.Contains(log, "jupyter lab") || strings.Contains(log, s.Token) {
		t.Errorf("the log is %s", log)
	}
}

// A server that was named and is not there is named once in the log at the start.
func TestSaysThatTheServerIsDown(t *testing.T) {
	clean(t)
	p := launch(t, "--jupyter-url=http://127.0.0.1:9", "--token=any-t0ken")
	p.initialize()
	for end := time.Now().Add(30 * time.Second); !strings.Contains(p.log.String(), "cannot be worked on yet"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the log is %s", p.log.String())
		}
	}
	p.in.Close()
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
	if log := p.log.String(); strings.Count(log, "http://127.0.0.1:9: ") != 1 || strings.Contains(log, "any-t0ken") {
		t.Errorf("the log is %s", log)
	}
}

// Where one of two servers is found later, the two are told apart by their addresses then.
func TestLocalServerLater(t *testing.T) {
	clean(t)
	for address, apart := range map[string]bool{"http://localhost:1111/x": false, otherURL: true} {
		s, _, err := parse([]string{"--document-url=local", "--runtime-url=" + address}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		var running []jupyter.Running
		find := func(context.Context) ([]jupyter.Running, error) { return running, nil }
		docs, kernels, err := connectServers(t.Context(), s, find, discard())
		if err != nil || docs.BaseURL() != "" {
			t.Fatalf("%v, found at %q", err, docs.BaseURL())
		}
		if err := docs.Find(t.Context()); err == nil || !strings.Contains(err.Error(), "--document-url (DOCUMENT_URL)") {
			t.Errorf("without a server: %v", err)
		}
		running = []jupyter.Running{{URL: "http://127.0.0.1:1111/x", Token: "t0ken"}}
		for end := time.Now().Add(30 * time.Second); docs.Find(t.Context()) != nil && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
		if got := (&kernel.Servers{Documents: docs, Kernels: kernels}); got.Apart() != apart || docs.BaseURL() == "" {
			t.Errorf("%s and %s: apart is %v", docs.BaseURL(), address, !apart)
		}
	}
}
