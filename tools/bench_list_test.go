package tools_test

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// BenchmarkListNbs measures list_nbs over six folders of ten notebooks each, through an MCP client: the first call, and a
// second one at once. Alternately, a bare client makes the same requests: one for the folder, then at once those for the
// five in it. It reports the medians in milliseconds, and both calls as multiples of the bare one.
func BenchmarkListNbs(b *testing.B) {
	s := jupytertest.Shared(b)
	dir := s.Name(b, "-folders")
	folders := []string{dir, dir + "/1", dir + "/2", dir + "/3", dir + "/4", dir + "/5"}
	for _, folder := range folders {
		for i := range 10 {
			s.Write(b, folder+"/n"+strconv.Itoa(i)+".ipynb", `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`)
		}
	}
	srv, c := benchClient(b, s)
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = "list_nbs", toolstest.Dict{"path": dir}
	list := func() {
		res, err := c.CallTool(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		if text := toolstest.MessageOf(res); strings.Count(text, dir+"/") < 60 {
			b.Fatal(text)
		}
	}
	bare := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: len(folders)}}
	b.Cleanup(bare.CloseIdleConnections)
	floor := func() {
		benchGet(b, bare, s, folders[0]+"?content=1&type=directory")
		var wg sync.WaitGroup
		for _, folder := range folders[1:] {
			wg.Go(func() { benchGet(b, bare, s, folder+"?content=1&type=directory") })
		}
		wg.Wait()
	}
	list()
	floor()
	var lane benchLane
	var first, again, bares []time.Duration
	for b.Loop() {
		lane.time(&bares, floor)
		srv.Changes.Note() // nothing is cached
		lane.time(&first, list)
		lane.time(&again, list)
	}
	median := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/2].Microseconds()) / 1000
	}
	b.ReportMetric(median(bares), "bare-ms")
	b.ReportMetric(median(first), "first-ms")
	b.ReportMetric(median(again), "again-ms")
	b.ReportMetric(median(first)/median(bares), "first/bare")
	b.ReportMetric(median(again)/median(bares), "again/bare")
}

// benchGet asks the contents API for a path with a query, and reads the answer.
func benchGet(b *testing.B, c *http.Client, s *jupytertest.Server, path string) {
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.URL+"/api/contents/"+path, nil)
	if err != nil {
		b.Error(err)
		return
	}
	req.Header.Set("Authorization", "token "+s.Token)
	res, err := c.Do(req)
	if err != nil {
		b.Error(err)
		return
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	must.NoError(b, err, must.Sprint(path))
	test.Eq(b, http.StatusOK, res.StatusCode, test.Sprint(path))
}
