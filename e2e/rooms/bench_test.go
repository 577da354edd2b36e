package rooms_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// resident returns the memory of a process in bytes, or 0 if unknown.
func resident(pid int) int64 {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// inUse returns the heap in use after a collection.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// figures reports memory: the growth of this process's heap, and the memory of this process and the server.
func figures(b *testing.B, s *jupytertest.Server, before int64) {
	b.ReportMetric(float64(inUse()-before)/(1<<20), "heap-MB")
	b.ReportMetric(float64(resident(os.Getpid()))/(1<<20), "rss-MB")
	b.ReportMetric(float64(resident(s.PID))/(1<<20), "server-MB")
	b.ReportMetric(0, "ns/op") // each phase has its own figure
}

func benchManager(b *testing.B, s *jupytertest.Server) *session.Manager {
	b.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token})
	if err != nil {
		b.Fatal(err)
	}
	m := session.New(session.Config{Server: srv, Timing: rtc.Timing{}, MaxRooms: 1000})
	b.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), poll.Patience) // the benchmark's own context has ended
		defer stop()
		_ = m.Close(ctx)
		srv.CloseIdleConnections()
	})
	return m
}

func insertCell(b *testing.B, d *session.Document, source string) {
	if err := d.Edit(b.Context(), "insert", func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: source})
		return err
	}); err != nil {
		b.Error(err)
	}
}

// A hundred notebooks are opened four at a time, edited and left.
func BenchmarkHundredRooms(b *testing.B) {
	for b.Loop() {
		s := jupytertest.Start(b)
		m := benchManager(b, s)
		before := inUse()
		var wg sync.WaitGroup
		gate := make(chan struct{}, 4)
		start := time.Now()
		docs := make([]*session.Document, 100)
		for i := range docs {
			path := s.Notebook(b, "x = 1")
			wg.Go(func() {
				gate <- struct{}{}
				defer func() { <-gate }()
				d, err := m.Open(b.Context(), jupyter.MustPath(path))
				if err != nil {
					b.Error(err)
					return
				}
				docs[i] = d
			})
		}
		wg.Wait()
		if b.Failed() {
			return
		}
		b.ReportMetric(time.Since(start).Seconds()*10, "ms/open")
		start = time.Now()
		for _, d := range docs {
			insertCell(b, d, "y = 2")
		}
		b.ReportMetric(time.Since(start).Seconds()*10, "ms/edit")
		figures(b, s, before)
		start = time.Now()
		for _, d := range docs {
			d.Release()
		}
		if err := m.Close(b.Context()); err != nil {
			b.Error(err)
		}
		b.ReportMetric(time.Since(start).Seconds(), "s/leave-all")
	}
}

// Twenty agents make five edits each in one notebook, all at once.
func BenchmarkTwentyAgents(b *testing.B) {
	for b.Loop() {
		s := jupytertest.Start(b)
		path := s.Notebook(b, "x = 1")
		before := inUse()
		var docs []*session.Document
		start := time.Now()
		for range 20 {
			d, err := benchManager(b, s).Open(b.Context(), jupyter.MustPath(path))
			if err != nil {
				b.Fatal(err)
			}
			defer d.Release()
			docs = append(docs, d)
		}
		b.ReportMetric(time.Since(start).Seconds()*1000/20, "ms/open")
		start = time.Now()
		var wg sync.WaitGroup
		for who, d := range docs {
			wg.Go(func() {
				for i := range 5 {
					insertCell(b, d, fmt.Sprint(who, " ", i))
				}
			})
		}
		wg.Wait()
		b.ReportMetric(time.Since(start).Seconds()*1000/5, "ms/edit")
		figures(b, s, before)
	}
}

// A notebook of 2,000 cells and 20 MB is opened, read and edited.
func BenchmarkLargeNotebook(b *testing.B) {
	for b.Loop() {
		s := jupytertest.Start(b)
		path := largeNotebook(b, s)
		before := inUse()
		start := time.Now()
		d, err := benchManager(b, s).Open(b.Context(), jupyter.MustPath(path))
		if err != nil {
			b.Fatal(err)
		}
		defer d.Release()
		b.ReportMetric(time.Since(start).Seconds()*1000, "ms/open")
		start = time.Now()
		for range d.Notebook().Cells() {
		}
		b.ReportMetric(time.Since(start).Seconds()*1000, "ms/read")
		start = time.Now()
		for range 10 {
			insertCell(b, d, "y = 2")
		}
		b.ReportMetric(time.Since(start).Seconds()*100, "ms/edit")
		figures(b, s, before)
	}
}
