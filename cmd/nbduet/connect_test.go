package main

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel"
)

// Without a Jupyter server, or with two, the program still runs: it lists its tools, each call returns the error and the
// remedy, and it finds the server once there is one. It searches for a server only for a request that needs one.
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
	for id, method := range []string{"tools/list", "resources/templates/list", "prompts/list"} {
		test.NotNil(t, p.ask(id+2, method, map[string]any{})["result"], test.Sprint(method))
	}
	test.Eq(t, 1, searches.Load(), test.Sprint("the search at the start, and no other"))
	test.NotNil(t, p.ask(9, "resources/list", map[string]any{})["result"]) // searches again after a second
	id := 10
	// call repeats a call, as people do, until its answer has the expected words.
	call := func(tool string, fails bool, says ...string) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			id++
			text, failed := p.tool(id, tool, nil)
			must.StrNotContains(t, text, s.Token, must.Sprint(tool))
			must.StrNotContains(t, text, "oth3r", must.Sprint(tool))
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
	test.Eq(t, 1, strings.Count(log, "no Jupyter server was found yet"))
	test.StrContains(t, log, "jupyter lab")
	test.StrNotContains(t, log, s.Token)
}

// A named server that is down is logged once at the start.
func TestSaysThatTheServerIsDown(t *testing.T) {
	clean(t)
	p := launch(t, "--jupyter-url=http://127.0.0.1:9", "--token=any-t0ken")
	p.initialize()
	for end := time.Now().Add(30 * time.Second); !strings.Contains(p.log.String(), "cannot be used yet"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the log is %s", p.log.String())
		}
	}
	p.in.Close()
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
	log := p.log.String()
	test.Eq(t, 1, strings.Count(log, "http://127.0.0.1:9: "))
	test.StrNotContains(t, log, "any-t0ken")
}

// If one of two servers is found later, their addresses are compared then.
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
		must.NoError(t, err)
		must.Eq(t, "", docs.BaseURL())
		err = docs.Find(t.Context())
		must.Error(t, err, must.Sprint("without a server"))
		test.StrContains(t, err.Error(), "--document-url (DOCUMENT_URL)", test.Sprint("without a server"))
		running = []jupyter.Running{{URL: "http://127.0.0.1:1111/x", Token: "t0ken"}}
		for end := time.Now().Add(30 * time.Second); docs.Find(t.Context()) != nil && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
		got := (&kernel.Servers{Documents: docs, Runtime: kernels})
		test.Eq(t, apart, got.Apart(), test.Sprint(address))
		test.NotEq(t, "", docs.BaseURL(), test.Sprint(address))
	}
}
