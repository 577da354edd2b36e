package tools_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/tools/tool/plaintext/plaintest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// pictured returns the texts that an answer has beside its images.
func pictured(answer string) (said []string) {
	_, blocks := plaintest.Parse(answer)
	for _, b := range blocks {
		if strings.Contains(b.Head, " image") {
			said = append(said, b.Body)
		}
	}
	return said
}

// plots are figures of all kinds, with the texts beside their images.
var plots = map[string]string{
	"plt.plot([1, 12], [3.1, 41], label='2024'); plt.plot([1, 12], [4, 5], label='2025'); plt.legend(); plt.title('Sales'); plt.xlabel('month'); plt.ylabel('EUR')": `"Sales" (x: month, y: EUR): 2 lines "2024", "2025", x 1 … 12, y 3.1 … 41`,

	"plt.bar(['Jan', 'Feb', 'Mar'], [1, 2, 3])":                                                                      `3 bars, x Jan … Mar, y 0 … 3`,
	"plt.barh(['a', 'b'], [1, 2]); plt.title('l', loc='left'); plt.title('c')":                                       `"l / c": 2 bars, x 0 … 2, y a … b`,
	"plt.plot(pd.date_range('2024-01-01', periods=5), range(5), 'o')":                                                `5 points, x 2024-01-01 … 2024-01-05, y 0 … 4`,
	"plt.plot(pd.date_range('2024-01-01', periods=3, freq='h'), range(3))":                                           `1 line, x 2024-01-01 … 2024-01-01 02:00:00, y 0 … 2`,
	"plt.scatter(range(50), range(1, 51)); plt.yscale('log'); plt.suptitle('S')":                                     `"S": 50 points, x 0 … 49, y 1 … 50 (log)`,
	"plt.imshow(np.zeros((28, 30))); plt.colorbar(label='v'); plt.title('i')":                                        `"i": 1 image of 28 × 30, x -0.5 … 29.5, y -0.5 … 27.5; colorbar (y: v)`,
	"plt.hist(np.arange(100)); plt.axvline(3)":                                                                       `10 bars, 1 line, x 0 … 99, y 0 … 10`,
	"f, a = plt.subplots(1, 2); a[0].pie([1, 2], labels=['p', 'q']); f.supxlabel('all'); a[1].set_title('empty')":    `(x: all): 2 wedges; "empty"`,
	"pd.DataFrame({'a': [1, 2], 'b': [3, 4]}, index=['p', 'q']).plot.bar(title='bar')":                               `"bar": 4 bars "a", "b", x p … q, y 0 … 4`,
	"plt.boxplot([[1, 2, 3], [4, 5, 6]]); plt.xticks([1, 2], ['a', 'b'])":                                            `12 lines, x a … b, y 1 … 6`,
	"plt.figure().add_subplot(projection='3d').scatter([1, 2], [3, 4], [5, 6]); plt.gca().set_zlabel('up')":          `(z: up): 2 points, x 1 … 2, y 3 … 4, z 5 … 6`,
	"plt.fill_between([0, 1], [1, 2]); plt.pcolormesh(np.zeros((3, 3)))":                                             `1 area, 1 color grid, x 0 … 3, y 0 … 3`,
	"plt.errorbar([1, 2], [3, 4], yerr=1, fmt='o', label='m'); plt.legend()":                                         `2 points, 1 line group, legend "m", x 1 … 2, y 2 … 5`,
	"plt.plot([1, 2]); plt.axis('off'); plt.text(0, 1, 'here'); plt.xlabel('no')":                                    `1 line`,
	"get_ipython().run_line_magic('config', \"InlineBackend.figure_format = 'svg'\"); plt.plot([1]); plt.title('v')": `"v": 1 line, x 0, y 1`,
	"fig, ax = plt.subplots(); fig.suptitle('shown')\nplt.close()\nfig":                                              `"shown"`,
}

// Each figure of matplotlib is described beside its image, in the answer of the run, from the first figure of a kernel on,
// and wherever the image is read later. The notebook has none of that.
func TestFiguresTell(t *testing.T) {
	jupytertest.NeedsReal(t, "matplotlib")
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		const begin = "import matplotlib.pyplot as plt, numpy as np, pandas as pd\nget_ipython().run_line_magic('config', \"InlineBackend.figure_format = 'png'\")\n"
		sources := slices.Sorted(maps.Keys(plots))
		var cells []toolstest.Dict
		for i, source := range sources {
			cells = append(cells, code(fmt.Sprintf("%04x", 0xa000+i), begin+source))
		}
		path := m.book(cells...)
		for i, source := range sources {
			for _, call := range []string{"execute_nb_cells", "read_nb_cells"} {
				answer := m.says(call, toolstest.Dict{"path": path, "ranges": atCell(i)})
				if got := pictured(answer); !slices.Equal(got, []string{plots[source]}) {
					t.Errorf("%s, %s:\n%q\nwant:\n%s\n%s", call, source, got, plots[source], answer)
				}
				if strings.Contains(answer, "Axes:") {
					t.Errorf("%s: its axes are said twice: %s", source, answer)
				}
			}
		}
		m.keepsNothing(path)

		m.says("restart_nb_kernel", toolstest.Dict{"path": path})
		answer := m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(0)})
		if got := pictured(answer); !slices.Equal(got, []string{plots[sources[0]]}) {
			t.Errorf("after a restart: %s", answer)
		}
	})
}

// keepsNothing checks that the notebook has none of the descriptions of figures for nbduet.
func (m *talk) keepsNothing(path string) {
	m.T.Helper()
	for _, cell := range m.there(path) {
		for _, out := range cell.Outputs {
			if text := fmt.Sprint(out); strings.Contains(text, figure.MIME) {
				m.T.Errorf("the notebook has %s", text)
			}
		}
	}
}

// Other cells have the same outputs as always, no object runs its own code, and a figure that cannot be described is shown
// nevertheless.
func TestFiguresHostile(t *testing.T) {
	jupytertest.NeedsReal(t, "matplotlib")
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		const begin = "import matplotlib.pyplot as plt\n"
		path := m.book(
			code("aaaa", begin+"plt.plot([1])\nget_ipython().display_pub.parent_header = {**get_ipython().display_pub.parent_header, 'username': 'ada'}\nplt.show()"),
			code("bbbb", begin+"from IPython.core.formatters import DisplayFormatter\nprint([t for t in get_ipython().display_formatter.format(plt.figure())[0] if 'nbduet' in t]); plt.close()"),
			code("cccc", begin+`ran = []
class Odd(plt.Figure):
    def __getattribute__(self, name): ran.append(name); return super().__getattribute__(name)
class Liar:
    def __getattr__(self, name): ran.append(name); raise KeyError(name)
    def __repr__(self): return 'a liar'
odd = Odd(); odd.add_subplot().set_title('a\ud800\nb' + 'x' * 10**5)
odd.legend_ = odd._supxlabel = Liar()
ran.clear()
told = get_ipython().display_formatter.formatters['`+figure.MIME+`'](odd)
print(ran, len(told) < 1000, get_ipython().display_formatter.formatters['`+figure.MIME+`'](Liar()), ran)`),
		)
		if got := pictured(m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(0)})); !slices.Equal(got, []string{""}) {
			t.Errorf("of another's cell: %q", got)
		}
		m.keepsNothing(path)
		for i, want := range []string{"['" + figure.MIME + "']", "[] True None []"} {
			if answer := m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(i + 1)}); !strings.Contains(answer, want) {
				t.Errorf("%s is not in %s", want, answer)
			}
		}
	})
}

// The description of a figure is shown beside its image, whatever kernel sends it, and kept out of the notebook.
func TestFigureDescribed(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		m := newTalk(t)
		const told = `{"title": "Sales", "axes": [{"x_label": "month", "drawn": [{"what": "line", "count": 2}], "legend": ["a", "b"], "x": {"from": 1, "to": 12}}], "axes_total": 1}`
		show := "{'image/png': '" + onePixel + "', 'text/plain': '<Figure size 640x480 with 1 Axes>', '" + figure.MIME + "': '" + told + "'}"
		path := m.book(
			code("aaaa", "display("+show+", raw=True)"),
			code("bbbb", "display({'image/png': '"+onePixel[:len(onePixel)-8]+"AAAAAAA=', 'text/plain': 'other'}, raw=True)"),
			code("cccc", "h = display({'text/plain': ''}, raw=True, display_id='d')\nh.update("+show+", raw=True)"),
		)
		want := []string{`"Sales": (x: month): 2 lines "a", "b", x 1 … 12`}
		for _, call := range []string{"execute_nb_cells", "read_nb_cells"} {
			for i, want := range [][]string{want, {""}, want} {
				if answer := m.says(call, toolstest.Dict{"path": path, "ranges": atCell(i)}); !slices.Equal(pictured(answer), want) {
					t.Errorf("%s of cell %d: %s", call, i, answer)
				}
			}
		}
		m.keepsNothing(path)
	})
}
