package tools_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// BenchmarkSearch measures a search of a folder with a thousand notebooks of 200 kB each, which finds nothing. Alternately, a
// bare client reads the same files, eight at a time. It reports both in milliseconds, and their ratio.
func BenchmarkSearch(b *testing.B) {
	s := jupytertest.Shared(b)
	dir := s.Name(b, "-folder")
	cells := make([]string, 50)
	for i := range cells {
		cells[i] = ":" + strings.Repeat(fmt.Sprintf("value_%d = compute(%d)\n", i, i), 150)
	}
	const notebooks = 1000
	for i := range notebooks {
		s.Write(b, fmt.Sprintf("%s/%d.ipynb", dir, i), toolstest.Book(cells...))
	}
	_, c := benchClient(b, s)
	bare := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	b.Cleanup(bare.CloseIdleConnections)
	var lane benchLane
	var bares, searches []time.Duration
	for b.Loop() {
		lane.time(&bares, func() {
			var readers sync.WaitGroup
			for first := range 8 {
				readers.Go(func() {
					for i := first; i < notebooks; i += 8 {
						benchGet(b, bare, s, fmt.Sprintf("%s/%d.ipynb?content=1&type=file&format=text", dir, i))
					}
				})
			}
			readers.Wait()
		})
		lane.time(&searches, func() {
			var req mcp.CallToolRequest
			req.Params.Name, req.Params.Arguments = "search", toolstest.Dict{"path": dir, "query": "absent"}
			res, err := c.CallTool(b.Context(), req)
			must.NoError(b, err)
			must.StrContains(b, toolstest.MessageOf(res), "no match in 1,000 notebooks")
		})
	}
	b.ReportMetric(float64(searches[0].Milliseconds()), "search-ms")
	b.ReportMetric(float64(bares[0].Milliseconds()), "bare-ms")
	b.ReportMetric(float64(searches[0])/float64(bares[0]), "search/bare")
}
