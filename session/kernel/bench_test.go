package kernel

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// BenchmarkExecute measures a run of 1+1 from request to reply and idle, back to back, next to a bare websocket client on
// the same kernel in the same minute: once with the plain dialer, and once with the acknowledgements of
// jupyter.Server.DialKernel. It reports the medians in milliseconds, ours as a multiple of each, and the 95th percentiles
// of the two to compare.
func BenchmarkExecute(b *testing.B) {
	s := jupytertest.Shared(b)
	srv := serverOf(b, s)
	id := startKernel(b, srv)
	c := connect(b, srv, id)
	plain := dialBare(b, s, id)
	quickSocket, err := srv.Kernels.Dial(b.Context(), id, randomID())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { quickSocket.Close() })
	runs := []func(){
		func() {
			if _, err := c.Execute(b.Context(), Request{Code: "1+1"}, nil); err != nil {
				b.Fatal(err)
			}
		},
		plain.execute,
		(&bareClient{b: b, ws: quickSocket}).execute,
	}
	times := make([][]time.Duration, len(runs))
	for b.Loop() {
		for i, run := range runs {
			run() // catches up with the output of the other clients' runs
			start := time.Now()
			run()
			times[i] = append(times[i], time.Since(start))
		}
	}
	ours, bare, quick := median(times[0]), median(times[1]), median(times[2])
	p95 := func(i int) float64 { // the times are sorted now
		return float64(times[i][len(times[i])*95/100].Microseconds()) / 1000
	}
	b.ReportMetric(p95(0), "ours-p95-ms")
	b.ReportMetric(p95(2), "bare-quick-p95-ms")
	b.ReportMetric(float64(ours.Microseconds())/1000, "ours-ms")
	b.ReportMetric(float64(bare.Microseconds())/1000, "bare-ms")
	b.ReportMetric(float64(quick.Microseconds())/1000, "bare-quick-ms")
	b.ReportMetric(float64(ours)/float64(bare), "ours/bare")
	b.ReportMetric(float64(ours)/float64(quick), "ours/bare-quick")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// bareClient is the smallest client that runs code: gorilla's plain dialer, and JSON.
type bareClient struct {
	b  testing.TB
	ws *websocket.Conn
}

func dialBare(b testing.TB, s *jupytertest.Server, kernelID string) *bareClient {
	ws, resp, err := (&websocket.Dialer{Subprotocols: []string{jupyter.KernelProtocol}}).Dial(
		"ws"+strings.TrimPrefix(s.URL, "http")+"/api/kernels/"+kernelID+"/channels?session_id="+randomID(),
		http.Header{"Authorization": {"token " + s.Token}})
	if err != nil {
		b.Fatal(err)
	}
	resp.Body.Close()
	b.Cleanup(func() { ws.Close() })
	return &bareClient{b: b, ws: ws}
}

func (c *bareClient) execute() {
	head := newIDMaker().header("execute_request")
	request := newOutgoing("shell", head, nil, map[string]any{"code": "1+1", "silent": false, "store_history": false})
	if err := c.ws.WriteMessage(binaryCodec{}.encode(request)); err != nil {
		c.b.Fatal(err)
	}
	for replied, idle := false, false; !replied || !idle; {
		frameType, frame, err := c.ws.ReadMessage()
		if err != nil {
			c.b.Fatal(err)
		}
		m, err := binaryCodec{}.decode(frameType, frame)
		if err != nil {
			c.b.Fatal(err)
		}
		if m.parent.ID != head.ID {
			continue
		}
		var content struct {
			State string `json:"execution_state"`
		}
		_ = json.Unmarshal(m.content, &content)
		replied = replied || m.header.Type == "execute_reply"
		idle = idle || content.State == StateIdle
	}
}
