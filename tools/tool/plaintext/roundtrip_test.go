package plaintext_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/tools/tool/plaintext/plaintest"
)

// hostile are pieces of texts that look like nbduet's own lines, and one that is not valid UTF-8.
var hostile = append(plaintest.Hostile(), "\xff")

// heard returns a text as JSON carries it.
func heard(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// text returns an answer with cells that have the same text as source and as output.
func text(first string, sources ...string) plaintext.Text {
	t := plaintext.Text{First: first}
	for i, s := range sources {
		count := i + 1
		t.Add(plaintext.Source(plaintext.Cell{Index: i, ID: fmt.Sprintf("a%03d", i), Count: &count}, s))
		blocks := plaintext.Outputs([]map[string]any{{"output_type": "stream", "name": "stdout", "text": s}})
		t.Add(blocks...)
	}
	t.Note("the last of it")
	return t
}

// check compares the parsed answer with the sources in it.
func check(t *testing.T, first string, sources ...string) {
	t.Helper()
	for i := range sources {
		sources[i] = heard(sources[i])
	}
	written := text(first, sources...).String()
	said, blocks := plaintest.Parse(written)
	if want := plaintext.Line(first); said != want {
		t.Errorf("the first line is %q, want %q:\n%s", said, want, written)
	}
	cells, _, err := plaintest.Cells(written)
	must.NoError(t, err, must.Sprint(written))
	must.SliceLen(t, len(sources), cells, must.Sprint(written))
	for i, c := range cells {
		test.Eq(t, i, c.Index, test.Sprint(written))
		test.Eq(t, fmt.Sprintf("a%03d", i), c.ID, test.Sprint(written))
		test.Eq(t, i+1, c.Count, test.Sprint(written))
		test.Eq(t, sources[i], c.Source, test.Sprint(written))
	}
	if last := blocks[len(blocks)-1]; last != (plaintest.Block{Head: " the last of it"}) {
		t.Errorf("the last block is %q", last)
	}
	unmistakable(t, written)
}

// lineEnds are the characters that some programs treat as the end of a line.
var lineEnds = regexp.MustCompile("[\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029]")

// unmistakable checks that no text of an answer has a line that seems to begin with the mark, wherever a program ends lines,
// and with invisible characters removed.
func unmistakable(t *testing.T, written string) {
	t.Helper()
	mark := plaintest.Mark(written)
	_, blocks := plaintest.Parse(written)
	for _, b := range blocks {
		for _, line := range lineEnds.Split(b.Body, -1) {
			if strings.HasPrefix(plaintext.Line(line), mark) {
				t.Errorf("%q of a text looks like a line that begins with %q", line, mark)
			}
		}
	}
}

// An answer is read back unchanged, whatever the cells contain.
func TestRoundTrip(t *testing.T) {
	for _, one := range hostile {
		check(t, "a.ipynb, 2 cells, revision 3kq2", one, "x\n"+one, one+"\n", "\n"+one, "", one+one)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		sources := make([]string, 1+random.IntN(4))
		for i := range sources {
			for range random.IntN(8) {
				sources[i] += hostile[random.IntN(len(hostile))]
			}
		}
		check(t, "a.ipynb, 2 cells, revision 3kq2", sources...)
	}
}

// A first line that begins like a head line is distinguished from one.
func TestFirstLineIsNoHeadLine(t *testing.T) {
	for _, first := range []string{"@@3 4f2a [5].ipynb", "\u200b@@ out.ipynb, 1 cell", "@@@@@@ .ipynb", "\n@@3.ipynb"} {
		check(t, first, "x = 1", "@@ out")
	}
}

// allMarks returns a line for every possible mark, up to a number.
func allMarks(lines int) string {
	var all strings.Builder
	all.WriteString("@@@\n@@@@\n@@@@@\n@@@@@@")
	for n := range lines {
		fmt.Fprintf(&all, "\n%s%d:", "@@", n)
	}
	return all.String()
}

// The mark of a text that contains very many marks is the first one that it does not contain.
func TestManyMarksAreTaken(t *testing.T) {
	const lines = 32_000
	if got, want := plaintest.Mark(text("a.ipynb", allMarks(lines)).String()), fmt.Sprintf("@@%d:", lines); got != want {
		t.Errorf("the mark is %q, want %q", got, want)
	}
}

// BenchmarkManyMarks shows that the time to find the mark grows linearly with the text, not with the square of its lines.
func BenchmarkManyMarks(b *testing.B) {
	for _, lines := range []int{2_000, 32_000} {
		all := text("a.ipynb", allMarks(lines))
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			b.SetBytes(int64(len(all.Blocks[0].Body)))
			for b.Loop() {
				_ = all.String()
			}
		})
	}
}

// FuzzRoundTrip compares the parsed answer with the written one, for a source, another one, and a path.
func FuzzRoundTrip(f *testing.F) {
	for _, one := range hostile {
		f.Add("a.ipynb", one, "x\n"+one+"\n")
		f.Add(one+".ipynb", "x", one)
	}
	f.Fuzz(func(t *testing.T, path, a, b string) {
		check(t, heard(path)+", 2 cells, revision 3kq2", a, b)
	})
}
