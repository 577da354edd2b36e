package srcbook_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/analysis/srcbook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func encode(t *testing.T, nb srcbook.Notebook) string {
	t.Helper()
	text, err := srcbook.Encode(nb)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Encode writes exactly srcbook's format.
func TestEncode(t *testing.T) {
	got := encode(t, srcbook.Notebook{
		Title: "analysis", Language: "python",
		Cells: []srcbook.Cell{
			{ID: "intro", Type: "markdown", Source: "# Sales\n\nBy month."},
			{ID: "load", Type: "code", Source: "import csv\nprint('```')"},
			{ID: "r", Type: "raw", Source: "as it is"},
		},
	})
	want := strings.Join([]string{
		`<!-- srcbook:{"language":"python","notebook":{"first":{"id":"intro"}}} -->`, "",
		"# Sales", "", "By month.", "",
		"###### load.py", "", "````python", "import csv", "print('```')", "````", "",
		`<!-- cell:{"id":"r","type":"raw"} -->`, "```text", "as it is", "```", "",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// hard are texts that look like parts of the format.
var hard = []string{
	"", " ", "\n", "\n\n", "x", "x\n", "\n x \n\n", "  indented", "# Title", "# ", "#", "# T\n\n# Second", "Setext\n===",
	"###### a.py", "###### a.py\n\n```python\n1\n```", "###### a\n\n[a](./src/a)", "###### package.json\n\n```json\n{}\n```",
	"```\nopen", "```\n```", "````\n```\n````", "~~~\nx\n~~~", "~~~ `a`\n~~~", "`````", "a ```` b", "```py thon\n1\n```\n###### b.py",
	`<!-- cell:{"id":"x"} -->`, `<!-- cell:{"lines":9} -->`, `<!-- srcbook:{"language":"python"} -->`, "<!-- cell:{} -->\n```\nx\n```", "-->", "<script>1</script>",
	"größer ≠ 𝒳 👩‍👩‍👧 \u0301", "\u2028 \u00a0", "tab\there", strings.Repeat("long line ", 500), "- a\n\n\n\n- b", "\ufeffbom",
}

// Any cells come back unchanged, in any order.
func TestRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	check := func(name string, nb srcbook.Notebook) {
		t.Helper()
		text := encode(t, nb)
		got, err := srcbook.Decode(text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		must.Eq(t, nb.Cells, got.Cells, must.Sprint(name, text))
		must.Eq(t, nb.Language, got.Language, must.Sprint(name, text))
		must.Eq(t, nb.Metadata, got.Metadata, must.Sprint(name, text))
	}
	for i, source := range hard {
		for _, kind := range []string{"code", "markdown", "raw"} {
			check(fmt.Sprint(i, kind), srcbook.Notebook{Title: source, Language: "python", Cells: []srcbook.Cell{{ID: "a", Type: kind, Source: source}}})
		}
	}
	for n := range 3_000 {
		nb := srcbook.Notebook{Title: "t", Language: []string{"python", "javascript", "", "c++", "json"}[random.IntN(5)]}
		for i := range random.IntN(6) {
			c := srcbook.Cell{ID: fmt.Sprintf("c%d", i), Type: []string{"code", "markdown", "raw"}[random.IntN(3)]}
			for range random.IntN(4) {
				c.Source += hard[random.IntN(len(hard))] + []string{"", "\n", "\n\n"}[random.IntN(3)]
			}
			switch random.IntN(6) {
			case 0:
				c.ID = []string{"a b", "x/y", "#", "v1.2", "", "package", "-->"}[random.IntN(7)]
			case 1:
				c.Metadata = map[string]any{"tags": []any{"-->", "x"}, "collapsed": true}
			}
			if c.Type != "code" && c.ID == "" {
				c.ID = "z"
			}
			nb.Cells = append(nb.Cells, c)
		}
		check(fmt.Sprint("random ", n), nb)
	}
}

// A file written by srcbook is read by srcbook's rules.
func TestDecodeSrcbook(t *testing.T) {
	text := "<!-- srcbook:{\"language\":\"typescript\",\"tsconfig.json\":\"{}\"} -->\r\n\r\n# Trees\r\n\r\n###### package.json\r\n\r\n```json\r\n{\"type\":\"module\"}\r\n```\r\n\r\n" +
		"## Why\r\n\r\nBecause:\r\n\r\n```ts\r\n###### not.ts\r\n```\r\n\r\n###### tree-node.ts\r\n\r\n```typescript\r\nclass TreeNode {\r\n}\r\n```\r\n\r\nThe end.\r\n"
	nb, err := srcbook.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []srcbook.Cell{
		{Type: "markdown", Source: "# Trees"},
		{Type: "raw", Source: `{"type":"module"}`, Metadata: map[string]any{"filename": "package.json"}},
		{Type: "markdown", Source: "## Why\n\nBecause:\n\n```ts\n###### not.ts\n```"},
		{ID: "tree-node", Type: "code", Source: "class TreeNode {\n}"},
		{Type: "markdown", Source: "The end."},
	}
	test.Eq(t, "typescript", nb.Language)
	test.Eq(t, want, nb.Cells)
}

// Text that is not a srcbook file is refused with the line.
func TestDecodeRefuses(t *testing.T) {
	const head = "<!-- srcbook:{\"language\":\"python\"} -->\n\n# T\n\n"
	for text, want := range map[string]string{
		"":                                    "line 2: the file does not begin with",
		"# Title\n":                           "line 1: the file does not begin with",
		"\n<!-- srcbook:{] -->":               "line 2: the srcbook comment is not a JSON",
		head + "###### a.py\n\n```\n1\n":      "line 7: the block that begins here with ``` is not closed",
		head + "###### a.py\n[a.py](./a.py)":  "line 6: the code of a.py is in another file",
		head + `<!-- cell:{"lines":7} -->`:    "line 6: the comment above announces a cell of 7 lines, but 0 are left",
		head + `<!-- cell:{"lines":-1} -->`:   "announces a cell of -1 lines",
		head + `<!-- cell:{"type":"raw"} -->`: "line 6: no fenced block follows",
		head + `<!-- cell:{"type":"x"} -->`:   `line 6: unknown type "x"`,
		head + `<!-- cell:{"id":1} -->`:       "line 5: the cell comment is not a JSON object",
	} {
		_, err := srcbook.Decode(text)
		var e *srcbook.Error
		must.True(t, errors.As(err, &e), must.Sprint(text))
		test.StrContains(t, err.Error(), want, test.Sprint(text))
	}
}

func TestLanguages(t *testing.T) {
	for name, want := range map[string]srcbook.Language{
		"python":     {"python", ".py", "text/x-python"},
		"JavaScript": {"javascript", ".js", "application/javascript"},
		"R":          {"r", ".r", "text/x-r"},
		"C++17":      {"c++", ".cpp", "text/x-c++src"},
		"Brainfuck":  {"brainfuck", ".txt", "text/plain"},
		"":           {"", ".txt", "text/plain"},
	} {
		if got := srcbook.LanguageOf(name); got != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// No input makes Decode panic, and its result can be encoded and decoded again.
func FuzzDecode(f *testing.F) {
	for _, h := range hard {
		f.Add("<!-- srcbook:{\"language\":\"python\"} -->\n\n# T\n\n" + h)
	}
	f.Fuzz(func(t *testing.T, text string) {
		nb, err := srcbook.Decode(text)
		if err != nil || nb.Metadata != nil {
			return
		}
		again, err := srcbook.Encode(nb)
		if err != nil {
			return
		}
		if _, err := srcbook.Decode(again); err != nil {
			t.Errorf("%v: %q", err, again)
		}
	})
}
