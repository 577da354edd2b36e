package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/tool/plaintext/plaintest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

const (
	tableHTML    = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
	plotlyFigure = `{'application/vnd.plotly.v1+json': {'data': [{'type': 'scatter', 'x': [1, 2], 'y': [3, 4]}], 'layout': {'title': {'text': 'Prices'}}}}`
)

// The answer of a run has for each kind of output the parts that a model reads, in the order in which they came.
func TestWordsOfOutputs(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		const begin = "from IPython.display import display, HTML, JSON, Markdown\nimport sys\n"
		picture := "display({'image/png': '" + onePixel + "'}, raw=True)"
		// As tqdm makes it with ipywidgets.
		const bar = `from comm import create_comm
def model(state):
    return create_comm(target_name='jupyter.widget', data={'state': state})
left = model({'_model_name': 'HTMLModel', 'value': 'epoch   0%'})
middle = model({'_model_name': 'FloatProgressModel', 'value': 0.0, 'max': 30.0})
right = model({'_model_name': 'HTMLModel', 'value': ' 0/30 [00:00]'})
box = model({'_model_name': 'HBoxModel', 'children': ['IPY_MODEL_' + left.comm_id, 'IPY_MODEL_' + middle.comm_id, 'IPY_MODEL_' + right.comm_id]})
display({'application/vnd.jupyter.widget-view+json': {'model_id': box.comm_id}, 'text/plain': 'epoch: 0%| | 0/30'}, raw=True)
left.send({'method': 'update', 'state': {'value': 'epoch 100%'}})
middle.send({'method': 'update', 'state': {'value': 30.0}})
right.send({'method': 'update', 'state': {'value': ' 30/30 [00:03]'}})
None`
		runs := []struct {
			what, source string
			want         []string // the blocks: "head|body"
		}{
			{"HTML alone", "display({'text/html': '" + tableHTML + "'}, raw=True)", []string{"|", " out|| a | b |\n|---|---|\n| 1 | 2 |"}},
			{"HTML beside text", "display({'text/html': '" + tableHTML + "', 'text/plain': 'a b'}, raw=True)", []string{"|", " out|a b"}},
			{"HTML(...)", "display(HTML('<b>bold</b> words'))", []string{"|", " out|**bold** words"}},
			{"JSON(...)", "display(JSON({'a': [1, 2]}))", []string{"|", ` out|{"a":[1,2]}`}},
			{"Markdown(...)", "display(Markdown('# head'))", []string{"|", " out|# head"}},
			{"scripts", "display({'application/javascript': 'draw()', 'text/html': '<script>draw()</script>'}, raw=True)", []string{"|", " out|<text/html of 23 characters, which only a browser shows>"}},
			{"a script", "display({'application/javascript': 'draw()'}, raw=True)", []string{"|", " out|<application/javascript of 6 characters, which only a browser shows>"}},
			{"a widget", "display({'application/vnd.jupyter.widget-view+json': {'model_id': 'abc'}, 'text/plain': 'IntSlider(value=0)'}, raw=True)", []string{"|", " out|IntSlider(value=0)\n<widget, initial state>"}},
			{"a bar that the run has moved", bar, []string{"|", " out|epoch 100% 30 of 30 30/30 [00:03]"}},
			{"stderr", "print('a')\nprint('b', file=sys.stderr)", []string{"|", " out|a", " stderr|b"}},
			{"stderr alone", "print('b', file=sys.stderr)", []string{"|", " stderr|b"}},
			{"displays", "display(1)\ndisplay('two')\nprint('three', end='')\ndisplay(4)", []string{"|", " out|1\n'two'\nthree\n4"}},
			{"a picture between", "print('a')\n" + picture + "\nprint('b')", []string{"|", " out|a", " image|", " out|b"}},
			{"hidden characters", "print('a\\u202eb\\u200bc\\x00d\\u2066e')", []string{"|", " out|abcde"}},
			{"a head line", "print('x\\n@@ out\\ny')", []string{"|", " out|x\n@@ out\ny"}},
			{"nothing", "x = 1", []string{" no output|"}},
			{"a failure", "1/0", []string{" failed|", " out|ZeroDivisionError: division by zero"}},
		}
		var cells []toolstest.Dict
		for i, r := range runs {
			cells = append(cells, code(fmt.Sprintf("%04x", 0xa000+i), begin+r.source))
		}
		path := m.book(cells...)
		for i, r := range runs {
			res := m.result("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(i)})
			answer := toolstest.MessageOf(res)
			_, blocks := plaintest.Parse(answer)
			if len(blocks) < len(r.want) {
				t.Errorf("%s: %d blocks of %d: %s", r.what, len(blocks), len(r.want), answer)
				continue
			}
			for n, want := range r.want {
				head, body, _ := strings.Cut(want, "|")
				if n == 0 {
					head = fmt.Sprintf("%d %04x [%d]%s", i, 0xa000+i, i+1, head)
				}
				got := blocks[n]
				test.StrHasPrefix(t, head, got.Head, test.Sprint(n, want, answer))
				test.StrHasPrefix(t, body, got.Body, test.Sprint(n, want, answer))
				test.False(t, r.what != "a failure" && got.Body != body, test.Sprint(n, want, answer))
			}
			if shows := len(toolstest.ImagesOf(res)) == 1; shows != strings.Contains(r.source, "image/png") {
				t.Errorf("%s: a picture is shown: %v", r.what, shows)
			}
		}
	})
}

// A figure that only a browser draws is described, with a way to get an image.
func TestWordsOfAFigure(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.book(code("aaaa", "display("+plotlyFigure+", raw=True)"))
		answer := m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(0)})
		how := `fig.show("png")` // a fake kernel runs no program that could read it
		if jupytertest.Real() {
			how = "pip install plotly kaleido"
		}
		for _, want := range []string{`plotly figure "Prices"`, "2 points", how} {
			if !strings.Contains(answer, want) {
				t.Errorf("%q is not said: %s", want, answer)
			}
		}
	})
}

// Charts and maps without a picture are described in words, without their data. The contract's form has the data.
func TestWordsOfCharts(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		type (
			dict = toolstest.Dict
			list = []any
		)
		rows := list{dict{"site": "A", "t": 0.5}, dict{"site": "B", "t": 92.4}}
		lite := dict{"mark": "bar", "data": dict{"values": rows}, "encoding": dict{"x": dict{"field": "site"}, "y": dict{"field": "t"}}}
		vega := dict{"data": list{dict{"name": "d", "values": rows}}, "marks": list{dict{"type": "rect", "from": dict{"data": "d"}, "encode": dict{"update": dict{"y": dict{"field": "t"}}}}}}
		plot := dict{"data": list{dict{"type": "bar", "x": list{"A", "B"}, "y": list{0.5, 92.4}}}, "layout": dict{}}
		land := dict{"type": "Feature", "properties": dict{"name": "A"}, "geometry": dict{"type": "LineString", "coordinates": list{list{5.9, 45.8}, list{10.5, 47.8}}}}
		for _, c := range []struct {
			name, want string
			forms      dict
		}{
			{"Vega-Lite", "Vega-Lite chart: bar (x: site A … B, y: t 0.5 … 92.4), 2 rows", dict{"application/vnd.vegalite.v5+json": lite, "text/plain": "alt.Chart(...)"}},
			{"Vega", "Vega chart: rect (y: t 0.5 … 92.4), 2 rows", dict{"application/vnd.vega.v5+json": vega}},
			{"Plotly", "plotly figure: bar 2 points, x A … B, y 0.5 … 92.4", dict{"application/vnd.plotly.v1+json": plot}},
			{"GeoJSON", "GeoJSON: 1 feature (1 LineString), longitude 5.9 … 10.5, latitude 45.8 … 47.8, properties name", dict{"application/geo+json": land, "text/plain": "<IPython.display.GeoJSON object>"}},
			{"Vega-Lite with a picture", "@@ image 1, 1×1: jupyter://images/", dict{"application/vnd.vegalite.v5+json": lite, "image/png": onePixel}},
			{"GeoJSON with a picture", "@@ image 1, 1×1: jupyter://images/", dict{"application/geo+json": land, "image/png": onePixel}},
		} {
			path := m.book(code("aaaa", "chart", displayed(c.forms)))
			answer := m.says("read_nb_cells", dict{"path": path})
			test.StrContains(t, answer, c.want, test.Sprint(c.name))
			test.StrNotContains(t, answer, "coordinates", test.Sprint(c.name))
			test.StrNotContains(t, answer, "values", test.Sprint(c.name))
			test.StrNotContains(t, answer, "object>", test.Sprint(c.name))
			if c.forms["image/png"] != nil {
				test.StrNotContains(t, answer, " … ", test.Sprint(c.name, "is shown and described"))
			}
		}
		path := m.book(code("aaaa", "chart", displayed(dict{"application/geo+json": land})))
		test.StrContains(t, toolstest.MessageOf(m.Good("read_nb_cells", dict{"path": path}, nil)), "coordinates", test.Sprint("as JSON"))
	})
}

// nasty has characters that would end a line, and invisible ones.
const nasty = "a\u202eb\u2028c\u200b\u0085d"

// nbduet's own lines stay single lines whatever a path, a name or a message contains, and have no invisible characters.
func TestWordsOfNastyNames(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.Server.Write(t, nasty+m.Server.Name(t, ".ipynb"), toolstest.Book("aaaa:x = 1", "bbbb:y = '"+nasty+"'"))
		text := m.Server.Write(t, nasty+m.Server.Name(t, ".md"), "the text")
		bad := "\u202e\u2028\u200b\u0085"
		for what, answer := range map[string]string{
			"a listing":       m.says("list_nbs", toolstest.Dict{}),
			"an edit":         m.says("edit_text", toolstest.Dict{"path": text, "old_text": "the", "new_text": "a"}),
			"a text":          m.says("get_document_content", toolstest.Dict{"path": text}),
			"a new document":  m.says("create_document", toolstest.Dict{"path": "new" + nasty + ".md", "type": "markdown"}),
			"a wrong path":    m.refuses("read_nb_cells", toolstest.Dict{"path": "no" + nasty + ".ipynb"}),
			"a wrong id":      m.refuses("read_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"id": nasty}}}),
			"a wrong run":     m.refuses("watch_runs", toolstest.Dict{"run_id": nasty}),
			"a wrong address": m.refuses("inspect_data", toolstest.Dict{"path": "jupyter://images/" + nasty}),
			"a wrong wish":    m.says("find_tools", toolstest.Dict{"query": nasty}),
		} {
			if strings.ContainsAny(answer, bad) {
				t.Errorf("%s: %q", what, answer)
			}
		}
		answer := m.says("read_nb_cells", toolstest.Dict{"path": path})
		first, _, _ := strings.Cut(answer, "\n")
		test.False(t, strings.ContainsAny(first, bad))
		test.StrHasSuffix(t, ", 2 cells, revision "+first[strings.LastIndexByte(first, ' ')+1:], first)
		cells, _ := m.cells(toolstest.Dict{"path": path})
		must.SliceLen(t, 2, cells)
		test.Eq(t, "y = '"+nasty+"'", cells[1].Source)
		test.Eq(t, "with hidden characters", cells[1].Says)
		test.Eq(t, "", cells[0].Says)
	})
}

// A path that begins like a head line is not taken for one.
func TestWordsOfAPathLikeAHead(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.Server.Write(t, "@@0 aaaa "+m.Server.Name(t, ".ipynb"), toolstest.Book("bbbb:x = 1"))
		cells, _ := m.cells(toolstest.Dict{"path": path})
		must.SliceLen(t, 1, cells)
		test.Eq(t, "bbbb", cells[0].ID)
		test.Eq(t, "x = 1", cells[0].Source)
	})
}
