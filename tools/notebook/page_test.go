package notebook

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
	"github.com/nbduet/nbduet/ydoc"
)

// trayOf shows at most so many images.
func trayOf(t *testing.T, most int) *desk.ImageSet {
	t.Helper()
	g, err := desk.NewImageStore(nil, most, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g.NewSet(t.Context(), most)
}

// Whatever a cell holds, an answer with it can be written and is within the bound.
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
				newSet:   func(int) *desk.ImageSet { return trayOf(t, 4) },
				from:     func(c ydoc.Cell) images.Origin { return images.Origin{CellID: c.ID} },
				contents: desk.ContentsOf,
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(page.cells) == 0 || calls > 3 {
				t.Fatalf("limit %d: a call makes no progress", limit)
			}
			a := &tool.Answer{Body: ReadResult{Cells: page.cells, Message: page.message}, Images: page.images}
			res, err := a.Result(true)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := json.Marshal(res); err != nil || len(b) > tool.MaxAnswerBytes {
				t.Fatalf("limit %d: the answer takes %d bytes, %v", limit, len(b), err)
			}
			for n, img := range page.images {
				if len(img.Data) < 10_000 || !strings.Contains(sample.AsJSON(t, page.cells), fmt.Sprintf("<image %d,", n+1)) {
					t.Errorf("image %d is not named in the JSON", n+1)
				}
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
	f := finished{size: MaxOutputSize, newSet: func(int) *desk.ImageSet { return trayOf(t, 4) }}
	for i := range maxRunCells {
		r := finishedRun{id: fmt.Sprint("run-", i), cell: strings.Repeat("c", 36), contents: desk.ContentsOf(outputs)}
		r.State = "failed"
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
	if b, err := json.Marshal(res); err != nil || len(b) > tool.MaxAnswerBytes {
		t.Fatalf("the answer takes %d bytes, %v", len(b), err)
	}
	if len(results) != maxRunCells || !results[0].Truncated || results[0].OriginalSize < 5*50_000 {
		t.Errorf("%d results, first %+v", len(results), results[0].OriginalSize)
	}
}
