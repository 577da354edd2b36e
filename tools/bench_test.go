package tools_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// benchCode prints, and has a value.
const benchCode = "print('x'); 6 * 7"

// BenchmarkCalls measures the overhead of execute_code over Jupyter's own answer: the same code is run through an MCP client
// and by a bare client of the kernel's websocket, alternately, on the same kernels, in one session, in ten at once, and in
// one whose notebook is open. It reports in milliseconds the medians of both, the median of the differences of the pairs,
// and the worst of our calls minus the median of the bare ones.
func BenchmarkCalls(b *testing.B) {
	for _, c := range []struct {
		name     string
		sessions int
		notebook bool
	}{{"sessions=1", 1, false}, {"sessions=10", 10, false}, {"notebook", 1, true}} {
		b.Run(c.name, func(b *testing.B) { benchCalls(b, c.sessions, c.notebook) })
	}
}

// benchClient returns a client of the tools on a server, and the connection that they use.
func benchClient(b *testing.B, s *jupytertest.Server) (*jupyter.Server, *client.Client) {
	b.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		b.Fatal(err)
	}
	m := session.New(session.Config{Server: srv})
	mcpServer, err := tools.New(tools.Config{Work: deps.NewWork(m), Version: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	c, err := client.NewInProcessClient(mcpServer)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		c.Close()
		if err := m.Close(context.Background()); err != nil {
			b.Error(err)
		}
		srv.CloseIdleConnections()
	})
	if err := c.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, err := c.Initialize(b.Context(), mcp.InitializeRequest{}); err != nil {
		b.Fatal(err)
	}
	return srv, c
}

func benchCalls(b *testing.B, n int, notebook bool) {
	s := jupytertest.Shared(b)
	srv, c := benchClient(b, s)
	lanes := make([]*benchLane, n)
	for i := range lanes {
		lanes[i] = &benchLane{b: b, c: c}
		args := toolstest.Dict{}
		if notebook {
			args["notebook_path"] = s.Notebook(b, "1")
		}
		lanes[i].call("session_create", args, &lanes[i].session)
		b.Cleanup(func() { srv.Kernels.Shutdown(context.Background(), lanes[i].session.KernelID) })
		var err error
		if lanes[i].bare, err = srv.Kernels.Dial(b.Context(), lanes[i].session.KernelID, fmt.Sprintf("bench-%d", i)); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { lanes[i].bare.Close() })
	}
	all := func(do func(*benchLane)) {
		var wg sync.WaitGroup
		for _, l := range lanes {
			wg.Go(func() { do(l) })
		}
		wg.Wait()
	}
	all((*benchLane).runOurs) // the first call connects
	for b.Loop() {
		all((*benchLane).runBare) // catches up with the output of our calls
		all(func(l *benchLane) { l.time(&l.bares, l.runBare) })
		all(func(l *benchLane) { l.time(&l.ours, l.runOurs) })
	}
	var ours, bares, added []time.Duration
	for _, l := range lanes {
		for i := range l.ours {
			added = append(added, l.ours[i]-l.bares[i])
		}
		ours, bares = append(ours, l.ours...), append(bares, l.bares...)
	}
	for _, list := range [][]time.Duration{ours, bares, added} {
		slices.Sort(list)
	}
	report := func(d time.Duration, unit string) { b.ReportMetric(float64(d.Microseconds())/1000, unit) }
	median := func(list []time.Duration) time.Duration { return list[len(list)/2] }
	report(median(ours), "ours-p50-ms")
	report(median(bares), "bare-p50-ms")
	report(median(added), "added-p50-ms")
	report(ours[len(ours)*99/100]-median(bares), "added-p99-ms")
	report(ours[len(ours)-1]-median(bares), "added-max-ms")
	report(bares[len(bares)-1]-median(bares), "bare-max-over-p50-ms")
}

// A benchLane is one session, and a bare client of its kernel.
type benchLane struct {
	b       *testing.B
	c       *client.Client
	session analysis.SessionInfo
	bare    interface {
		WriteMessage(kind int, data []byte) error
		ReadMessage() (kind int, data []byte, err error)
		Close() error
	}
	sent        int
	ours, bares []time.Duration
}

func (l *benchLane) time(into *[]time.Duration, run func()) {
	start := time.Now()
	run()
	*into = append(*into, time.Since(start))
}

func (l *benchLane) call(tool string, args toolstest.Dict, out any) {
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := l.c.CallTool(l.b.Context(), req)
	if err != nil || res.IsError {
		l.b.Errorf("%s: %v, %+v", tool, err, res)
		return
	}
	if err := json.Unmarshal([]byte(toolstest.MessageOf(res)), out); err != nil {
		l.b.Error(err)
	}
}

func (l *benchLane) runOurs() {
	var out analysis.CodeResult
	l.call("execute_code", toolstest.Dict{"session_id": l.session.ID, "code": benchCode}, &out)
	test.True(l.b, out.Success)
	test.Eq(l.b, "x\n", out.Stdout)
	must.NotNil(l.b, out.Result)
	test.Eq(l.b, "42", *out.Result)
}

// runBare runs the code with minimal effort: one message out, then messages in until reply and idle have come. The frames
// are those of the subprotocol v1.kernel.websocket.jupyter.org (jupyter_server, kernels/connection/base.py).
func (l *benchLane) runBare() {
	l.sent++
	id := fmt.Sprintf("%s-%d", l.session.ID, l.sent)
	parts := []string{
		"shell",
		fmt.Sprintf(`{"msg_id":%q,"msg_type":"execute_request","session":"bench","username":"","date":"2024-01-01T00:00:00Z","version":"5.4"}`, id),
		"{}", "{}",
		fmt.Sprintf(`{"code":%q,"silent":false,"store_history":true,"user_expressions":{},"allow_stdin":false,"stop_on_error":false}`, benchCode),
	}
	at := 8 * (len(parts) + 2)
	frame := binary.LittleEndian.AppendUint64(nil, uint64(len(parts)+1))
	frame = binary.LittleEndian.AppendUint64(frame, uint64(at))
	for _, p := range parts {
		at += len(p)
		frame = binary.LittleEndian.AppendUint64(frame, uint64(at))
	}
	for _, p := range parts {
		frame = append(frame, p...)
	}
	const binaryMessage = 2
	if err := l.bare.WriteMessage(binaryMessage, frame); err != nil {
		l.b.Error(err)
		return
	}
	for replied, idle := false, false; !replied || !idle; {
		_, frame, err := l.bare.ReadMessage()
		if err != nil {
			l.b.Error(err)
			return
		}
		part := func(i uint64) []byte {
			return frame[binary.LittleEndian.Uint64(frame[8*(i+1):]):binary.LittleEndian.Uint64(frame[8*(i+2):])]
		}
		var head, parent struct {
			ID   string `json:"msg_id"`
			Type string `json:"msg_type"`
		}
		var content struct {
			State string `json:"execution_state"`
		}
		for i, into := range map[uint64]any{1: &head, 2: &parent, 4: &content} {
			if err := json.Unmarshal(part(i), into); err != nil {
				l.b.Error(err)
				return
			}
		}
		if parent.ID == id {
			replied = replied || head.Type == "execute_reply"
			idle = idle || content.State == "idle"
		}
	}
}
