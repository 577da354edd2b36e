package inspect_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// A fileKernel is a kernel that begins in a folder of its test.
type fileKernel struct {
	testKernel
	folder string
}

func startIn(t *testing.T, s *jupytertest.Server) fileKernel {
	t.Helper()
	name := s.Name(t, "")
	folder := filepath.Join(s.Root, name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return fileKernel{kernelIn(t, s, "python3", name), folder}
}

func (k fileKernel) write(name, content string) {
	k.t.Helper()
	if err := os.WriteFile(filepath.Join(k.folder, name), []byte(content), 0o600); err != nil {
		k.t.Fatal(err)
	}
}

// preview previews a file, and must succeed.
func (k fileKernel) preview(opt inspect.PreviewOptions) inspect.Preview {
	k.t.Helper()
	out, seen, err := inspect.File(k.t.Context(), k, opt)
	if err != nil {
		k.t.Fatalf("%s: %v", opt.Path, err)
	}
	if opt.Data == nil {
		k.seen(opt.Path, out, seen)
	}
	if b := jsonOf(k.t, out); len(b) > 300_000 {
		k.t.Errorf("%s: %d bytes", opt.Path, len(b))
	}
	return out
}

func (k fileKernel) seen(path string, out inspect.Preview, seen inspect.Seen) {
	k.t.Helper()
	info, err := os.Stat(filepath.Join(k.folder, path))
	if err != nil {
		k.t.Fatal(err)
	}
	test.Eq(k.t, info.Size(), out.Size, test.Sprint(path))
	test.Eq(k.t, info.Size(), seen.Size, test.Sprint(path))
	test.LessEq(k.t, time.Millisecond, seen.Modified.Sub(info.ModTime()).Abs(), test.Sprint(path))
}

// refuses previews a file that must be refused, and checks the message.
func (k fileKernel) refuses(opt inspect.PreviewOptions, code string, says ...string) {
	k.t.Helper()
	out, _, err := inspect.File(k.t.Context(), k, opt)
	var r *inspect.Refusal
	if !errors.As(err, &r) || r.Code != code || len(r.Message) > 1000 {
		k.t.Errorf("%s: %v, %s", opt.Path, err, jsonOf(k.t, out))
		return
	}
	for _, want := range says {
		if !strings.Contains(r.Message, want) {
			k.t.Errorf("%s: %q does not say %q", opt.Path, r.Message, want)
		}
	}
}

// shows previews a file and checks its shape, types and first rows.
func (k fileKernel) shows(opt inspect.PreviewOptions, want string) inspect.Preview {
	k.t.Helper()
	out := k.preview(opt)
	got := jsonOf(k.t, []any{out.Shape, out.DTypes, out.Head})
	if got != want {
		k.t.Errorf("%s:\n%s, not\n%s", opt.Path, got, want)
	}
	var columns []string
	err := json.Unmarshal([]byte("["+keys(k.t, out.DTypes)+"]"), &columns)
	must.NoError(k.t, err, must.Sprint(opt.Path))
	test.Eq(k.t, strings.Join(out.Columns, "\n"), strings.Join(columns, "\n"), test.Sprint(opt.Path))
	return out
}

// keys returns the keys of a JSON object, in order.
func keys(t *testing.T, object json.RawMessage) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(object)))
	var out []string
	for {
		tok, err := dec.Token()
		if err != nil {
			break
		}
		if s, ok := tok.(string); ok {
			out = append(out, jsonOf(t, s))
			var v any
			if err := dec.Decode(&v); err != nil {
				t.Fatal(err)
			}
		}
	}
	return strings.Join(out, ",")
}

func TestPreviewText(t *testing.T) {
	t.Parallel()
	k := startIn(t, jupytertest.Shared(t))
	k.write("a.csv", "id,name,value,when,ok,code,gone,day\n1,Ada,1.5,2024-01-31T10:00:00Z,true,007,,2024-01-31\n2,\"Bob, Jr.\",NA,2024-02-01 11:00,False,08,NA,2024-02-01\n\n3,,-2e3,,,9,,")
	k.shows(inspect.PreviewOptions{Path: "a.csv", Rows: 2}, `[[3,8],{"id":"int64","name":"string","value":"float64","when":"datetime","ok":"bool","code":"string","gone":"empty","day":"date"},`+
		`[{"id":1,"name":"Ada","value":1.5,"when":"2024-01-31T10:00:00Z","ok":true,"code":"007","gone":null,"day":"2024-01-31"},{"id":2,"name":"Bob, Jr.","value":null,"when":"2024-02-01 11:00","ok":false,"code":"08","gone":null,"day":"2024-02-01"}]]`)
	k.write("semi.txt", "a;b;a\r\n1,5;x;y\r\n2;\"u\r\nv\";w\r\n")
	p := k.shows(inspect.PreviewOptions{Path: "semi.txt"}, `[[2,3],{"a":"string","b":"string","a #2":"string"},[{"a":"1,5","b":"x","a #2":"y"},{"a":"2","b":"u\r\nv","a #2":"w"}]]`)
	test.Eq(t, ";", p.Delimiter)
	test.Eq(t, "utf-8", p.Encoding)
	test.False(t, p.Truncated)
	must.SliceLen(t, 1, p.Notes)
	test.Eq(t, "csv", p.Format)
	k.write("bom.tsv", "\ufeffä\tb,c\n1\t2")
	k.shows(inspect.PreviewOptions{Path: "bom.tsv"}, `[[1,2],{"ä":"int64","b,c":"int64"},[{"ä":1,"b,c":2}]]`)
	k.write("utf16.csv", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xe9\x00\n\x00")
	k.write("bare16.csv", "a\x00,\x00b\x00\n\x001\x00,\x00\xe9\x00\n\x00")
	for path, encoding := range map[string]string{"utf16.csv": "utf-16", "bare16.csv": "utf-16-le"} {
		if p := k.shows(inspect.PreviewOptions{Path: path}, `[[1,2],{"a":"int64","b":"string"},[{"a":1,"b":"é"}]]`); p.Encoding != encoding {
			t.Errorf("%s", p.Encoding)
		}
	}
	// Another encoding is guessed, and can be named.
	k.write("latin.csv", "a\nna\xefve\n")
	p = k.shows(inspect.PreviewOptions{Path: "latin.csv"}, `[[1,1],{"a":"string"},[{"a":"naïve"}]]`)
	test.Eq(t, "cp1252", p.Encoding)
	test.StrContains(t, p.Notes[0], "guess")
	k.write("sjis.csv", "a\n\x93\xfa\x96\x7b\n")
	k.shows(inspect.PreviewOptions{Path: "sjis.csv", Encoding: "cp932"}, `[[1,1],{"a":"string"},[{"a":"日本"}]]`)
	p = k.preview(inspect.PreviewOptions{Path: "latin.csv", Encoding: "utf-8"})
	test.StrContains(t, string(p.Head), "\ufffd")
	test.StrContains(t, p.Notes[0], "encoding")
	for _, encoding := range []string{"nonsense", "zlib", "base64", "os", "../x", "__main__"} {
		k.refuses(inspect.PreviewOptions{Path: "a.csv", Encoding: encoding}, "invalid_encoding", encoding)
	}
	k.write("data", "x|y\n1|2\n")
	k.shows(inspect.PreviewOptions{Path: "data", Format: "csv"}, `[[1,2],{"x":"int64","y":"int64"},[{"x":1,"y":2}]]`)
	k.shows(inspect.PreviewOptions{Path: "data", Format: "csv", Delimiter: "\t"}, `[[1,1],{"x|y":"string"},[{"x|y":"1|2"}]]`)
	k.refuses(inspect.PreviewOptions{Path: "data"}, inspect.UnsupportedFormat, "jsonl")
	k.write("odd.csv", "a,,b\n1,2,3,4\n5\n")
	if p := k.shows(inspect.PreviewOptions{Path: "odd.csv"}, `[[2,3],{"a":"int64","Unnamed: 1":"int64","b":"int64"},[{"a":1,"Unnamed: 1":2,"b":3},{"a":5,"Unnamed: 1":null,"b":null}]]`); !strings.Contains(p.Notes[0], "more values") {
		t.Errorf("%+v", p)
	}
	k.write("a.jsonl", "{\"a\": 1, \"b\": {\"c\": [1, 2]}}\n\n{\"a\": 2.5, \"d\": null, \"e\": true}\n[1]\nnot json\n{\"a\": 12345678901234567890, \"b\": \"NaN\"}")
	p = k.shows(inspect.PreviewOptions{Path: "a.jsonl", Rows: 9}, `[[5,5],{"a":"float64","b":"object | string","d":"empty","e":"bool","value":"list"},`+
		`[{"a":1,"b":"{\"c\": [1, 2]}","d":null,"e":null,"value":null},{"a":2.5,"b":null,"d":null,"e":true,"value":null},{"a":null,"b":null,"d":null,"e":null,"value":"[1]"},`+
		`{"a":"12345678901234567890","b":"NaN","d":null,"e":null,"value":null}]]`)
	must.SliceLen(t, 1, p.Notes)
	test.StrContains(t, p.Notes[0], "1 line is not JSON")
	k.write("wrong.ndjson", "{\n  \"a\": 1\n}\n")
	k.refuses(inspect.PreviewOptions{Path: "wrong.ndjson"}, inspect.NotReadable, "JSON lines", "first line")
	for _, name := range []string{"none.csv", "none.tsv", "none.jsonl"} {
		k.write(name, "")
		if p := k.shows(inspect.PreviewOptions{Path: name}, `[[0,0],{},[]]`); p.Notes[0] != "the file is empty" {
			t.Errorf("%+v", p)
		}
	}
	k.write("header.csv", "a,b")
	k.shows(inspect.PreviewOptions{Path: "header.csv"}, `[[0,2],{"a":"empty","b":"empty"},[]]`)
}

// Files in the libraries' own output.
func TestPreviewBinary(t *testing.T) {
	t.Parallel()
	s := jupytertest.Shared(t)
	k := startIn(t, s)
	maker := startIn(t, s)
	maker.define("import os; os.chdir(" + jsonOf(t, k.folder) + ")")
	maker.define(`import sqlite3, datetime, decimal, gzip, bz2, lzma
import pyarrow as pa, pyarrow.parquet as pq, pyarrow.feather as feather, openpyxl
D = datetime.datetime
t = pa.table({
    'n': pa.array([1, None, 3], pa.int32()), 'f': [float('nan'), float('inf'), 0.5], 's': ['a', None, 'x' * 5000], 'b': [b'\x00\xff', None, b''],
    'd': pa.array([decimal.Decimal('1.10'), None, decimal.Decimal('2.00')], pa.decimal128(10, 2)),
    'ns': pa.array([1704067200123456789, None, 0], pa.timestamp('ns')), 'us': pa.array([D(2024, 1, 1, 12), None, D(1, 1, 1)], pa.timestamp('us')),
    'tz': pa.array([0, None, 10**9], pa.timestamp('ms', 'Europe/Berlin')), 'far': pa.array([10**14, None, -10**14], pa.timestamp('s')),
    'day': pa.array([datetime.date(2024, 1, 1), None, None]), 'took': pa.array([1500, None, 0], pa.duration('ns')),
    'c': pa.array(['u', 'v', 'u']).dictionary_encode(), 'l': [[1, 2], None, []], 'm': [{'k': 1}, None, {'k': None}]})
pq.write_table(t, 'a.parquet', row_group_size=2)
feather.write_feather(t, 'a.feather')
with pa.OSFile('s.arrow', 'wb') as f, pa.ipc.new_stream(f, t.schema) as w: w.write_table(t)
pq.write_table(t.slice(0, 0), 'none.parquet')
feather.write_feather(pa.table({f'c{i}': [i] for i in range(300)}), 'wide.feather')
pq.write_table(pa.table({f'c{i}': [i] for i in range(300)}), 'wide.parquet')
pq.write_table(pa.table({'n': pa.repeat(7, 20_000_000)}), 'long.parquet')
# A column that says of itself that it unpacks to 8 GB.
feather.write_feather(pa.table({'n': [0] * 12345}), 'bomb.feather')
bomb = open('bomb.feather', 'rb').read(); size = (12345 * 8).to_bytes(8, 'little')
assert bomb.count(size) == 1
open('bomb.feather', 'wb').write(bomb.replace(size, (8 << 30).to_bytes(8, 'little')))
open('half.parquet', 'wb').write(open('a.parquet', 'rb').read()[:-100])

w = openpyxl.Workbook()
a = w.active; a.title = 'First one'
a.append(['id', 'when', None, 'é']); a.append([1, D(2024, 1, 1), 'x', 2.5]); a.append([2, None, True, '=A2+1'])
b = w.create_sheet('Ünï "2"'); b.append(['z']); [b.append([i]) for i in range(500)]
w.create_sheet('empty')
w.save('a.xlsx')

db = sqlite3.connect('a.db')
db.executescript('''create table "it's ""odd""; drop" (id integer primary key, "a ""b" text, raw blob, any);
insert into "it's ""odd""; drop" values (1, 'x', x'00ff', 1.5), (2, null, NULL, 'text'), (3, cast(x'ff' as text), zeroblob(5000000), null);
create view v as select id * 2 as twice from "it's ""odd""; drop";
create view endless as with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) as n from r;
create table "index" (a);''')
db.commit(); db.close()
sqlite3.connect('none.sqlite').execute('vacuum')
os.rename('a.db', 'a'); import shutil; shutil.copy('a', 'a.sqlite3')
for m, e in ((gzip, 'gz'), (bz2, 'bz2'), (lzma, 'xz')):
    with m.open('a.csv.' + e, 'wt') as f: f.write('a,b\n1,2\n')`)
	for _, path := range []string{"a.parquet", "a.feather", "s.arrow"} {
		p := k.preview(inspect.PreviewOptions{Path: path, Rows: 9})
		var rows []map[string]any
		if err := json.Unmarshal(p.Head, &rows); err != nil {
			t.Fatal(err)
		}
		if far, _ := rows[0]["far"].(string); !strings.Contains(far, "00000") { // not a Python date: formatted as Arrow does
			t.Errorf("%s: %v", path, rows[0]["far"])
		}
		delete(rows[0], "far")
		got := jsonOf(t, rows[:2])
		want := `[{"b":"b'\\x00\\xff'","c":"u","d":"1.10","day":"2024-01-01","f":null,"l":"[1, 2]","m":"{'k': 1}","n":1,"ns":"2024-01-01T00:00:00.123456789","s":"a","took":"0:00:00.000001","tz":"1970-01-01T01:00:00+01:00","us":"2024-01-01T12:00:00"},` +
			`{"b":null,"c":"v","d":null,"day":null,"f":"inf","far":null,"l":null,"m":null,"n":null,"ns":null,"s":null,"took":null,"tz":null,"us":null}]`
		if got != want {
			t.Errorf("%s:\n%s, not\n%s", path, got, want)
		}
		dtypes := string(p.DTypes)
		test.StrContains(t, dtypes, `"n":"int32"`, test.Sprint(path))
		test.StrContains(t, dtypes, `"d":"decimal128(10, 2)"`, test.Sprint(path))
		test.StrContains(t, dtypes, `"ns":"timestamp[ns]"`, test.Sprint(path))
		test.False(t, path != "s.arrow" && (p.Rows == nil || *p.Rows != 3))
		test.False(t, path == "s.arrow" && p.Rows != nil)
		test.Eq(t, 14, *p.Shape[1])
	}
	for _, path := range []string{"wide.feather", "wide.parquet"} {
		p := k.preview(inspect.PreviewOptions{Path: path})
		test.Eq(t, 300, *p.Shape[1], test.Sprint(path))
		must.SliceLen(t, inspect.MaxColumns, p.Columns, must.Sprint(path))
		test.True(t, p.Truncated, test.Sprint(path))
		test.StrHasSuffix(t, `"c199":199}]`, string(p.Head), test.Sprint(path))
	}
	k.shows(inspect.PreviewOptions{Path: "long.parquet", Rows: 1}, `[[20000000,1],{"n":"int64"},[{"n":7}]]`)
	k.refuses(inspect.PreviewOptions{Path: "bomb.feather"}, inspect.TooLarge, "memory")
	k.refuses(inspect.PreviewOptions{Path: "half.parquet"}, inspect.NotReadable, "Parquet")
	if p := k.preview(inspect.PreviewOptions{Path: "none.parquet"}); *p.Rows != 0 || string(p.Head) != "[]" || len(p.Columns) != 14 {
		t.Errorf("%s", jsonOf(t, p))
	}

	p := k.shows(inspect.PreviewOptions{Path: "a.xlsx"}, `[[2,4],{"id":"int64","when":"datetime","Unnamed: 2":"bool | string","é":"float64"},[{"id":1,"when":"2024-01-01T00:00:00","Unnamed: 2":"x","é":2.5},{"id":2,"when":null,"Unnamed: 2":true,"é":null}]]`)
	if got := jsonOf(t, []any{p.Sheet, p.Sheets, p.Format}); got != `["First one",["First one","Ünï \"2\"","empty"],"excel"]` {
		t.Errorf("%s", got)
	}
	p = k.preview(inspect.PreviewOptions{Path: "a.xlsx", Sheet: `Ünï "2"`, Rows: 1})
	test.Eq(t, `[{"z":0}]`, string(p.Head))
	test.Eq(t, 500, *p.Rows)
	must.Nil(t, p.Estimate)
	test.Eq(t, 1, *p.Shape[1])
	k.shows(inspect.PreviewOptions{Path: "a.xlsx", Sheet: "empty"}, `[[0,0],{},[]]`)
	k.refuses(inspect.PreviewOptions{Path: "a.xlsx", Sheet: "first one"}, "sheet_not_found", `'First one'`, "'empty'")

	for _, opt := range []inspect.PreviewOptions{{Path: "a"}, {Path: "a.sqlite3", Table: `it's "odd"; drop`}} {
		opt.Table = `it's "odd"; drop`
		k.shows(opt, `[[3,4],{"id":"INTEGER","a \"b":"TEXT","raw":"BLOB","any":"float64 | string"},[{"id":1,"a \"b":"x","raw":"b'\\x00\\xff'","any":1.5},{"id":2,"a \"b":null,"raw":null,"any":"text"},{"id":3,"a \"b":"�","raw":"b'`+strings.Repeat(`\\x00`, 48)+`\\x00\\……","any":null}]]`)
	}
	p = k.preview(inspect.PreviewOptions{Path: "a", Table: "v"})
	if got := jsonOf(t, []any{p.Tables, p.Head, p.Rows}); got != `[["index","it's \"odd\"; drop","endless","v"],[{"twice":2},{"twice":4},{"twice":6}],3]` {
		t.Errorf("%s", got)
	}
	p = k.preview(inspect.PreviewOptions{Path: "a"})
	test.Eq(t, "index", p.Table)
	test.Eq(t, 0, *p.Rows)
	k.refuses(inspect.PreviewOptions{Path: "a", Table: "endless"}, inspect.TooSlow, "view")
	k.refuses(inspect.PreviewOptions{Path: "a", Table: "v; drop table x"}, "table_not_found", "'v'")
	k.refuses(inspect.PreviewOptions{Path: "a", Table: "sqlite_master"}, "table_not_found")
	p = k.preview(inspect.PreviewOptions{Path: "none.sqlite"})
	must.SliceEmpty(t, p.Tables)
	test.StrContains(t, p.Notes[0], "no tables")

	for _, e := range []string{"gz", "bz2", "xz"} {
		k.shows(inspect.PreviewOptions{Path: "a.csv." + e}, `[[1,2],{"a":"int64","b":"int64"},[{"a":1,"b":2}]]`)
	}
	// The same with the file's content instead of its path.
	data, err := os.ReadFile(filepath.Join(k.folder, "a.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	p = k.preview(inspect.PreviewOptions{Path: "elsewhere/b.xlsx", Data: data, Sheet: "empty"})
	test.Eq(t, int64(len(data)), p.Size)
	test.Eq(t, "elsewhere/b.xlsx", p.Path)
	// Another test may have such a file at the moment, but none keeps one.
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left, err := filepath.Glob(filepath.Join(os.TempDir(), "nbduet-*", "file.xlsx"))
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v", left)
		}
	}
}
