package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/tools/tool"
)

// slowly reads the content of a pipe, some bytes at a time with pauses.
func slowly(r io.Reader, into *bytes.Buffer, bytes int64, pause time.Duration) {
	for {
		if _, err := io.CopyN(into, r, bytes); err != nil {
			return
		}
		time.Sleep(pause)
	}
}

// A client that does not read uses bounded memory, and is disconnected; one that reads slowly gets everything.
func TestUnread(t *testing.T) {
	const most = 64 << 10
	message := []byte(strings.Repeat("x", 10<<10-1) + "\n")
	t.Run("not at all", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			o := newBoundOutput(w, most, time.Minute)
			var writers sync.WaitGroup
			for range 20 {
				writers.Go(func() {
					if _, err := o.Write(message); err != nil && !errors.Is(err, errUnread) {
						t.Error(err)
					}
				})
			}
			synctest.Wait()
			o.mu.Lock()
			held := o.waits
			o.mu.Unlock()
			test.LessEq(t, most, held)
			test.GreaterEq(t, most-len(message), held)
			began := time.Now()
			if err := o.clear(); !errors.Is(err, errUnread) { // it waits until the client is disconnected
				t.Errorf("clear: %v, want %v", err, errUnread)
			}
			writers.Wait()
			<-o.unread
			took := time.Since(began)
			test.GreaterEq(t, time.Minute, took)
			test.LessEq(t, 2*time.Minute, took)
			r.Close()
			err := o.end(t.Context())
			test.ErrorIs(t, err, errUnread)
			test.StrContains(t, err.Error(), "read nothing for 1m0s")
		})
	})
	t.Run("slowly", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			o := newBoundOutput(w, most, time.Minute)
			var got bytes.Buffer
			var reads sync.WaitGroup
			reads.Go(func() { slowly(r, &got, piece, 50*time.Second) })
			for range 20 {
				if _, err := o.Write(message); err != nil {
					t.Fatal(err)
				}
				if err := o.clear(); err != nil {
					t.Fatal(err)
				}
			}
			if err := o.end(t.Context()); err != nil {
				t.Error(err)
			}
			w.Close()
			reads.Wait()
			if got.Len() != 20*len(message) {
				t.Errorf("%d bytes have come", got.Len())
			}
		})
	})
	t.Run("little to read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			o := newBoundOutput(w, most, time.Minute)
			if _, err := o.Write(message); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
			var got bytes.Buffer
			go slowly(r, &got, 1, 0)
			if err := o.end(t.Context()); err != nil {
				t.Error(err)
			}
			w.Close()
			synctest.Wait()
		})
	})
}

// countedText counts how often it is encoded.
type countedText struct{ encoded *atomic.Int64 }

func (c countedText) MarshalJSON() ([]byte, error) {
	c.encoded.Add(1)
	return []byte(`"` + strings.Repeat("x", 1<<10) + `"`), nil
}

// An answer that does not fit is not encoded: a thousand answers would be a thousand large texts. When the client is
// disconnected, no further message is read, and no further answer is encoded.
func TestEncodesOnlyWhatFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var encoded atomic.Int64
		s := server.NewMCPServer("test", "1")
		s.AddTool(mcp.NewTool("big"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: countedText{&encoded}}, nil
		})
		r, w := io.Pipe()
		o := newBoundOutput(w, 1<<10, time.Minute)
		c := newCallServer(s, o)
		c.bind(t.Context())
		const calls = 200
		for range calls {
			c.serve([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big"}}`), []byte("1"))
		}
		synctest.Wait()
		// One is being written, and each CPU has encoded one that waits.
		most := int64(1 + runtime.GOMAXPROCS(0))
		if got := encoded.Load(); got > most {
			t.Errorf("%d of %d answers are encoded, want at most %d", got, calls, most)
		}
		in := newInput(strings.NewReader("{}\n"), o, &tool.Calls{})
		if n, err := in.Read(make([]byte, 10)); !errors.Is(err, errUnread) {
			t.Errorf("Read after the client was let go: %d bytes, %v; want %v", n, err, errUnread)
		}
		<-c.close()
		if got := encoded.Load(); got > most {
			t.Errorf("%d answers are encoded after the client was let go, want at most %d", got, most)
		}
		r.Close()
		if err := o.end(t.Context()); !errors.Is(err, errUnread) {
			t.Error(err)
		}
	})
}

// talkative returns an MCP server with a tool that answers a megabyte.
func talkative() *server.MCPServer {
	s := server.NewMCPServer("talkative", "1")
	s.AddTool(mcp.NewTool("big"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(strings.Repeat("x", 1<<20)), nil
	})
	return s
}

// Over standard input and output, unread answers stop the reading of messages, and then end the program.
func TestEndsForWhoDoesNotRead(t *testing.T) {
	defer func(was time.Duration) { unreadTime = was }(unreadTime)
	unreadTime = time.Second
	stdin, in := io.Pipe()
	r, stdout := io.Pipe()
	sent := make(chan int, 1)
	go func() {
		n := 0
		for ; ; n++ {
			if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"big"}}`+"\n", n); err != nil {
				break
			}
		}
		sent <- n
	}()
	err := Listen(t.Context(), talkative(), &tool.Calls{}, stdin, stdout, time.Second, slog.New(slog.DiscardHandler))
	test.ErrorIs(t, err, errUnread)
	test.StrContains(t, err.Error(), "MB of answers waited")
	in.CloseWithError(io.ErrClosedPipe)
	r.Close()
	if n := <-sent; n < maxUnread>>21 {
		t.Errorf("only %d calls were taken", n)
	}
}
