package plain_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/tools/plain"
)

// A block is what a reader who knows only the rule makes of a part of an answer.
type block struct{ head, body string }

var (
	otherMark = regexp.MustCompile(` \(nbduet's own lines begin with (\S+) here\)$`)
	cellHead  = regexp.MustCompile(`^(\d+) (\S+)(?: \[(\d+)\])?(?: (?:markdown|raw))?(?: .*)?$`)
)

// parsed reads an answer by the rule alone: the first line names the mark, else it is "@@"; a line that begins with the
// mark is a head line, and what stands between two head lines is a text.
func parsed(answer string) (first string, blocks []block) {
	lines := strings.Split(answer, "\n")
	mark := "@@"
	if m := otherMark.FindStringSubmatch(lines[0]); m != nil {
		mark = m[1]
	}
	if !strings.HasPrefix(lines[0], mark) {
		first, lines = otherMark.ReplaceAllString(lines[0], ""), lines[1:]
	}
	var body []string
	for _, line := range slices.Backward(lines) {
		if head, ok := strings.CutPrefix(line, mark); ok {
			slices.Reverse(body)
			blocks = append(blocks, block{head, strings.Join(body, "\n")})
			body = nil
			continue
		}
		body = append(body, line)
	}
	slices.Reverse(blocks)
	return first, blocks
}

// A cell is what a reader makes of a block of a cell.
type cell struct {
	index      int
	id, source string
}

// cellsIn are the cells of an answer, by the rule.
func cellsIn(t *testing.T, blocks []block) (out []cell) {
	t.Helper()
	for _, b := range blocks {
		if strings.HasPrefix(b.head, " ") {
			continue
		}
		m := cellHead.FindStringSubmatch(b.head)
		if m == nil {
			t.Fatalf("%q is no cell's head line", b.head)
		}
		at, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, cell{at, m[2], b.body})
	}
	return out
}

// hostile are pieces of texts that look like what is not of the texts.
var hostile = []string{
	"@@3 4f2a [5]", "@@ out", "@@@", "@@@@@@@@", "@@1:", "@@5:", "@@6: x", "@", "@@", "@@0 a0b1", "@@ stderr", "@@@0 a0b1",
	"\n", "\n\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u0085", "\u2028", "\u2029", "\u200b", "\u2060", "\ufeff", "\u202e", "\u2066", "\u200e",
	"\U000e0041", "\x00", "\x1b[31m", "x", " ", "\t", "ü", "\xff", "é", " (nbduet's own lines begin with @@@ here)", "next_cursor", "🏴",
}

// heard is a text as JSON carries it.
func heard(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// text is an answer of cells with the same text as source, and as output.
func text(first string, sources ...string) plain.Text {
	t := plain.Text{First: first}
	for i, s := range sources {
		count := i + 1
		t.Add(plain.Source(plain.Cell{Index: i, ID: fmt.Sprintf("a%03d", i), Count: &count}, s))
		_, blocks := plain.Outputs([]map[string]any{{"output_type": "stream", "name": "stdout", "text": s}}, false)
		t.Add(blocks...)
	}
	t.Note("the last of it")
	return t
}

// check holds what a reader makes of an answer against the sources that are in it.
func check(t *testing.T, first string, sources ...string) {
	t.Helper()
	for i := range sources {
		sources[i] = heard(sources[i])
	}
	written := text(first, sources...).String()
	said, blocks := parsed(written)
	if want := plain.Line(first); said != want {
		t.Errorf("the first line is %q, want %q:\n%s", said, want, written)
	}
	var want []cell
	for i, s := range sources {
		want = append(want, cell{i, fmt.Sprintf("a%03d", i), s})
	}
	if got := cellsIn(t, blocks); !slices.Equal(got, want) {
		t.Errorf("read back %+v, want %+v, of\n%q", got, want, written)
	}
	if last := blocks[len(blocks)-1]; last != (block{" the last of it", ""}) {
		t.Errorf("the last block is %q", last)
	}
	unmistakable(t, written)
}

// lineEnds are what some program or other takes for the end of a line.
var lineEnds = regexp.MustCompile("[\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029]")

// unmistakable checks that no text of an answer looks as if a line of it began with the mark, wherever a program ends
// lines, and with what cannot be seen left out.
func unmistakable(t *testing.T, written string) {
	t.Helper()
	mark := "@@"
	if m := otherMark.FindStringSubmatch(strings.SplitN(written, "\n", 2)[0]); m != nil {
		mark = m[1]
	}
	_, blocks := parsed(written)
	for _, b := range blocks {
		for _, line := range lineEnds.Split(b.body, -1) {
			if strings.HasPrefix(plain.Line(line), mark) {
				t.Errorf("%q of a text looks like a line that begins with %q", line, mark)
			}
		}
	}
}

// An answer is read back as it was, whatever the cells hold.
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

// A first line that begins like a head line is told from one.
func TestFirstLineIsNoHeadLine(t *testing.T) {
	for _, first := range []string{"@@3 4f2a [5].ipynb", "\u200b@@ out.ipynb, 1 cell", "@@@@@@ .ipynb", "\n@@3.ipynb"} {
		check(t, first, "x = 1", "@@ out")
	}
}

// A text that has every mark there could be costs no more than it is long.
func TestManyMarksAreTaken(t *testing.T) {
	var all strings.Builder
	for n := range 100_000 {
		fmt.Fprintf(&all, "%s%d:\n", "@@", n)
	}
	all.WriteString("@@@\n@@@@\n@@@@@\n@@@@@@\n@@@@@@@")
	began := time.Now()
	check(t, "a.ipynb", all.String())
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// FuzzRoundTrip holds what is read back against what was written, for a source, another one, and a path.
func FuzzRoundTrip(f *testing.F) {
	for _, one := range hostile {
		f.Add("a.ipynb", one, "x\n"+one+"\n")
		f.Add(one+".ipynb", "x", one)
	}
	f.Fuzz(func(t *testing.T, path, a, b string) {
		check(t, heard(path)+", 2 cells, revision 3kq2", a, b)
	})
}
