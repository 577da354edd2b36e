package figure_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/figure"
)

// The kernels' descriptions of matplotlib figures become a line.
func TestMatplotlib(t *testing.T) {
	for name, c := range read[struct{ Told, Says string }](t, "told.json") {
		if got := figure.Matplotlib(c.Told); got != c.Says {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.Says)
		}
	}
}

// An unknown form gives nothing.
func TestMatplotlibStrange(t *testing.T) {
	for _, v := range []any{nil, "", "[]", "{", "{}", `{"axes": {}}`, `{"axes": [{"drawn": 1}]}`, map[string]any{"title": "T"}, 1.5} {
		if got := figure.Matplotlib(v); got != "" {
			t.Errorf("%v: %s", v, got)
		}
	}
}

// A line is bounded and a single line for any texts in the figure, and says how many plots it does not describe.
func TestMatplotlibLong(t *testing.T) {
	long := strings.Repeat("\u202ee\u0301 \n\x1b\"x", 2000)
	of := map[string]any{"from": long, "to": long + "z", "scale": long}
	one := map[string]any{
		"title": long, "x_label": long, "y_label": long, "legend": []string{long, long},
		"drawn": []any{map[string]any{"what": long, "count": 3, "shape": long}}, "x": of, "y": of, "z": of,
	}
	line := func(v map[string]any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return figure.Matplotlib(string(text))
	}
	for n := range 7 {
		axes := []any{}
		for range n {
			axes = append(axes, one)
		}
		got := line(map[string]any{"title": long, "x_label": long, "axes": axes, "axes_total": n + 3})
		size := utf8.RuneCountInString(got)
		test.LessEq(t, 400, size, test.Sprint(got))
		test.False(t, n > 0 && size < 200, test.Sprint(got))
		if strings.ContainsAny(got, "\u202e\n\x1b") {
			t.Errorf("not one line of text: %q", got)
		}
	}
	short := func(n int, title string) (axes []any) {
		for range n {
			axes = append(axes, map[string]any{"title": title})
		}
		return axes
	}
	if got, want := line(map[string]any{"axes": short(6, "T"), "axes_total": 9}), strings.Repeat(`"T"; `, 6)+"and 3 more"; got != want {
		t.Errorf("%s\nwant: %s", got, want)
	}
	if got := line(map[string]any{"axes": short(16, strings.Repeat("T", 60)), "axes_total": 16}); !strings.HasSuffix(got, " more") {
		t.Errorf("not counted: %s", got)
	}
}

// A figure's own description is removed from its output, and found again by its picture, in any form that notebooks use.
func TestKnown(t *testing.T) {
	told := func(title string) string { return `{"title": "` + title + `"}` }
	k := figure.NewKnown()
	data := map[string]any{"image/png": "aGVs\nbG8=\n", "text/plain": "<Figure>", figure.MIME: told("A")}
	got := k.Take(data)
	must.MapLen(t, 2, got)
	test.EqOp(t, data["image/png"], got["image/png"])
	test.MapLen(t, 3, data)
	k.Take(map[string]any{"image/svg+xml": []any{"<svg>\n", "</svg>"}, "image/png": "x", figure.MIME: told("B")})
	for _, c := range []struct {
		data map[string]any
		want string
	}{
		{map[string]any{"image/png": "aGVsbG8="}, `"A"`},
		{map[string]any{"image/png": []any{"aGVs\n", "bG8=\n"}, "text/plain": "other"}, `"A"`},
		{map[string]any{"image/svg+xml": "<svg>\n</svg>"}, `"B"`},
		{map[string]any{"image/png": "x"}, `"B"`},
		{map[string]any{"image/jpeg": "aGVsbG8="}, ""},
		{map[string]any{"text/plain": "aGVsbG8="}, ""},
		{map[string]any{"image/png": nil}, ""},
		{nil, ""},
	} {
		if got := k.About(c.data); got != c.want {
			t.Errorf("%v: %s, want %s", c.data, got, c.want)
		}
	}
	k.Take(map[string]any{"image/png": "x", figure.MIME: "nothing"})
	if got := k.About(map[string]any{"image/png": "x"}); got != `"B"` {
		t.Errorf("after one that tells nothing: %s", got)
	}
	var none *figure.Known
	got = none.Take(data)
	must.MapLen(t, 2, got, must.Sprint("without a memory"))
	test.Eq(t, "", none.About(data), test.Sprint("without a memory"))
	for i := range 10_000 { // bounded
		k.Take(map[string]any{"image/png": fmt.Sprint("picture ", i), figure.MIME: told("C")})
	}
	test.Eq(t, "", k.About(map[string]any{"image/png": "aGVsbG8="}), test.Sprint("the oldest are kept, or the newest not"))
	test.Eq(t, `"C"`, k.About(map[string]any{"image/png": "picture 9999"}), test.Sprint("the oldest are kept, or the newest not"))
}
