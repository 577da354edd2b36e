package run_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// bench is a notebook of one cell, open in two places.
func bench(b *testing.B, s *jupytertest.Server, source string) (m *session.Manager, d, seen *session.Document) {
	b.Helper()
	path := s.Notebook(b, source)
	join := func() (*session.Manager, *session.Document) {
		m := sessiontest.Manager(b, s, session.Config{})
		return m, sessiontest.Open(b, m, path)
	}
	m, d = join()
	_, seen = join()
	return m, d, seen
}

func benchRun(b *testing.B, d *session.Document) run.Result {
	b.Helper()
	runs, err := d.Run(b.Context(), []string{"c0"})
	if err != nil {
		b.Fatal(err)
	}
	if err := runs[0].Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	res := runs[0].Result()
	must.Eq(b, run.Done, res.State)
	must.False(b, res.Dropped)
	return res
}

// BenchmarkOutputThroughput measures how fast 6 MB of lines come from the kernel into the room, with all of them confirmed,
// next to the kernel's channels alone, without writes.
func BenchmarkOutputThroughput(b *testing.B) {
	s := jupytertest.Start(b, jupytertest.WithFlags("--ServerApp.iopub_data_rate_limit=1000000000", "--ServerApp.iopub_msg_rate_limit=1000000"))
	const mb = 6
	code := fmt.Sprintf("for i in range(%d): print('x' * 99)", mb*10_000)
	m, d, _ := bench(b, s, code)
	benchRun(b, d)
	k, ok, err := m.Kernel(b.Context(), d.Path())
	must.NoError(b, err)
	must.True(b, ok)
	c, err := kernel.Dial(b.Context(), m.Servers().Documents, k.ID, kernel.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	var room, channels time.Duration
	n := 0
	for b.Loop() {
		n++
		start := time.Now()
		benchRun(b, d)
		room += time.Since(start)
		start = time.Now()
		if _, err := c.Execute(b.Context(), kernel.Request{Code: code}, func(kernel.Event) {}); err != nil {
			b.Fatal(err)
		}
		channels += time.Since(start)
	}
	b.ReportMetric(float64(n*mb)/room.Seconds(), "room-MB/s")
	b.ReportMetric(float64(n*mb)/channels.Seconds(), "channels-MB/s")
}

// BenchmarkOutputLatency measures the time from the print of a line in the kernel to the change in another participant's
// notebook. Kernel and benchmark share a clock. It reports the median and the 95th percentile.
func BenchmarkOutputLatency(b *testing.B) {
	_, d, seen := bench(b, jupytertest.Shared(b), "import time\nfor i in range(20):\n    time.sleep(0.06)\n    print(f'{time.time():.6f}', flush=True)")
	changes := seen.Notebook().Subscribe()
	defer changes.Close()
	var times []time.Duration
	for b.Loop() {
		began := time.Now()
		runs, err := d.Run(b.Context(), []string{"c0"})
		if err != nil {
			b.Fatal(err)
		}
		for told := 0; told < 20; {
			if _, err := changes.Next(b.Context()); err != nil {
				b.Fatal(err)
			}
			at := time.Now()
			cell, _ := seen.Notebook().Cell("c0")
			lines := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(sessiontest.Text(cell.Outputs), "stdout:"), ";"))
			if len(lines) <= told {
				continue
			}
			seconds, err := strconv.ParseFloat(lines[len(lines)-1], 64)
			if err != nil {
				b.Fatal(err)
			}
			if sent := time.UnixMicro(int64(seconds * 1e6)); sent.After(began) { // else from the run before
				told = len(lines)
				times = append(times, at.Sub(sent))
			}
		}
		if err := runs[0].Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}
