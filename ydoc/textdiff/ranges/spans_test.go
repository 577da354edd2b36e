package ranges

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAdd(t *testing.T) {
	for _, c := range []struct {
		have Set
		part Span
		want Set
	}{
		{nil, Span{3, 3}, nil},
		{nil, Span{3, 5}, Set{{3, 5}}},
		{Set{{3, 5}}, Span{5, 7}, Set{{3, 7}}},
		{Set{{3, 5}}, Span{0, 3}, Set{{0, 5}}},
		{Set{{3, 5}}, Span{0, 2}, Set{{0, 2}, {3, 5}}},
		{Set{{3, 5}, {8, 9}}, Span{4, 8}, Set{{3, 9}}},
		{Set{{3, 5}, {8, 9}, {20, 21}}, Span{6, 7}, Set{{3, 5}, {6, 7}, {8, 9}, {20, 21}}},
		{Set{{3, 5}, {8, 9}}, Span{0, 30}, Set{{0, 30}}},
	} {
		was := slices.Clone(c.have)
		if got := c.have.Add(c.part); !slices.Equal(got, c.want) {
			t.Errorf("%v and %v: %v, want %v", c.have, c.part, got, c.want)
		}
		if !slices.Equal(c.have, was) {
			t.Errorf("adding %v changed the set to %v", c.part, c.have)
		}
	}
}

func TestMissing(t *testing.T) {
	s := Set{{0, 4}, {6, 9}}
	for part, want := range map[Span]int{{0, 4}: -1, {1, 3}: -1, {2, 2}: -1, {5, 5}: -1, {3, 5}: 4, {4, 6}: 4, {4, 5}: 4, {6, 9}: -1, {7, 12}: 9, {20, 30}: 20} {
		if got := s.Missing(part); got != want {
			t.Errorf("%v: %d, want %d", part, got, want)
		}
	}
}

func TestCarry(t *testing.T) {
	for name, c := range map[string]struct {
		marked, now string // the known parts of the old text are in brackets
		own         bool
		want        string
	}{
		"nothing changed":          {"[one] two", "one two", false, "[one] two"},
		"somebody else put before": {"[one] two", "zero one two", false, "zero [one] two"},
		"somebody else put inside": {"[one two] three", "one and two three", false, "[one ]and [two] three"},
		"its own is known":         {"[one two] three", "one and two three", true, "[one and two] three"},
		"its own, none was known":  {"one two", "one 😀 two", true, "one [😀 ]two"},
		"a part is gone":           {"[one two] three", "one three", false, "[one ]three"},
		"behind an emoji":          {"😀[é one] two", "😀😀é one two", false, "😀😀[é one] two"},
		"all is new":               {"[one]", "xyz", false, "xyz"},
		"all is its own":           {"one", "xyz", true, "[xyz]"},
	} {
		old, known := unmark(c.marked)
		if got := mark(c.now, known.Carry(old, c.now, c.own)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestRemoved(t *testing.T) {
	for name, c := range map[string]struct {
		marked, now string
		want        string // the text from the missing byte on
	}{
		"what is known":         {"[one] two", " two", "none"},
		"what is not":           {"[one] two", "one ", "two"},
		"white space":           {"[one]  \n two", "one two", "none"},
		"known and not":         {"[one t]wo three", "three", "wo three"},
		"between two known":     {"[one] two [three]", "", " two three"},
		"what stays":            {"one two three", "one 2 two three", "none"},
		"behind white space":    {"[one] [ two] three", "one", " three"},
		"only the end is known": {"one [two]", "two", "one two"},
	} {
		old, known := unmark(c.marked)
		got := "none"
		if at := known.Removed(old, Span{0, len(old)}, c.now); at >= 0 {
			got = old[at:]
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if at := (Set{{0, 3}}).Removed("one two three", Span{4, 8}, "2 "); at != 4 {
		t.Errorf("a part: %d", at)
	}
}

// Whatever others change in a text, none of their bytes becomes known, and no unchanged known text is forgotten,
// except where an insertion next to it makes it ambiguous.
func TestCarryKnowsNothingNew(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		old := strings.Repeat("a", rnd.IntN(5)) + strings.Repeat("b é\n", rnd.IntN(4)) + strings.Repeat("c", rnd.IntN(3))
		known := Set{}
		for at := range len(old) {
			if rnd.IntN(2) == 0 && (old[at]&0xc0) != 0x80 {
				end := at + 1
				for end < len(old) && old[end]&0xc0 == 0x80 {
					end++
				}
				known = known.Add(Span{at, end})
			}
		}
		at := rnd.IntN(len(old) + 1)
		for at < len(old) && old[at]&0xc0 == 0x80 {
			at++
		}
		now := old[:at] + "XYZ" + old[at:]
		for _, part := range known.Carry(old, now, false) {
			if strings.ContainsAny(now[part.From:part.To], "XYZ") {
				t.Fatalf("%q became %q: %v of it is known", mark(old, known), now, part)
			}
		}
		if got, want := size(known.Carry(old, now, false)), size(known); got != want {
			t.Fatalf("%q became %q: %d bytes of it are known, %d were", mark(old, known), now, got, want)
		}
	}
}

func size(s Set) (n int) {
	for _, part := range s {
		n += part.To - part.From
	}
	return n
}

func unmark(marked string) (text string, known Set) {
	for {
		before, rest, ok := strings.Cut(marked, "[")
		text += before
		if !ok {
			return text, known
		}
		in, after, _ := strings.Cut(rest, "]")
		known = known.Add(Span{len(text), len(text) + len(in)})
		text, marked = text+in, after
	}
}

func mark(text string, known Set) string {
	out, done := "", 0
	for _, part := range known {
		out += text[done:part.From] + "[" + text[part.From:part.To] + "]"
		done = part.To
	}
	return out + text[done:]
}
