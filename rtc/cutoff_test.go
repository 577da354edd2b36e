package rtc_test

import (
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A proxy that takes the upgrade of every websocket and closes it is named, and the room not dialled again and again. Where
// that happens to some of the room's connections, another is made.
func TestJoinCutOff(t *testing.T) {
	const always = 1 << 30
	for _, c := range []struct {
		name  string
		times int32 // that a websocket is cut off
		code  faults.Code
	}{
		{"always", always, faults.WebsocketsEaten},
		{"once", 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				to, err := url.Parse(s.URL)
				if err != nil {
					t.Fatal(err)
				}
				link := &http.Transport{DialContext: jupytertest.Dial(t)}
				t.Cleanup(link.CloseIdleConnections)
				through := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, Transport: link}
				var taken atomic.Int32
				proxy := jupytertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Upgrade") == "" || taken.Add(1) > c.times {
						through.ServeHTTP(w, r)
						return
					}
					if ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil); err == nil {
						_ = ws.Close()
					}
				}))
				srv, err := jupyter.New(jupyter.Options{URL: proxy, Token: s.Token, HTTPClient: &http.Client{Transport: &http.Transport{DialContext: jupytertest.Dial(t)}}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(srv.CloseIdleConnections)
				_, _, err = tryJoin(t, srv, s.Notebook(t, "x = 1"))
				if f, _ := faults.Of(err); f.Code != c.code || errors.Is(err, jupyter.ErrNoWebsockets) != (c.code != "") || c.code == "" && err != nil {
					t.Errorf("%v", err)
				}
				if n := taken.Load(); c.times == always && n != 2 { // ours, and the one that is tried
					t.Errorf("%d websockets", n)
				}
			})
		})
	}
}
