package notebook

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
	"github.com/nbduet/nbduet/ydoc"
)

// trayOf returns an image set limited to most images.
func trayOf(t *testing.T, most int) *render.ImageSet {
	t.Helper()
	g := render.NewImageStore(nil, most, 0)
	return g.NewSet(t.Context(), most)
}

// Whatever a cell contains, an answer with it is valid JSON within the bound.
func TestShowCellsAlwaysFits(t *testing.T) {
	big := strings.Repeat("\x01\"\\<é😀", 20_000)
	image := sample.NoisePNG(t, 300, 300)
	cells := sample.CellsOf(big, "small", big)
	for i := range cells {
		cells[i].Metadata = map[string]any{"nan": math.NaN(), "big": big}
		for range 25 {
			cells[i].Outputs = append(cells[i].Outputs, sample.Stream(big[:30_000]), sample.Display(map[string]any{"image/png": image, "application/x": math.Inf(1)}))
		}
	}
	for _, limit := range []int{1, DefaultCellData, MaxCellData} {
		indexes := []int{0, 1, 2}
		for calls := 0; len(indexes) > 0; calls++ {
			page, err := showCells(cells, indexes, limit, rendering{
				newSet:   func(int) *render.ImageSet { return trayOf(t, 4) },
				from:     func(c ydoc.Cell) images.Origin { return images.Origin{CellID: c.ID} },
				contents: render.ContentsOf,
			})
			if err != nil {
				t.Fatal(err)
			}
			must.SliceNotEmpty(t, page.cells, must.Sprint(limit))
			must.LessEq(t, 3, calls, must.Sprint(limit))
			a := &tool.Answer{Body: ReadResult{Cells: page.cells, Message: page.message}, Images: page.images}
			res, err := a.Result(true)
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(res)
			must.NoError(t, err, must.Sprint(limit))
			must.LessEq(t, tool.MaxAnswerBytes, len(b), must.Sprint(limit))
			for n, img := range page.images {
				must.GreaterEq(t, 10_000, len(img.Data))
				test.StrContains(t, sample.AsJSON(t, page.cells), fmt.Sprintf("<image %d,", n+1))
			}
			indexes = indexes[len(page.cells):]
			if !slices.Equal(indexes, page.left) {
				t.Fatalf("left = %v, want %v", page.left, indexes)
			}
		}
	}
}

func TestExecutionResultsAlwaysFit(t *testing.T) {
	big := strings.Repeat("\x01\"\\<é😀", 10_000)
	image := sample.NoisePNG(t, 200, 200)
	var outputs []ydoc.Output
	for range 5 {
		outputs = append(outputs, sample.Stream(big), sample.Display(map[string]any{"image/png": image}))
	}
	f := finished{size: MaxOutputSize}
	for i := range maxRunCells {
		r := finishedRun{contents: render.ContentsOf(outputs)}
		r.ID, r.CellID, r.State = fmt.Sprint("run-", i), strings.Repeat("c", 36), "failed"
		r.NewSet = func(int) *render.ImageSet { return trayOf(t, 4) }
		f.runs = append(f.runs, r)
	}
	a := &tool.Answer{}
	var results []ExecutionResult
	if err := f.into(a, func(r []ExecutionResult) {
		results = r
		a.Body = ExecuteResult{Results: r}
	}); err != nil {
		t.Fatal(err)
	}
	res, err := a.Result(true)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(res)
	must.NoError(t, err)
	must.LessEq(t, tool.MaxAnswerBytes, len(b))
	must.SliceLen(t, maxRunCells, results)
	test.True(t, results[0].Truncated)
	test.GreaterEq(t, 5*50_000, results[0].OriginalSize)
}
