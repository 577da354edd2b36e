package resource_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A listener is a client that records its notifications.
type listener struct {
	*client.Client
	t *testing.T

	mu    sync.Mutex
	heard map[string]int // by URI, or by method without a URI
	ids   map[string]any // the subscription's id likewise
	came  chan struct{}
}

func listen(t *testing.T, s *server.MCPServer, version string) *listener {
	t.Helper()
	toolstest.Tick()
	return listenBy(t, transport.NewInProcessTransport(s), version)
}

func listenBy(t *testing.T, by transport.Interface, version string) *listener {
	t.Helper()
	l := &listener{t: t, heard: map[string]int{}, ids: map[string]any{}, came: make(chan struct{}, 1)}
	l.Client = client.NewClient(by, client.WithProtocolVersion(version))
	if err := l.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = version
	if _, err := l.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	l.OnNotification(func(n mcp.JSONRPCNotification) {
		what := n.Method
		if uri, ok := n.Params.AdditionalFields["uri"].(string); ok && n.Method == "notifications/resources/updated" {
			what = uri
		}
		l.mu.Lock()
		l.heard[what]++
		l.ids[what] = n.Params.Meta[mcp.MetaKeySubscriptionID]
		l.mu.Unlock()
		select {
		case l.came <- struct{}{}:
		default:
		}
	})
	return l
}

const listChanged = "notifications/resources/list_changed"

func (l *listener) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard[what]
}

// await waits until a notification has been received more than more times.
func (l *listener) await(what string, more int) {
	l.t.Helper()
	limit := time.After(time.Minute)
	for l.count(what) <= more {
		select {
		case <-l.came:
		case <-limit:
			l.mu.Lock()
			defer l.mu.Unlock()
			l.t.Fatalf("%s is not heard again: %v", what, l.heard)
		}
	}
}

func (l *listener) subscribe(uri string) error {
	var req mcp.SubscribeRequest
	req.Params.URI = uri
	return l.Client.Subscribe(l.t.Context(), req) //nolint:staticcheck // the older protocol is what is tested
}

func (l *listener) mustSubscribe(uris ...string) {
	l.t.Helper()
	for _, uri := range uris {
		if err := l.subscribe(uri); err != nil {
			l.t.Fatalf("%s: %v", uri, err)
		}
	}
}

// In the older protocol a client is notified of other participants' changes in the cells that it has subscribed to, and of
// notebooks that are opened and closed.
func TestSubscribe(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		human := r.Person()
		path := r.Server.Notebook(t, "1", "2")
		l := listen(t, r.MCPServer(), "2025-06-18")
		defer l.Close()
		r.CallAs(l.Client, "get_nb_stat", toolstest.Dict{"path": path})
		l.await(listChanged, 0)
		ids := human.Read(path).Cells
		listed := r.Listed(l.Client)
		uri := ""
		for at := range listed {
			if strings.HasSuffix(at, "/cells") {
				uri = strings.TrimSuffix(at, "/cells")
			}
		}
		first, second := uri+"/cells/"+ids[0].ID, uri+"/cells/"+ids[1].ID
		r.Holds(path, false)
		l.mustSubscribe(uri, first, second, first+"/outputs", target.URICurrent, target.URIList)
		r.Holds(path, true)

		human.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "'a person was here'"}}}, nil)
		for _, want := range []string{uri, first, target.URICurrent} {
			l.await(want, 0)
		}
		text, err := r.ReadURI(l.Client, first)
		must.NoError(t, err)
		test.Eq(t, "'a person was here'", text.Text)
		human.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, nil)
		l.await(first+"/outputs", 0)
		if n := l.count(second); n != 0 {
			t.Errorf("an unchanged cell was reported %d times", n)
		}

		// No more notifications after unsubscribing.
		var req mcp.UnsubscribeRequest
		req.Params.URI = first
		if err := l.Unsubscribe(t.Context(), req); err != nil { //nolint:staticcheck // the older protocol is what is tested
			t.Fatal(err)
		}
		edit := func(cell int, source string) {
			t.Helper()
			human.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": cell}, "content": source}}}, nil)
		}
		edit(1, "'one'")
		l.await(second, 0) // follows all notifications under way
		had := l.count(first)
		edit(0, "3")
		edit(1, "'two'")
		l.await(second, 1)
		if n := l.count(first); n != had {
			t.Errorf("heard %d times more after unsubscribing", n-had)
		}

		// Closing it notifies once more, and changes the list.
		whole, lists, listing := l.count(uri), l.count(listChanged), l.count(target.URIList)
		if _, _, err := r.Work.End(t.Context(), jupyter.MustPath(path)); err != nil {
			t.Fatal(err)
		}
		l.await(uri, whole)
		l.await(listChanged, lists)
		l.await(target.URIList, listing)
		whole = l.count(uri)
		r.CallAs(l.Client, "get_nb_stat", toolstest.Dict{"path": path})
		l.await(uri, whole)
		r.Holds(path, true)
	})
}

// A client cannot subscribe to resources that are not its own.
func TestSubscribeRefused(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1")
		r.Read(path)
		l := listen(t, r.MCPServer(), "2025-06-18")
		defer l.Close()
		for uri, want := range map[string]string{
			r.URIOf(path): "Notebook not found", "notebook://x/y": "Notebook not found", "http://x": "Unknown resource: http://x", target.NotebookScheme + "%zz/x": "Unknown resource",
		} {
			err := l.subscribe(uri)
			must.Error(t, err, must.Sprint(uri))
			test.StrContains(t, err.Error(), want, test.Sprint(uri))
		}
		r.CallAs(l.Client, "get_nb_stat", toolstest.Dict{"path": path})
		uri := target.NotebookAddress(sessionOf(t, r, l.Client), strings.Split(r.URIOf(path), "/")[3])
		err := l.subscribe(uri + "/bogus")
		must.Error(t, err)
		test.StrContains(t, err.Error(), "Unknown format: bogus")
		l.mustSubscribe(uri)
	})
}

// sessionOf returns a client's own id in addresses.
func sessionOf(t *testing.T, r *toolstest.Rig, c *client.Client) string {
	t.Helper()
	for at := range r.Listed(c) {
		if strings.HasPrefix(at, target.ExportScheme) {
			return strings.Split(at, "/")[4]
		}
	}
	t.Fatal("the client has no notebook")
	return ""
}

// In the newer protocol a client is notified on the listening request of exactly what it listens to.
func TestSubscriptionsListen(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		human := r.Person()
		path := r.Server.Notebook(t, "1")
		s := r.MCPServer()
		l := listen(t, s, mcp.ProtocolVersion20260728)
		defer l.Close()
		r.CallAs(l.Client, "get_nb_stat", toolstest.Dict{"path": path})
		r.Read(path)
		id := strings.Split(r.URIOf(path), "/")[3]
		uri := target.NotebookAddress(sessionOf(t, r, l.Client), id)
		stop, err := l.ListenAsync(t.Context(), mcp.SubscriptionFilter{ResourcesListChanged: true, ResourceSubscriptions: []string{uri, "notebook://x/y"}}, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		l.await("notifications/subscriptions/acknowledged", 0)
		r.Holds(path, true)
		human.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{{"content": "2"}}}, nil)
		l.await(uri, 0)
		l.mu.Lock()
		if l.ids[uri] == nil {
			t.Error("the notification does not say which subscription it is of")
		}
		l.mu.Unlock()
		other := r.Server.Notebook(t, "1")
		r.CallAs(l.Client, "get_nb_stat", toolstest.Dict{"path": other})
		l.await(listChanged, 0)
		stop()
		r.Holds(path, false)
		stop, err = l.ListenAsync(t.Context(), mcp.SubscriptionFilter{ResourcesListChanged: true}, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		l.await("notifications/subscriptions/acknowledged", 1) // follows all notifications under way
		had, lists := l.count(uri), l.count(listChanged)
		human.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{{"content": "3"}}}, nil)
		r.CallAs(l.Client, "get_nb_stat", toolstest.Dict{"path": r.Server.Notebook(t, "1")})
		l.await(listChanged, lists)
		if n := l.count(uri); n != had {
			t.Errorf("heard %d times more after listening", n-had)
		}
	})
}

// Over HTTP it is the same, in both protocols, and a client that has left holds nothing open.
func TestSubscribeOverHTTP(t *testing.T) {
	for _, version := range []string{"2025-06-18", mcp.ProtocolVersion20260728} {
		t.Run(version, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				r := toolstest.New(t)
				human := r.Person()
				path := r.Server.Notebook(t, "1")
				web := jupytertest.Serve(t, server.NewStreamableHTTPServer(r.MCPServer()))
				by := &http.Client{Transport: &http.Transport{DialContext: jupytertest.Dial(t)}}
				defer by.CloseIdleConnections()
				options := []transport.StreamableHTTPCOption{transport.WithHTTPBasicClient(by)}
				if version == "2025-06-18" {
					options = append(options, transport.WithContinuousListening()) //nolint:staticcheck // so hear clients of the older protocol
				}
				link, err := transport.NewStreamableHTTP(web+"/mcp", options...)
				if err != nil {
					t.Fatal(err)
				}
				l := listenBy(t, link, version)
				r.CallAs(l.Client, "get_nb_stat", toolstest.Dict{"path": path})
				r.Read(path)
				uri := target.NotebookAddress(sessionOf(t, r, l.Client), strings.Split(r.URIOf(path), "/")[3])
				if version == "2025-06-18" {
					l.mustSubscribe(uri)
				} else {
					stop, err := l.ListenAsync(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}}, nil)
					if err != nil {
						t.Fatal(err)
					}
					defer stop()
					l.await("notifications/subscriptions/acknowledged", 0)
				}
				r.Holds(path, true)
				human.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{{"content": "2"}}}, nil)
				l.await(uri, 0)
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				r.Holds(path, false)
			})
		})
	}
}

// Two hundred clients are notified of one change, and after they have left the notebook is not in use.
func TestManySubscribers(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		human := r.Person()
		path := r.Server.Notebook(t, "1")
		s := r.MCPServer()
		r.Read(path)
		id := strings.Split(r.URIOf(path), "/")[3]
		all := make([]*listener, 200)
		uris := make([]string, len(all))
		for i := range all {
			all[i] = listen(t, s, "2025-06-18")
			r.CallAs(all[i].Client, "get_nb_stat", toolstest.Dict{"path": path})
			uris[i] = target.NotebookAddress(sessionOf(t, r, all[i].Client), id)
			all[i].mustSubscribe(uris[i])
		}
		r.Holds(path, true)
		human.Read(path)
		for i := range 20 {
			human.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": fmt.Sprint(i)}}}, nil)
		}
		for i, l := range all {
			l.await(uris[i], 0)
		}
		// The last change was notified: a client that reads after the last notification sees it.
		last := all[len(all)-1]
		for range 6000 {
			n := last.count(uris[len(all)-1])
			if text, err := r.ReadURI(last.Client, uris[len(all)-1]); err == nil && strings.Contains(text.Text, "\n19\n") && n > 0 {
				break
			}
			last.await(uris[len(all)-1], n)
		}
		for _, l := range all {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
		r.Holds(path, false)
	})
}
