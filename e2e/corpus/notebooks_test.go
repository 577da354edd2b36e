package corpus_test

import (
	"fmt"
	"strings"
)

// picture is a PNG of one pixel.
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// code returns a code cell with outputs.
func code(source, outputs string) string {
	return fmt.Sprintf(`{"cell_type":"code","source":%q,"metadata":{},"execution_count":3,"outputs":[%s]}`, source, outputs)
}

// data returns an output with some MIME types.
func data(kind, bundle string) string {
	count := ""
	if kind == "execute_result" {
		count = `"execution_count":3,`
	}
	return fmt.Sprintf(`{"output_type":%q,%s"metadata":{},"data":{%s}}`, kind, count, bundle)
}

// constructs are lists of cells of notebook format 4.
var constructs = map[string]string{
	"code":                   code("a = 1", ""),
	"two code cells":         code("a = 1", "") + "," + code("b = 2", ""),
	"markdown":               `{"cell_type":"markdown","source":"# Title\n\ntext","metadata":{}}`,
	"raw":                    `{"cell_type":"raw","source":".. rst::","metadata":{"format":"text/restructuredtext"}}`,
	"raw mimetype":           `{"cell_type":"raw","source":"<b>","metadata":{"raw_mimetype":"text/html"}}`,
	"source as lines":        `{"cell_type":"code","source":["a = 1\n","b = 2"],"metadata":{},"execution_count":null,"outputs":[]}`,
	"empty source":           code("", ""),
	"attachment":             `{"cell_type":"markdown","source":"![a](attachment:a.png)","metadata":{},"attachments":{"a.png":{"image/png":"` + picture + `"}}}`,
	"attachments":            `{"cell_type":"markdown","source":"![a](attachment:a.png)","metadata":{},"attachments":{"a.png":{"image/png":"` + picture + `"},"b c.svg":{"image/svg+xml":["<svg>","</svg>"]}}}`,
	"raw attachment":         `{"cell_type":"raw","source":"x","metadata":{},"attachments":{"a.txt":{"text/plain":"a"}}}`,
	"pasted picture":         `{"cell_type":"markdown","source":"before ![p](data:image/png;base64,` + picture + `) after","metadata":{}}`,
	"tags":                   `{"cell_type":"code","source":"1","metadata":{"tags":["a","b"],"name":"n"},"execution_count":1,"outputs":[]}`,
	"collapsed":              `{"cell_type":"code","source":"1","metadata":{"collapsed":true,"scrolled":"auto","jupyter":{"source_hidden":true,"outputs_hidden":true}},"execution_count":1,"outputs":[]}`,
	"execution times":        `{"cell_type":"code","source":"1","metadata":{"execution":{"iopub.execute_input":"2026-01-01T00:00:00Z","shell.execute_reply":"2026-01-01T00:00:01Z"}},"execution_count":1,"outputs":[]}`,
	"unknown metadata":       `{"cell_type":"code","source":"1","metadata":{"x":{"y":[1,2.5,null,true,{"z":"é"}],"":"empty"},"n":-0.5,"big":9007199254740991},"execution_count":1,"outputs":[]}`,
	"slides":                 `{"cell_type":"markdown","source":"s","metadata":{"slideshow":{"slide_type":"fragment"},"editable":true}}`,
	"stdout":                 code("print(1)", `{"output_type":"stream","name":"stdout","text":"1\n"}`),
	"stream as lines":        code("print(1)", `{"output_type":"stream","name":"stdout","text":["1\n","2\n"]}`),
	"stdout and stderr":      code("print(1)", `{"output_type":"stream","name":"stdout","text":"1\n"},{"output_type":"stream","name":"stderr","text":"2\n"},{"output_type":"stream","name":"stdout","text":"3\n"}`),
	"empty stream":           code("print('')", `{"output_type":"stream","name":"stdout","text":""}`),
	"escapes":                code("x", `{"output_type":"stream","name":"stdout","text":"\u001b[31mred\u001b[0m\r50%\r100%\n\u0007"}`),
	"result":                 code("1", data("execute_result", `"text/plain":"1"`)),
	"display":                code("x", data("display_data", `"text/plain":["a\n","b"]`)),
	"display metadata":       code("x", `{"output_type":"display_data","metadata":{"image/png":{"width":10,"height":20},"needs_background":"light"},"data":{"image/png":"`+picture+`","text/plain":"<Figure>"}}`),
	"error":                  code("1/0", `{"output_type":"error","ename":"ZeroDivisionError","evalue":"division by zero","traceback":["\u001b[31mTraceback\u001b[0m","line 1"]}`),
	"error without text":     code("x", `{"output_type":"error","ename":"","evalue":"","traceback":[]}`),
	"png":                    code("x", data("display_data", `"image/png":"`+picture+`"`)),
	"png as lines":           code("x", data("display_data", `"image/png":["`+picture[:40]+`\n","`+picture[40:]+`"]`)),
	"svg":                    code("x", data("display_data", `"image/svg+xml":["<svg xmlns=\"http://www.w3.org/2000/svg\">","</svg>"]`)),
	"html":                   code("x", data("execute_result", `"text/html":"<table><tr><td>1</td></tr></table>","text/plain":"   0\n0  1"`)),
	"script":                 code("x", data("display_data", `"application/javascript":"alert(1)","text/html":"<script>alert(1)</script>"`)),
	"latex":                  code("x", data("display_data", `"text/latex":"$\\frac{1}{2}$","text/plain":"1/2"`)),
	"markdown output":        code("x", data("display_data", `"text/markdown":"**b** ![p](data:image/png;base64,`+picture+`)"`)),
	"json":                   code("x", data("display_data", `"application/json":{"a":[1,2.0,null,false],"b":{}},"text/plain":"j"`)),
	"json scalar":            code("x", data("display_data", `"application/json":null,"text/plain":"j"`)),
	"geojson":                code("x", data("display_data", `"application/geo+json":{"type":"Point","coordinates":[1.5,2]},"text/plain":"g"`)),
	"plotly":                 code("x", data("display_data", `"application/vnd.plotly.v1+json":{"data":[{"type":"bar","x":["a","b"],"y":[1,2]}],"layout":{"title":{"text":"T"}},"config":{"plotlyServerURL":"https://plot.ly"}}`)),
	"vega lite":              code("x", data("display_data", `"application/vnd.vegalite.v5+json":{"mark":"bar","data":{"values":[{"a":1}]},"encoding":{"x":{"field":"a","type":"quantitative"}}},"text/plain":"<VegaLite 5 object>"`)),
	"vega":                   code("x", data("display_data", `"application/vnd.vega.v5+json":{"marks":[{"type":"rect"}],"width":100},"text/plain":"<Vega 5 object>"`)),
	"bokeh":                  code("x", data("display_data", `"application/javascript":"(function(root) {})(window)","application/vnd.bokehjs_load.v0+json":""`)),
	"bokeh figure":           code("x", `{"output_type":"display_data","metadata":{"application/vnd.bokehjs_exec.v0+json":{"id":"p1"}},"data":{"text/html":"<div id=\"p1\"></div>","application/vnd.bokehjs_exec.v0+json":""}}`),
	"widget":                 code("x", data("display_data", `"application/vnd.jupyter.widget-view+json":{"model_id":"abc","version_major":2,"version_minor":0},"text/plain":"IntSlider(value=0)"`)),
	"R":                      code("x", data("display_data", `"text/html":"<dl></dl>","text/markdown":"1. a","text/latex":"\\begin{tabular}","text/plain":"[1] 1","application/pdf":"JVBERi0xLjQ="`)),
	"Julia":                  code("x", data("execute_result", `"text/plain":"3-element Vector{Int64}:\n 1","text/html":"<p>v</p>","image/svg+xml":"<svg/>"`)),
	"audio":                  code("x", data("display_data", `"audio/wav":"UklGRg==","text/html":"<audio controls></audio>"`)),
	"many outputs":           code("x", strings.TrimSuffix(strings.Repeat(data("display_data", `"text/plain":"o"`)+",", 60), ",")),
	"long line":              code("x", `{"output_type":"stream","name":"stdout","text":"`+strings.Repeat("long ", 20000)+`\n"}`),
	"many cells":             strings.TrimSuffix(strings.Repeat(code("x = 1", "")+",", 120), ","),
	"other letters":          code("s = '日本語 🎉 e\u0301 \u200d'", `{"output_type":"stream","name":"stdout","text":"日本語 🎉\u2028\u00a0\n"}`),
	"tabs and spaces":        code("if a:\n\tb\n    \n\n", ""),
	"windows lines":          code("a\r\nb\r\n", ""),
	"locked neighbour":       code("x", "") + `,{"cell_type":"code","source":"y","metadata":{"editable":false,"deletable":false},"execution_count":null,"outputs":[]}`,
	"output without count":   `{"cell_type":"code","source":"1","metadata":{},"execution_count":null,"outputs":[{"output_type":"execute_result","execution_count":null,"metadata":{},"data":{"text/plain":"1"}}]}`,
	"text of numbers":        code("x", data("display_data", `"application/vnd.dataresource+json":{"schema":{"fields":[{"name":"a","type":"integer"}]},"data":[{"a":1},{"a":1e300}]}`)),
	"output of unknown type": code("x", data("display_data", `"application/x-unknown":"u","text/x-other":["a","b"]`)),
}

// before45 are the constructs that notebooks of 4.0 to 4.4 have too.
var before45 = []string{"code", "attachment", "stdout and stderr", "tags", "error"}

// version3 are worksheets' cells of notebook format 3.
var version3 = map[string]string{
	"code":      `{"cell_type":"code","language":"python","input":"a = 1","collapsed":false,"metadata":{},"prompt_number":2,"outputs":[]}`,
	"heading":   `{"cell_type":"heading","level":2,"source":"Title","metadata":{}},{"cell_type":"markdown","source":"m","metadata":{}}`,
	"outputs":   `{"cell_type":"code","language":"python","input":["a\n","b"],"collapsed":true,"metadata":{},"prompt_number":2,"outputs":[{"output_type":"stream","stream":"stdout","text":"1\n"},{"output_type":"pyout","prompt_number":2,"text":"1","png":"` + picture + `","metadata":{}},{"output_type":"pyerr","ename":"E","evalue":"v","traceback":["t"]}]}`,
	"html cell": `{"cell_type":"html","source":"<b>b</b>","metadata":{}},{"cell_type":"raw","source":"r","metadata":{}}`,
}

// notebooks are the files of the corpus by their names.
func notebooks() map[string]string {
	const metadata = `{"kernelspec":{"name":"python3","display_name":"Python 3","language":"python"},"language_info":{"name":"python","version":"3.0.0"},"authors":[{"name":"é"}],"toc":{"depth":3,"on":true},"title":"T"}`
	files := map[string]string{
		"no cells":                `{"nbformat":4,"nbformat_minor":5,"metadata":` + metadata + `,"cells":[]}`,
		"no metadata":             `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[` + withIDs(constructs["two code cells"]) + `]}`,
		"widget states":           `{"nbformat":4,"nbformat_minor":5,"metadata":{"kernelspec":{"name":"python3","display_name":"P"},"language_info":{"name":"python"},"widgets":{"application/vnd.jupyter.widget-state+json":{"version_major":2,"version_minor":0,"state":{"abc":{"model_name":"IntSliderModel","model_module":"@jupyter-widgets/controls","model_module_version":"2.0.0","state":{"value":1.5}}}}}},"cells":[` + withIDs(constructs["widget"]) + `]}`,
		"metadata of other kinds": `{"nbformat":4,"nbformat_minor":5,"metadata":{"kernelspec":{"name":"python3","display_name":"P"},"language_info":{"name":"python"},"celltoolbar":"Slideshow","jupytext":{"formats":"ipynb,py:percent"},"papermill":{"parameters":{"a":1},"duration":1.25,"exception":null}},"cells":[` + withIDs(constructs["code"]) + `]}`,
	}
	for name, cells := range constructs {
		files["4.5 "+name] = `{"nbformat":4,"nbformat_minor":5,"metadata":` + metadata + `,"cells":[` + withIDs(cells) + `]}`
	}
	for minor := range 5 {
		for _, name := range before45 {
			files[fmt.Sprintf("4.%d %s", minor, name)] = fmt.Sprintf(`{"nbformat":4,"nbformat_minor":%d,"metadata":%s,"cells":[%s]}`, minor, metadata, constructs[name])
		}
	}
	for name, cells := range version3 {
		files["3 "+name] = `{"nbformat":3,"nbformat_minor":0,"metadata":{"name":"old"},"worksheets":[{"metadata":{},"cells":[` + cells + `]}]}`
	}
	return files
}

// withIDs gives each cell of a list an id.
func withIDs(cells string) string {
	n := 0
	parts := strings.Split(cells, `{"cell_type":`)
	for i := range parts[1:] {
		parts[i+1] = fmt.Sprintf(`{"id":"cell-%d","cell_type":%s`, n, parts[i+1])
		n++
	}
	return strings.Join(parts, "")
}
