package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/ydoc"
)

// trayOf shows at most so many images.
func trayOf(t *testing.T, most int) *tray {
	t.Helper()
	g, err := newGallery(nil, most, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g.tray(t.Context(), most)
}

// Whatever a cell holds, an answer with it can be written and is within the bound.
func TestShowCellsAlwaysFits(t *testing.T) {
	big := strings.Repeat("\x01\"\\<é😀", 20_000)
	image := noisePNG(t, 300, 300)
	cells := cellsOf(big, "small", big)
	for i := range cells {
		cells[i].Metadata = map[string]any{"nan": math.NaN(), "big": big}
		for range 25 {
			cells[i].Outputs = append(cells[i].Outputs, stream(big[:30_000]), display(map[string]any{"image/png": image, "application/x": math.Inf(1)}))
		}
	}
	for _, limit := range []int{1, defaultCellData, maxCellData} {
		indexes := []int{0, 1, 2}
		for calls := 0; len(indexes) > 0; calls++ {
			page, err := showCells(cells, indexes, limit, shower{
				tray: func(int) *tray { return trayOf(t, 4) },
				from: func(c ydoc.Cell) images.Origin { return images.Origin{CellID: c.ID} },
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(page.cells) == 0 || calls > 3 {
				t.Fatalf("limit %d: a call makes no progress", limit)
			}
			a := &answer{body: readResult{Cells: page.cells, Message: page.message}, images: page.images}
			res, err := a.result()
			if err != nil {
				t.Fatal(err)
			}
			if b, err := json.Marshal(res); err != nil || len(b) > MaxAnswerBytes {
				t.Fatalf("limit %d: the answer takes %d bytes, %v", limit, len(b), err)
			}
			for n, img := range page.images {
				if len(img.data) < 10_000 || !strings.Contains(asJSON(t, page.cells), fmt.Sprintf("<image %d,", n+1)) {
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
	image := noisePNG(t, 200, 200)
	var outputs []ydoc.Output
	for range 5 {
		outputs = append(outputs, stream(big), display(map[string]any{"image/png": image}))
	}
	f := finished{size: maxOutputSize, tray: func(int) *tray { return trayOf(t, 4) }}
	for i := range maxRunCells {
		r := finishedRun{id: fmt.Sprint("run-", i), cell: strings.Repeat("c", 36), contents: contentsOf(outputs)}
		r.State = "failed"
		f.runs = append(f.runs, r)
	}
	a := &answer{}
	var results []executionResult
	if err := f.into(a, func(r []executionResult) {
		results = r
		a.body = executeResult{Results: r}
	}); err != nil {
		t.Fatal(err)
	}
	res, err := a.result()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := json.Marshal(res); err != nil || len(b) > MaxAnswerBytes {
		t.Fatalf("the answer takes %d bytes, %v", len(b), err)
	}
	if len(results) != maxRunCells || !results[0].Truncated || results[0].OriginalSize < 5*50_000 {
		t.Errorf("%d results, first %+v", len(results), results[0].OriginalSize)
	}
}
