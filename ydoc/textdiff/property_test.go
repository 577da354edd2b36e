package textdiff_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// pieces are the parts of random texts: words, signs, line ends, and characters of every width and kind.
var pieces = []string{
	"a", "b", "x", "foo", "bar", "import ", "def f(x):\n", "    return x\n", " = ", "1", "42", "(", ")", ",", " ", "  ", "\t",
	"\n", "\n\n", "\r\n", "é", "e\u0301", "日", "本語", "😀", "👩‍💻", "🇩🇪", "🇩", "\u0301", "\u200d", "\x00", "# note", "'", "ß", "𝒳",
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// edited returns s after a few random changes at code points.
func edited(r *rand.Rand, s string) string {
	for range 1 + r.IntN(3) {
		runes := []rune(s)
		i := r.IntN(len(runes) + 1)
		j := min(i+r.IntN(6), len(runes))
		switch r.IntN(3) {
		case 0:
			j = i
		case 1:
			s = string(runes[:i]) + string(runes[j:])
			continue
		}
		s = string(runes[:i]) + randomText(r, 3) + string(runes[j:])
	}
	return s
}

// checkEdits fails unless the edits turn old into new, ascend, do not touch, change something and split no code
// point.
func checkEdits(tb testing.TB, old, new string, es []textdiff.Edit) {
	tb.Helper()
	if got := textdiff.Apply(old, es); got != new {
		tb.Fatalf("Apply(%q, %v) = %q, want %q", old, es, got, new)
	}
	units := utf16.Encode([]rune(old))
	end := -1
	for _, e := range es {
		must.Greater(tb, end, e.Pos, must.Sprint(es, old))
		must.LessEq(tb, len(units), e.Pos+e.Del, must.Sprint(es, old))
		must.GreaterEq(tb, 0, e.Del, must.Sprint(es, old))
		must.False(tb, e.Del == 0 && e.Ins == "", must.Sprint(es, old))
		must.True(tb, utf8.ValidString(e.Ins), must.Sprint(es, old))
		end = e.Pos + e.Del
		for _, at := range []int{e.Pos, end} {
			if at > 0 && at < len(units) && utf16.IsSurrogate(rune(units[at-1])) && units[at-1] < 0xdc00 {
				tb.Fatalf("edits %v cut a surrogate pair of %q", es, old)
			}
		}
	}
	// The same result in UTF-16, as a document applies it.
	var out []uint16
	at := 0
	for _, e := range es {
		out = append(append(out, units[at:e.Pos]...), utf16.Encode([]rune(e.Ins))...)
		at = e.Pos + e.Del
	}
	if got := string(utf16.Decode(append(out, units[at:]...))); got != new {
		tb.Fatalf("in UTF-16 %v of %q gives %q, want %q", es, old, got, new)
	}
}

func TestDiffLeadsFromOldToNew(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 12_000 {
		old := randomText(r, 20)
		new := edited(r, old)
		if r.IntN(4) == 0 {
			new = randomText(r, 20)
		}
		es := textdiff.Diff(old, new)
		checkEdits(t, old, new, es)
		if old == new && len(es) > 0 {
			t.Fatalf("Diff(%q, itself) = %v", old, es)
		}
	}
}

// TestDiffOfOneChangeIsSmall inserts, deletes or replaces one stretch: the edits are not much larger.
func TestDiffOfOneChangeIsSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 10_000 {
		runes := []rune(randomText(r, 60))
		i := r.IntN(len(runes) + 1)
		j := min(i+r.IntN(10), len(runes))
		ins := randomText(r, 4)
		old := string(runes)
		new := string(runes[:i]) + ins + string(runes[j:])
		es := textdiff.Diff(old, new)
		checkEdits(t, old, new, es)
		touched, inserted := 0, 0
		for _, e := range es {
			touched += e.Del
			inserted += textdiff.UTF16Len(e.Ins)
		}
		// If only a mark changed, a character may be replaced with all its marks, on both sides.
		const slack = 2 * 24
		del := textdiff.UTF16Len(string(runes[i:j]))
		must.LessEq(t, del+slack, touched, must.Sprint(old, new, es))
		must.LessEq(t, textdiff.UTF16Len(ins)+slack, inserted, must.Sprint(old, new, es))
	}
}

func TestMergeWithNothingIsTheOtherSide(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 5_000 {
		base := randomText(r, 15)
		side := edited(r, base)
		es, err := textdiff.Merge(base, base, side)
		if err != nil {
			t.Fatal(err)
		}
		checkEdits(t, base, side, es)
		for _, mine := range []string{base, side} {
			es, err = textdiff.Merge(base, side, mine)
			must.NoError(t, err, must.Sprint(base, side, mine))
			must.LessEq(t, 0, len(es), must.Sprint(base, side, mine))
		}
	}
}

// TestMergeKeepsBothSides merges random changes of both sides: their insertions remain, untouched by my edits, and so
// do mine, and merging in either order has the same conflicts.
func TestMergeKeepsBothSides(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	merged, conflicts := 0, 0
	for range 12_000 {
		base := randomText(r, 25)
		theirs, mine := edited(r, base), edited(r, base)
		es, err := textdiff.Merge(base, theirs, mine)
		_, mirrored := textdiff.Merge(base, mine, theirs)
		if (err == nil) != (mirrored == nil) {
			t.Fatalf("base %q, sides %q and %q: %v, the other way round %v", base, theirs, mine, err, mirrored)
		}
		if err != nil {
			var c *textdiff.Conflict
			must.True(t, errors.As(err, &c))
			must.Nil(t, es)
			checkConflict(t, base, c)
			conflicts++
			continue
		}
		merged++
		result := textdiff.Apply(theirs, es)
		checkEdits(t, theirs, result, es)
		// My edits of their text delete none of their insertions.
		added := map[int]bool{}
		shift := 0
		for _, e := range textdiff.Diff(base, theirs) {
			for i := range textdiff.UTF16Len(e.Ins) {
				added[e.Pos+shift+i] = true
			}
			shift += textdiff.UTF16Len(e.Ins) - e.Del
		}
		for _, e := range es {
			for i := range e.Del {
				if added[e.Pos+i] {
					t.Fatalf("base %q, theirs %q, mine %q: %v deletes what they added", base, theirs, mine, es)
				}
			}
		}
		// And the lengths add up, unless both made the same change.
		if want := len(theirs) + len(mine) - len(base); len(result) != want && !sameChange(base, theirs, mine) {
			t.Fatalf("base %q, theirs %q, mine %q: merged %q", base, theirs, mine, result)
		}
	}
	t.Logf("%d merged, %d conflicts", merged, conflicts)
	test.GreaterEq(t, 2_000, merged)
	test.GreaterEq(t, 2_000, conflicts)
}

func sameChange(base, theirs, mine string) bool {
	for _, a := range textdiff.Diff(base, theirs) {
		for _, b := range textdiff.Diff(base, mine) {
			if a == b {
				return true
			}
		}
	}
	return false
}

func checkConflict(tb testing.TB, base string, c *textdiff.Conflict) {
	tb.Helper()
	if len(c.Spans) == 0 {
		tb.Fatal("a conflict without a place")
	}
	end := -1
	for _, s := range c.Spans {
		from, to := textdiff.ByteOffset(base, s.Pos), textdiff.ByteOffset(base, s.Pos+s.Len)
		must.Greater(tb, end, s.Pos)
		must.Eq(tb, s.Base, base[from:to])
		must.False(tb, s.Theirs == s.Mine && s.Theirs == s.Base)
		end = s.Pos + s.Len
	}
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	es := textdiff.Diff("a\xffb", "a\xffc")
	if got := textdiff.Apply("a\xffb", es); got != "a\uFFFDc" {
		t.Errorf("%q by %v", got, es)
	}
	if _, err := textdiff.Merge("\xff", "\xfe", "\xff\xff"); err != nil {
		t.Error(err)
	}
}

func TestApplyCutsWhatIsOutOfBounds(t *testing.T) {
	for _, c := range []struct {
		es   []textdiff.Edit
		want string
	}{
		{[]textdiff.Edit{{Pos: 99, Del: 9, Ins: "z"}}, "a😀bz"},
		{[]textdiff.Edit{{Pos: -5, Del: 6, Ins: "z"}}, "z😀b"},
		{[]textdiff.Edit{{Pos: 2, Del: 1, Ins: "z"}}, "az😀b"[:1] + "z" + "b"},
		{[]textdiff.Edit{{Pos: 3, Del: 1}, {Pos: 0, Del: 1, Ins: "q"}}, "a😀q"},
	} {
		if got := textdiff.Apply("a😀b", c.es); got != c.want {
			t.Errorf("%v gives %q, want %q", c.es, got, c.want)
		}
	}
}

func TestOffsets(t *testing.T) {
	const s = "a😀é\u0301z"
	for units, want := range []int{0, 1, 1, 5, 7, 9, 10, 10} {
		if got := textdiff.ByteOffset(s, units); got != want {
			t.Errorf("ByteOffset(%q, %d) = %d, want %d", s, units, got, want)
		}
	}
	for offset, want := range []int{0, 1, 1, 1, 1, 3, 3, 4, 4, 5, 6, 6} {
		if got := textdiff.UTF16Offset(s, offset); got != want {
			t.Errorf("UTF16Offset(%q, %d) = %d, want %d", s, offset, got, want)
		}
	}
	test.Eq(t, 0, textdiff.ByteOffset(s, -1), test.Sprint("ends and length"))
	test.Eq(t, 0, textdiff.UTF16Offset(s, -1), test.Sprint("ends and length"))
	test.Eq(t, 6, textdiff.UTF16Len(s), test.Sprint("ends and length"))
}
