package inspect_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// A pythonKernel runs each expression in a new process, after its code, in the folder of a test.
type pythonKernel struct {
	program, folder, code string
}

func python(t *testing.T) pythonKernel {
	t.Helper()
	jupyter := cmp.Or(os.Getenv("NBDUET_JUPYTER"), "../../../.venv/bin/jupyter")
	program, err := filepath.Abs(filepath.Join(filepath.Dir(jupyter), "python"))
	must.NoError(t, err)
	if _, err := os.Stat(program); err != nil {
		t.Skipf("this needs Python with pandas, openpyxl and PyArrow: run `make venv` first (%v)", err)
	}
	return pythonKernel{program: program, folder: t.TempDir()}
}

func (k pythonKernel) Evaluate(ctx context.Context, _ string, expressions map[string]string) (map[string]any, error) {
	const show = "\nimport json, sys\nprint(json.dumps(eval(sys.stdin.read())._repr_mimebundle_()))"
	// A kernel has started before it is asked. The start of this Python, with pandas, takes a busy machine many seconds.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, k.program, "-c", k.code+show)
	cmd.Dir, cmd.Stdin, cmd.Stderr = k.folder, strings.NewReader(expressions["inspect"]), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run Python: %w", err)
	}
	var data map[string]any
	err = json.Unmarshal(out, &data)
	return map[string]any{"inspect": map[string]any{"status": "ok", "data": data}}, err
}

func (pythonKernel) Status(context.Context) string            { return "idle" }
func (pythonKernel) Language(context.Context) (string, error) { return "python", nil }

// figures returns the missing values, the figures with the named keys, and the notes of a file.
func (k pythonKernel) figures(t *testing.T, opt inspect.PreviewOptions, keys ...string) (string, inspect.Preview) {
	t.Helper()
	p, _, err := inspect.File(t.Context(), k, opt)
	must.NoError(t, err, must.Sprint(opt.Path))
	return string(p.Missing) + " " + chosen(t, p.Figures, keys), p
}

// chosen returns the figures with the named keys, by column.
func chosen(t *testing.T, figures json.RawMessage, keys []string) string {
	t.Helper()
	var all map[string]map[string]any
	must.NoError(t, json.Unmarshal(figures, &all))
	out := map[string][]any{}
	for column, figure := range all {
		for _, key := range keys {
			out[column] = append(out[column], figure[key])
		}
	}
	return jsonOf(t, out)
}

func TestPreviewCounts(t *testing.T) {
	t.Parallel()
	k := python(t)
	make := k
	make.code = `import sqlite3
db = sqlite3.connect('a.db')
db.execute('create table t ("a ""b" text, "A" int, raw blob, "any")')
db.executemany('insert into t values (?, ?, ?, ?)', [(None, 1, b'x' * 500, 1.5), ('x', 1, b'x' * 500, 'text'), ('x', None, b'x' * 499 + b'y', None)])
db.commit()
for name, text in {
    'a.csv': 'id,name,value,a,a,"x"" , y"\n1,x,1.5,,\n2,x,NA,1,\n\n3,,2.5\n3,y,2.50,1,,longer,than\n',
    'a.tsv': 'a\tb\n' + 'z' * 200 + '1\t\n' + 'z' * 200 + '2\t\n' + 'z' * 200 + '2\t\n',
    'late.csv': 'a\n' + '1\n' * 1500 + 'x\n',
    'none.csv': 'a,b',
    'a.jsonl': '{"a": [1, 2], "b": 1}\n{"a": [1, 2], "b": null}\n{"a": {"x": 1, "y": 2}, "b": NaN}\nnot json\n{"a": {"y": 2, "x": 1}, "b": 2.5}\n[1]\n',
    'huge.csv': 'n,s\n' + ''.join('%d,same\n' % i for i in range(100_001)),
    'exact.csv': 'n\n' + '7\n' * 100_000,
    'huge.jsonl': '{"n": 1}\n' * 100_001,
    'long.csv': 'a,b\n1,2\n3,' + 'x' * 5_000_000,
    'numbers.jsonl': '{"a": %s, "b": 1e308, "c": "x"}\n' % ('9' * 400) * 2 + '{"a": 1, "b": 1e308, "c": 2}\n',
}.items():
    with open(name, 'w') as f: f.write(text)
import datetime, openpyxl
book = openpyxl.Workbook()
for row in ['a', 'b', None], [1, datetime.datetime(2024, 1, 1), 'x' * 200], [None] * 3, [2, True, 'x' * 201]: book.active.append(row)
for row in book.active.iter_rows(min_row=5, max_row=300): row[0].number_format = '0.00'
book.save('a.xlsx')`
	_, err := make.Evaluate(t.Context(), "", map[string]string{"inspect": "__import__('types').SimpleNamespace(_repr_mimebundle_=dict)"})
	must.NoError(t, err)
	for path, want := range map[string]string{
		"a.csv":    `{"id":0,"name":1,"value":1,"a":2,"a #2":4,"x\" , y":3} {"a":[1,1,1,null],"a #2":[0,null,null,null],"id":[3,1,3,null],"name":[2,null,null,"x"],"value":[2,1.5,2.5,null],"x\" , y":[1,null,null,"longer"]}`,
		"a.tsv":    `{"a":0,"b":3} {"a":[2,null,null,"` + strings.Repeat("z", 100) + `…"],"b":[0,null,null,null]}`,
		"late.csv": `{"a":0} {"a":[2,null,null,"1"]}`,
		"none.csv": `{"a":0,"b":0} {"a":[0,null,null,null],"b":[0,null,null,null]}`,
		"a.jsonl":  `{"a":1,"b":3,"value":4} {"a":[2,null,null,"[1, 2]"],"b":[2,1,2.5,null],"value":[1,null,null,"[1]"]}`,
		"a.db":     `{"a \"b":1,"A":1,"raw":0,"any":1} {"A":[1,1,1,null],"a \"b":[1,null,null,"x"],"any":[2,null,null,1.5],"raw":[2,null,null,"` + "b'" + strings.Repeat("x", 97) + `……"]}`,
		"a.xlsx":   `{"a":1,"b":1,"Unnamed: 2":1} {"Unnamed: 2":[2,null,null,"` + strings.Repeat("x", 100) + `…"],"a":[2,1,2,null],"b":[2,null,null,"2024-01-01T00:00:00"]}`,

		"numbers.jsonl": `{"a":0,"b":0,"c":0} {"a":[2,1,"` + strings.Repeat("9", 400) + `",null],"b":[1,1e+308,1e+308,null],"c":[2,null,null,"x"]}`,
		"exact.csv":     `{"n":0} {"n":[1,7,7,null]}`,
	} {
		got, p := k.figures(t, inspect.PreviewOptions{Path: path}, "unique", "min", "max", "top")
		test.Eq(t, want, got, test.Sprint(path))
		test.StrNotContains(t, strings.Join(p.Notes, "\n"), "counted", test.Sprint(path))
		must.NotNil(t, p.Rows, must.Sprint(path))
	}
	_, p := k.figures(t, inspect.PreviewOptions{Path: "long.csv"})
	test.SliceContains(t, p.Notes, "missing and distinct values are counted of the first 2 rows")
	// A slow machine counts fewer rows in its time.
	for _, path := range []string{"huge.csv", "huge.jsonl"} {
		_, p := k.figures(t, inspect.PreviewOptions{Path: path})
		must.SliceNotEmpty(t, p.Notes, must.Sprint(path))
		note := p.Notes[len(p.Notes)-1]
		test.RegexMatch(t, regexp.MustCompile(`^missing and distinct values are counted of the first ([1-9][0-9]{0,2},)?[0-9]{3} rows$`), note)
	}
}

// A workbook, a Parquet file and a Feather file have the same figures as the data frame that they were written from.
func TestPreviewAsFrame(t *testing.T) {
	t.Parallel()
	k := python(t)
	frame := k
	frame.code = `import pandas as pd
df = pd.DataFrame({
    'n': [1, 2, 2, None, 5], 'i': [7, 7, 8, 9, 7], 's': ['x', 'y', 'y', None, 'z'], 'ok': [True, False, True, False, True],
    'when': pd.to_datetime(['2024-01-01', '2024-01-02 10:00', None, '2024-01-02', '2024-01-05'], format='ISO8601'), 'gone': [None] * 5})
df.to_parquet('a.parquet', row_group_size=2); df.to_feather('a.feather'); df.to_excel('a.xlsx', index=False)
big = pd.DataFrame({'n': range(100_001)})
big.to_parquet('big.parquet', row_group_size=30_000)`
	keys := []string{"count", "mean", "std", "min", "25%", "50%", "75%", "max", "unique", "top", "freq"}
	f, err := inspect.DataFrame(t.Context(), frame, "df", inspect.TableOptions{})
	must.NoError(t, err)
	want := string(f.Missing) + " " + chosen(t, f.Figures, keys)
	test.StrContains(t, want, `{"n":1,"i":0,"s":1,"ok":0,"when":1,"gone":5}`)
	test.StrContains(t, want, `"n":[4,2.5,1.7320508075688772,1,1.75,2,2.75,5,3,null,null]`)
	for _, path := range []string{"a.parquet", "a.feather", "a.xlsx"} {
		got, p := k.figures(t, inspect.PreviewOptions{Path: path}, keys...)
		test.Eq(t, want, got, test.Sprint(path))
		test.SliceEmpty(t, p.Notes, test.Sprint(path))
	}
	got, p := k.figures(t, inspect.PreviewOptions{Path: "big.parquet"}, "count", "unique")
	test.Eq(t, `{"n":0} {"n":[100000,100000]}`, got)
	test.Eq(t, []string{"missing and distinct values are counted of the first 100,000 rows"}, p.Notes)
}
