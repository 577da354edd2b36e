package serve

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/tool"
)

// dial opens a bare connection.
func (r *rig) dial() net.Conn {
	r.t.Helper()
	c, err := r.dials(r.t.Context(), "tcp", "")
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return c
}

// ends reads a connection until the server closes it.
func ends(c net.Conn) (string, error) {
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		return "", err
	}
	b, err := io.ReadAll(c)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return string(b), errors.New("the server waits on")
	}
	return string(b), nil
}

// A client that sends slowly, or never ends its request, does not block the server.
func TestSlowloris(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		const limit = 2 * time.Second // enough for a machine that stalls for a while
		r := newRig(t, func(cfg *Config) { cfg.Limits = Limits{HeaderTime: limit, BodyTime: limit, IdleTime: limit} })
		head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
		all := map[string]struct{ text, says string }{
			"nothing":              {"", ""},
			"half a header":        {head, ""},
			"half a body":          {head + "Authorization: Bearer " + token1 + "\r\nContent-Length: 1000\r\n\r\n{", " 408 "},
			"half a piece":         {head + "Authorization: Bearer " + token1 + "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{", " 408 "},
			"a body without token": {head + "Content-Length: 1000\r\n\r\n{", " 401 "},
			"one request, no more": {"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", " 200 "},
		}
		var atOnce sync.WaitGroup
		for name, c := range all {
			conn := r.dial()
			atOnce.Go(func() {
				if _, err := io.WriteString(conn, c.text); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				got, err := ends(conn)
				if line, _, _ := strings.Cut(got, "\r\n"); err != nil || !strings.Contains(line, c.says) {
					t.Errorf("%s: answered %q, %v", name, got, err)
				}
			})
		}
		atOnce.Wait()
		r.wants(r.send("POST", "/mcp", hello), 200)
	})
}

// A client that sends too much sees the answer, even if the connection ends with it: closing a connection with unread bytes
// resets it, and the answer may be lost.
func TestRefusalArrives(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Limits.Body = 10_000 })
	defer r.client.CloseIdleConnections()
	last := func(r *http.Request) { r.Close = true }
	for name, c := range map[string]struct {
		length  int
		changes []change
		status  int
	}{
		"too long":                     {8 << 20, []change{last}, 413},
		"too long, without saying so":  {8 << 20, []change{last, func(r *http.Request) { r.ContentLength = -1 }}, 413},
		"too long, by somebody":        {8 << 20, []change{last, bearing("guess")}, 401},
		"of a kind that is not read":   {8 << 20, []change{last, with("Content-Type", "text/plain")}, 415},
		"short enough, but not wanted": {100_000, []change{last, bearing("guess")}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := *r
			at.t = t
			for range 10 {
				at.wants(at.send("POST", "/mcp", strings.Repeat(" ", c.length), c.changes...), c.status)
			}
		})
	}
}

// A header over the limit is not read.
func TestLongHeader(t *testing.T) {
	r := newRig(t, nil)
	c := r.dial()
	// The server may have closed the connection already.
	_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("x", 200_000)+"\r\n\r\n")
	got, err := ends(c)
	must.NoError(t, err)
	test.StrNotContains(t, got, " 200 ")
}

// A long or quiet stream lasts: no time limit ends it.
func TestStreamsLast(t *testing.T) {
	t.Parallel() // slow, to allow for a machine that stalls for a while
	jupytertest.Test(t, func(t *testing.T) {
		const limit = 3 * time.Second
		r := newRig(t, func(cfg *Config) {
			cfg.Limits = Limits{HeaderTime: limit, BodyTime: limit, IdleTime: limit, WriteTime: 10 * time.Second, QuietTime: 20 * time.Millisecond}
			cfg.ClientTimeout = limit
		})
		// lasts reads for longer than all the limits.
		lasts := func(streams ...*stream) {
			t.Helper()
			for end := time.Now().Add(limit + limit/2); time.Now().Before(end); {
				for _, s := range streams {
					if _, err := s.until(": still here"); err != nil {
						t.Fatal(err)
					}
				}
			}
			r.client.CloseIdleConnections() // the server may be closing them now
		}
		mine := r.begin()
		listen, a := r.open("/mcp", mine)
		if listen == nil {
			t.Fatalf("%+v", a)
		}
		st, endpoint := r.events()
		lasts(listen, st)
		r.wants(r.send("POST", "/mcp", call(2, "echo", "alive"), mine), 200, "alive")
		r.wants(r.send("POST", endpoint, call(2, "echo", "alive too")), 202)
		if _, err := st.until("alive too"); err != nil {
			t.Error(err)
		}
		// A call may also take longer than all limits.
		ctx, stop := context.WithCancel(t.Context())
		answered := make(chan error, 1)
		go func() {
			res, err := r.client.Do(r.request(ctx, "POST", "/mcp", call(3, "wait", "long"), mine))
			if err == nil {
				res.Body.Close()
			}
			answered <- err
		}()
		r.begun("long")
		lasts(listen)
		stop()
		r.begun("ended long")
		if err := <-answered; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

// A client that reads slowly gets its answer, however long that takes.
func TestReadsSlowly(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.Limits.WriteTime = 10 * time.Second })
		c := r.dial()
		body := restCall("echo", strings.Repeat("x", 4<<20)) // more than a connection holds
		if _, err := fmt.Fprintf(c, "POST /tools/call HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", token1, len(body), body); err != nil {
			t.Fatal(err)
		}
		got, buf := 0, make([]byte, 16<<10)
		for {
			time.Sleep(time.Second)
			n, err := c.Read(buf)
			got += n
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("after %d bytes: %v", got, err)
			}
		}
		if got < 4<<20 {
			t.Errorf("the answer breaks off after %d bytes", got)
		}
	})
}

// A client that does not read loses its connection.
func TestNobodyReads(t *testing.T) {
	t.Parallel() // slow, to allow for a machine that stalls for a while
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.Limits.WriteTime = 2 * time.Second })
		c := r.dial()
		if _, err := io.WriteString(c, "GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token1+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(c)
		endpoint := ""
		for endpoint == "" && lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data: ") {
				endpoint = strings.TrimSpace(strings.TrimPrefix(lines.Text(), "data: "))
			}
		}
		// Nothing is read from here on.
		count := func() int {
			r.s.sessions.mu.Lock()
			defer r.s.sessions.mu.Unlock()
			return len(r.s.sessions.byID)
		}
		for range 30 { // more than the connection's buffers
			if a := r.send("POST", endpoint, call(1, "big", "")); a.status != 202 && a.status != 404 {
				t.Fatalf("%+v", a)
			}
		}
		eventually(t, "the stream to end", func() bool { return count() == 0 })
	})
}

// Requests over a limit are refused, and served again once there are fewer.
func TestTooMuchAtOnce(t *testing.T) {
	hold := func(r *rig, path, body string, changes ...change) (free func()) {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if res, err := r.client.Do(r.request(ctx, "POST", path, body, changes...)); err == nil {
				res.Body.Close()
			}
		}()
		r.begun("held")
		return func() {
			stop()
			<-done
			r.begun("ended held")
		}
	}
	waits := func(a answer) {
		if a.header.Get("Retry-After") == "" {
			t.Errorf("Retry-After is missing: %+v", a)
		}
	}
	t.Run("requests", func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.Limits.Requests = 1 })
		mine := r.begin()
		free := hold(r, "/mcp", call(1, "wait", "held"), mine)
		for _, path := range []string{"/mcp", "/tools/call"} {
			a := r.send("POST", path, call(2, "echo", "1"), mine)
			r.wants(a, 429, "too many of your requests")
			waits(a)
			a = r.send("POST", path, call(2, "echo", "1"), bearing(token2))
			r.wants(a, 503, "too many requests")
			waits(a)
		}
		r.wants(r.send("GET", "/healthz", ""), 200)
		free()
		eventually(t, "room", func() bool { return r.send("POST", "/mcp", call(2, "echo", "1"), mine).status == 200 })
	})
	t.Run("requests of one client", func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.Limits.PerClient = 1 })
		mine, others := r.begin(), r.begin()
		free := hold(r, "/mcp", call(1, "wait", "held"), mine)
		a := r.send("POST", "/mcp", call(2, "echo", "1"), mine)
		r.wants(a, 429, "too many")
		waits(a)
		r.wants(r.send("POST", "/mcp", call(2, "echo", "1"), others), 200)
		free()
		eventually(t, "room", func() bool { return r.send("POST", "/mcp", call(2, "echo", "1"), mine).status == 200 })
	})
	t.Run("clients", func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.Limits.Clients = 2 })
		mine := r.begin()
		free := hold(r, "/mcp", call(1, "wait", "held"), mine) // otherwise it could be ended
		st, _ := r.events()
		a := r.send("POST", "/mcp", hello)
		r.wants(a, 503, "too many")
		waits(a)
		_, a = r.open("/sse")
		r.wants(a, 503, "too many")
		free()
		r.wants(r.send("DELETE", "/mcp", "", mine), 200)
		r.begin()
		st.close()
		eventually(t, "room", func() bool { return r.send("POST", "/mcp", hello).status == 200 })
	})
	t.Run("streams", func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.Limits.Streams = 1 })
		mine := r.begin()
		st, _ := r.open("/mcp", mine)
		_, a := r.open("/mcp", mine)
		r.wants(a, 429, "too many")
		r.wants(r.send("POST", "/mcp", call(2, "echo", "1"), mine), 200)
		st.close()
		eventually(t, "room", func() bool {
			st, a := r.open("/mcp", mine)
			return st != nil && a.status == 200
		})
	})
	t.Run("connections", func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.Limits.Connections = 1 })
		first := r.dial()
		if _, err := io.WriteString(first, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(first).ReadString('\n')
		must.NoError(t, err)
		must.StrContains(t, line, " 200 ")
		second := r.dial() // accepted once the first has closed
		if _, err := io.WriteString(second, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if n := len(r.s.sessions.byID); n != 0 {
			t.Errorf("%d sessions", n)
		}
		first.Close()
		got, err := ends(second)
		must.NoError(t, err)
		test.StrContains(t, got, " 200 ")
	})
}

// The server ends in order: it closes streams, cancels calls and leaves nothing.
func TestEnd(t *testing.T) {
	r := newRig(t, nil)
	mine := r.begin()
	listen, _ := r.open("/mcp", mine)
	st, _ := r.events()
	called := make(chan struct{})
	body, headers := modern(7, "tools/call", map[string]any{"name": "wait", "arguments": map[string]any{"mark": "modern"}})
	go func() {
		defer close(called)
		if res, err := r.client.Do(r.request(context.Background(), "POST", "/mcp", body, headers...)); err == nil {
			res.Body.Close()
		}
	}()
	r.begun("modern")
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	<-called
	r.begun("ended modern")
	for _, s := range []*stream{listen, st} {
		if err := s.end(); err != nil {
			t.Error(err)
		}
	}
	if strings.Contains(r.log.String(), "did not end in time") {
		t.Error("something held the end up")
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://")); err == nil {
		t.Error("it listens on")
	}
}

func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := newRig(t, func(cfg *Config) {
		cfg.CertFile, cfg.KeyFile = cert, keyFile
		cfg.Limits.QuietTime = 10 * time.Millisecond
	})
	r.url = strings.Replace(r.url, "http:", "https:", 1)
	known, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(known)
	for _, two := range []bool{false, true} {
		r.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: two}}
		mine := r.begin()
		r.wants(r.send("POST", "/mcp", call(2, "echo", "sealed"), mine), 200, "sealed")
		st, endpoint := r.events()
		r.wants(r.send("POST", endpoint, call(2, "echo", "sealed too")), 202)
		for _, want := range []string{"sealed too", ": still here"} {
			if _, err := st.until(want); err != nil {
				t.Error(err)
			}
		}
		st.close()
		r.wants(r.send("GET", socketPath, ""), 426)
		r.client.CloseIdleConnections()
	}
	r.tls = &tls.Config{RootCAs: pool}
	c, long := r.connect(), strings.Repeat("sealed", 1<<18)
	c.send(call(2, "echo", long))
	c.wants(long)
	c.refusesBinary()
	s, err := New(Config{MCP: r.s.cfg.MCP, Clients: &tool.Clients{}, Tokens: []string{token1}, CertFile: cert, KeyFile: cert})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	err = s.Serve(t.Context(), l)
	must.Error(t, err, must.Sprint("with the wrong key"))
	test.StrContains(t, err.Error(), "cert.pem", test.Sprint("with the wrong key"))
}
