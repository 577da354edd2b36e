package render

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
	"github.com/nbduet/nbduet/ydoc"
)

// An easel is a store whose figures are drawn by a function.
type easel struct {
	*ImageStore
	asked []string
}

// newEasel makes an easel. draw returns the image of a figure by its title, or why it has no image.
func newEasel(t *testing.T, most int, draw func(title string) (png string, err error)) *easel {
	t.Helper()
	g := NewImageStore(nil, most, 0)
	e := &easel{ImageStore: g}
	g.Plots.Draw = func(_ context.Context, _ images.Origin, fig []byte, within time.Duration) (string, error) {
		test.Greater(t, 0, within)
		test.LessEq(t, DrawTime, within)
		title := strings.TrimSuffix(strings.TrimPrefix(string(fig), `{"title":"`), `"}`)
		e.asked = append(e.asked, title)
		png, err := draw(title)
		if err == nil {
			g.Plots.Kept.Keep(figure.NameOf(fig), png)
		}
		return png, err
	}
	return e
}

func plot(title string) ydoc.Output {
	return sample.Display(map[string]any{Plotly: map[string]any{"title": title}, "text/html": "<div></div>"})
}

// shown returns the texts that replace the figures of outputs.
func shown(s ShownOutputs) (figures, pictures []string) {
	for _, o := range s.Outputs {
		data, _ := o["data"].(map[string]any)
		f, _ := data[Plotly].(string)
		p, _ := data["image/png"].(string)
		figures = append(figures, textfmt.SettleHints(f, func(clause string) string { return clause }))
		pictures = append(pictures, p)
	}
	return figures, pictures
}

// A figure without an image is drawn once, whichever answers show it, and its image is treated like others.
func TestPlotsAreDrawn(t *testing.T) {
	e := newEasel(t, 2, func(title string) (string, error) { return sample.NoisePNG(t, 40+len(title), 30), nil })
	outputs := []ydoc.Output{plot("a"), plot("bb"), plot("a"), plot("ccc")}
	if n := PicturesIn(outputs); n != 4 {
		t.Errorf("%d pictures are expected", n)
	}
	for range 2 {
		set := e.Sets(t.Context())(4)
		set.From = images.Origin{Session: "me", CellID: "c"}
		out := ContentsOf(outputs).Show(generous, set)
		figures, pictures := shown(out)
		must.SliceLen(t, 2, set.Images)
		test.StrHasPrefix(t, "<image 1, 41×30", pictures[0])
		test.StrHasPrefix(t, "<image 2, 42×30", pictures[1])
		test.StrContains(t, pictures[2], "an answer shows 2")
		test.Eq(t, "", pictures[3])
		test.StrContains(t, figures[0], "its kernel has drawn")
		test.StrContains(t, figures[3], "no picture of it: an answer shows 2; read_nb_cells")
		test.Eq(t, "[a bb]", fmt.Sprint(e.asked))
		test.Eq(t, "[0 1 -1 -1]", fmt.Sprint(out.Images))
	}
	// A figure that no answer shows is not drawn; a drawn one has its address.
	set := e.NewSet(t.Context(), 0)
	set.AddressesOnly = true
	figures, pictures := shown(ContentsOf(outputs).Show(generous, set))
	must.SliceLen(t, 2, e.asked)
	test.StrContains(t, pictures[0], "jupyter://sessions/")
	test.Eq(t, "", pictures[3])
	test.StrContains(t, figures[3], "no picture")
	if data, _ := outputs[0]["data"].(map[string]any); len(data) != 2 {
		t.Errorf("the output is changed: %v", data)
	}
}

// An image that is no longer cached is found in its cell, or drawn again.
func TestPlotsAreFound(t *testing.T) {
	e := newEasel(t, 2, func(title string) (string, error) { return sample.NoisePNG(t, 40+len(title), 30), nil })
	set := e.NewSet(t.Context(), 1)
	set.From = images.Origin{Session: "me", CellID: "c"}
	ContentsOf([]ydoc.Output{plot("a")}).Show(generous, set)
	if len(set.Named) != 1 {
		t.Fatalf("%v", set.Named)
	}
	for range 2 {
		if _, ok := e.FindIn(t.Context(), set.Named[0], plot("bb")); ok {
			t.Error("another figure's picture is found")
		}
		img, ok := e.FindIn(t.Context(), set.Named[0], plot("a"))
		must.True(t, ok)
		test.Eq(t, 41, img.Width)
		e.Plots.Kept = figure.NewDrawings()
	}
	if strings.Join(e.asked, ",") != "a,bb,bb,a" {
		t.Errorf("%v", e.asked)
	}
}

// The reason for a missing image is given once in an answer, and determined once, however often the answer is rendered.
func TestPlotsAreNotDrawn(t *testing.T) {
	err := map[string]error{
		"a": &figure.NoPicture{Why: "pip install kaleido"}, "b": &figure.NoPicture{Why: "pip install kaleido"},
		"c": &figure.NoPicture{Why: "its kernel is busy"}, "d": errors.New("a fault"), "e": &figure.NoPicture{},
	}
	e := newEasel(t, 9, func(title string) (string, error) { return "", err[title] })
	newSet := e.Sets(t.Context())
	for range 2 {
		figures, _ := shown(ContentsOf([]ydoc.Output{plot("a"), plot("b"), plot("c"), plot("d"), plot("e")}).Show(generous, newSet(5)))
		want := []string{"no picture of it: pip install kaleido>", "no picture of it>", "no picture of it: its kernel is busy>", "both need the kaleido package", "both need the kaleido package"}
		for i, want := range want {
			if !strings.Contains(figures[i], want) {
				t.Errorf("%q, want %q", figures[i], want)
			}
		}
	}
	if len(e.asked) != 5 {
		t.Errorf("%v", e.asked)
	}
	// The next answer tries again, and a cell that is rendered again repeats the reason.
	set := newSet(1)
	set.figures = e.drawing(t.Context())
	for range 2 {
		if figures, _ := shown(ContentsOf([]ydoc.Output{plot("a")}).Show(generous, set)); !strings.Contains(figures[0], "pip install kaleido") {
			t.Errorf("%q", figures)
		}
		set.Rollback(0)
	}
	if len(e.asked) != 6 {
		t.Errorf("%v", e.asked)
	}
	// When the time is over, no more figures are drawn.
	set.figures = e.drawing(t.Context())
	set.figures.until = time.Now()
	figures, _ := shown(ContentsOf([]ydoc.Output{plot("f")}).Show(generous, set))
	test.StrContains(t, figures[0], "no time left")
	test.SliceLen(t, 6, e.asked)
}

// A call that has taken long draws only as long as its host waits.
func TestPlotsOfALongCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEasel(t, 2, func(string) (string, error) { return sample.NoisePNG(t, 40, 30), nil })
		var within []time.Duration
		ask := e.Plots.Draw
		e.Plots.Draw = func(ctx context.Context, from images.Origin, fig []byte, most time.Duration) (string, error) {
			within = append(within, most)
			return ask(ctx, from, fig, most)
		}
		began := tool.WithBeginning(t.Context())
		heard := tool.WithProgress(began, mcp.CallToolRequest{Params: mcp.CallToolParams{Meta: &mcp.Meta{ProgressToken: 1}}})
		time.Sleep(50 * time.Second)
		for i, ctx := range []context.Context{began, heard, t.Context()} {
			e.picture(e.drawing(ctx), images.Origin{}, map[string]any{"title": fmt.Sprint(i)}, true)
		}
		time.Sleep(7 * time.Second)
		if _, why := e.picture(e.drawing(began), images.Origin{}, map[string]any{"title": "late"}, true); !strings.Contains(why, "no time left") {
			t.Errorf("late it is not drawn because %q", why)
		}
		if want := []time.Duration{7 * time.Second, DrawTime, DrawTime}; !slices.Equal(within, want) {
			t.Errorf("within %v, want %v", within, want)
		}
	})
}
