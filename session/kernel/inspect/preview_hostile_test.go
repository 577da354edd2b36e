package inspect_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// giant writes a sparse file of size bytes that begins with head.
func (k fileKernel) giant(name, head string, size int64) {
	k.t.Helper()
	k.write(name, head)
	if err := os.Truncate(filepath.Join(k.folder, name), size); err != nil {
		k.t.Fatal(err)
	}
}

// workbook writes an .xlsx of one sheet, whose rows repeat a text, with shared MiB of shared strings.
func (k fileKernel) workbook(name, rows string, times, shared int) {
	k.t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`
	const relation = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	for part, text := range map[string]string{
		"[Content_Types].xml":        types,
		"_rels/.rels":                relation + `officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/_rels/workbook.xml.rels": relation + `worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
			`<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
	} {
		w, err := z.Create(part)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			k.t.Fatal(err)
		}
	}
	raw := func(part, head, again string, times int, tail string) {
		sum := uint32(0)
		if times < 10 { // that of a bomb is never checked
			sum = crc32.ChecksumIEEE([]byte(head + strings.Repeat(again, times) + tail))
		}
		packed := slices.Concat(deflated(k.t, head), bytes.Repeat(deflated(k.t, again), times), deflated(k.t, tail), []byte{3, 0}) // an empty last block
		w, err := z.CreateRaw(&zip.FileHeader{
			Name: part, Method: zip.Deflate, CRC32: sum,
			CompressedSize64: uint64(len(packed)), UncompressedSize64: uint64(len(head) + times*len(again) + len(tail)),
		})
		if err == nil {
			_, err = w.Write(packed)
		}
		if err != nil {
			k.t.Fatal(err)
		}
	}
	raw("xl/worksheets/sheet1.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:B9"/><sheetData>`, rows, times, `</sheetData></worksheet>`)
	if shared > 0 {
		raw("xl/sharedStrings.xml", "", strings.Repeat("x", 1<<20), shared, "")
	}
	if err := z.Close(); err != nil {
		k.t.Fatal(err)
	}
	k.write(name, b.String())
}

// deflated returns a piece of deflated text, which further pieces can follow.
func deflated(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// For any file the answer is short, comes soon, and stays within the memory limit.
func TestPreviewHostileFiles(t *testing.T) {
	t.Parallel()
	k := startIn(t, jupytertest.Shared(t))
	// Files with the names of the readers must not be run.
	for _, name := range []string{"csv", "sqlite3", "codecs", "openpyxl", "pyarrow", "numpy", "gzip", "zipfile"} {
		k.write(name+".py", "open('ran', 'w').close()")
	}
	cut := func(p inspect.Preview, rows string) {
		t.Helper()
		must.Nil(t, p.Rows)
		test.True(t, p.Truncated)
		test.Eq(t, rows, jsonOf(t, p.Head))
		test.StrContains(t, strings.Join(p.Notes, ";"), "longer than")
	}
	long := strings.Repeat("1,", 2048)
	k.giant("rows.csv", "a,b\n"+strings.Repeat("1,2\n", 2000), 2<<30)
	p := k.preview(inspect.PreviewOptions{Path: "rows.csv", Rows: 1})
	must.Nil(t, p.Rows)
	test.Eq(t, `[{"a":1,"b":2}]`, jsonOf(t, p.Head))
	test.StrContains(t, strings.Join(p.Notes, ";"), "row 2001 is longer")
	k.giant("line.csv", long, 1<<30)
	p = k.preview(inspect.PreviewOptions{Path: "line.csv"})
	test.False(t, p.Rows == nil && p.Estimate != nil)
	test.GreaterEq(t, 2048, *p.Shape[1])
	must.SliceLen(t, inspect.MaxColumns, p.Columns)
	test.True(t, p.Truncated)
	k.giant("quote.csv", "a,b\n1,\"x"+strings.Repeat("\nmore", 2_000_000), 2<<30)
	cut(k.preview(inspect.PreviewOptions{Path: "quote.csv"}), `[{"a":1,"b":"x`+strings.Repeat("\\nmore", 39)+"\\nmor…\"}]")
	k.giant("value.tsv", "a\tb\n1\t"+strings.Repeat("x", 5000), 1<<30)
	cut(k.preview(inspect.PreviewOptions{Path: "value.tsv"}), `[{"a":1,"b":"`+strings.Repeat("x", 200)+`…"}]`)
	k.giant("line.jsonl", `{"a": "`+strings.Repeat("x", 5000), 1<<30)
	k.refuses(inspect.PreviewOptions{Path: "line.jsonl"}, inspect.NotReadable, "longer than")
	k.giant("later.jsonl", "{\"a\": 1}\n{\"a\": \""+strings.Repeat("x", 5000), 1<<30)
	cut(k.preview(inspect.PreviewOptions{Path: "later.jsonl"}), `[{"a":1}]`)

	columns := make([]string, 100_000)
	for i := range columns {
		columns[i] = "column " + strconv.Itoa(i)
	}
	k.write("wide.csv", strings.Join(columns, ",")+strings.Repeat("\n"+strings.Repeat("1,", 99_999)+"1", 10))
	p = k.preview(inspect.PreviewOptions{Path: "wide.csv"})
	test.Eq(t, 100_000, *p.Shape[1])
	test.Eq(t, 10, *p.Rows)
	must.SliceLen(t, inspect.MaxColumns, p.Columns)
	test.True(t, p.Truncated)
	k.write("many.csv", "n\n"+strings.Repeat("1\n", 20_000_000))
	p = k.preview(inspect.PreviewOptions{Path: "many.csv"})
	test.False(t, p.Rows == nil && (p.Estimate == nil || *p.Estimate < 18_000_000 || *p.Estimate > 22_000_000))
	test.False(t, p.Rows != nil && *p.Rows != 20_000_000)
	test.False(t, p.Truncated)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(bytes.Repeat([]byte("some,words\n"), 1_000_000)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	k.write("bomb.csv.gz", strings.Repeat(packed.String(), 1000)) // 11 GB
	p = k.preview(inspect.PreviewOptions{Path: "bomb.csv.gz", Rows: 1})
	must.Nil(t, p.Rows)
	test.Eq(t, `[{"some":"some","words":"words"}]`, jsonOf(t, p.Head))

	k.workbook("good.xlsx", "<row><c><v>1</v></c></row>", 3, 0)
	k.shows(inspect.PreviewOptions{Path: "good.xlsx"}, `[[2,1],{"1":"int64"},[{"1":1},{"1":1}]]`)
	k.workbook("row.xlsx", strings.Repeat("<c><v>1</v></c>", 100_000), 2000, 0) // cells without a row
	k.workbook("strings.xlsx", "<row><c><v>1</v></c></row>", 1, 200)
	k.refuses(inspect.PreviewOptions{Path: "strings.xlsx"}, inspect.TooLarge, "200 MiB")
	var r *inspect.Refusal
	_, _, err := inspect.File(t.Context(), k, inspect.PreviewOptions{Path: "row.xlsx"})
	must.True(t, errors.As(err, &r), must.Sprint("row.xlsx"))
	test.False(t, r.Code != inspect.TooSlow && r.Code != inspect.TooLarge, test.Sprint("row.xlsx"))

	k.write("empty.parquet", "")
	k.write("broken.parquet", "PAR1"+strings.Repeat("garbage", 100)+"\xff\xff\xff\x7fPAR1")
	k.write("broken.feather", "ARROW1\x00\x00"+strings.Repeat("\xff", 1000)+"ARROW1")
	k.write("old.feather", "FEA1"+strings.Repeat("\x00", 100))
	k.write("broken.sqlite", "SQLite format 3\x00"+strings.Repeat("\xff", 5000))
	k.write("broken.xlsx", "PK\x03\x04 and no more")
	k.write("old.xls", "\xd0\xcf\x11\xe0")
	k.write("zeros.csv", strings.Repeat("\x00", 1000))
	k.write("deep.jsonl", strings.Repeat("[", 1_000_000)+"\n")
	k.write("cut.csv.gz", packed.String()[:1000])
	for name, code := range map[string]string{
		"empty.parquet": inspect.NotReadable, "broken.parquet": inspect.NotReadable, "broken.feather": inspect.NotReadable, "old.feather": inspect.NotReadable,
		"broken.sqlite": inspect.NotReadable, "broken.xlsx": inspect.NotReadable, "old.xls": inspect.UnsupportedFormat, "zeros.csv": inspect.NotReadable,
		"deep.jsonl": inspect.NotReadable, "cut.csv.gz": inspect.NotReadable, "none.csv": inspect.NotHere, ".": inspect.NotReadable, "a\x00.csv": inspect.NotHere,
	} {
		k.refuses(inspect.PreviewOptions{Path: name}, code)
	}
	k.define("import os; os.mkfifo('pipe.csv')")
	k.refuses(inspect.PreviewOptions{Path: "pipe.csv"}, inspect.NotReadable, "pipe")

	if _, err := os.Stat(filepath.Join(k.folder, "ran")); !os.IsNotExist(err) {
		t.Errorf("a file of the folder was run: %v", err)
	}
	k.define("import resource")
	kib, err := strconv.Atoi(k.eval("resource.getrusage(resource.RUSAGE_SELF).ru_maxrss"))
	must.NoError(t, err)
	test.LessEq(t, 1_500_000, kib)
}
