package textdiff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// maxLines is the largest number of lines compared in either text, without the common beginning and end.
const maxLines = 200_000

// maxAnchorDepth bounds the recursion of the search for lines that occur once.
const maxAnchorDepth = 8

// lineLen returns the length in bytes of the first line of s with its line end.
func lineLen(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}

// lineSpans returns the stretches of whole lines in which the texts differ. Texts of more than maxLines lines differ in
// one stretch.
func lineSpans(old, new string) []span {
	// Equal whole lines at the beginning and end need no comparing.
	pre := strings.LastIndexByte(old[:EqualPrefix(old, new)], '\n') + 1
	suf := EqualSuffix(old[pre:], new[pre:])
	if !lineStart(old, len(old)-suf) || !lineStart(new, len(new)-suf) {
		if i := strings.IndexByte(old[len(old)-suf:], '\n'); i >= 0 {
			suf -= i + 1
		} else {
			suf = 0
		}
	}
	whole := span{pre, len(old) - suf, pre, len(new) - suf}
	in := interner{}
	a := in.cut(old[whole.a0:whole.a1], whole.a0, maxLines, lineLen)
	if a == nil || len(a.ids) == 0 {
		return []span{whole}
	}
	b := in.cut(new[whole.b0:whole.b1], whole.b0, maxLines, lineLen)
	if b == nil || len(b.ids) == 0 {
		return []span{whole}
	}
	m := lineMatcher{a: a.ids, b: b.ids, count: make([]occurrence, len(in))}
	m.match(0, len(a.ids), 0, len(b.ids), 0)
	spans := make([]span, 0, len(m.diffs))
	for _, d := range m.diffs {
		s := span{a.starts[d.Start], a.starts[d.End], b.starts[d.ReplStart], b.starts[d.ReplEnd]}
		if last := len(spans) - 1; last >= 0 && spans[last].a1 == s.a0 && spans[last].b1 == s.b0 {
			spans[last].a1, spans[last].b1 = s.a1, s.b1
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

func lineStart(s string, i int) bool { return i == 0 || s[i-1] == '\n' }

// EqualPrefix returns the length in bytes of the common prefix, regardless of character boundaries.
func EqualPrefix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+64 <= n && a[i:i+64] == b[i:i+64] {
		i += 64
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// EqualSuffix returns the length in bytes of the common suffix.
func EqualSuffix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+64 <= n && a[len(a)-i-64:len(a)-i] == b[len(b)-i-64:len(b)-i] {
		i += 64
	}
	for i < n && a[len(a)-i-1] == b[len(b)-i-1] {
		i++
	}
	return i
}

// lineMatcher compares two sequences of numbered lines. Lines that occur once in both, and in the same order, count
// as unchanged (patience diff); the library searches only between them, because it gives up on long, very different
// stretches. So the time is nearly linear, and one large change does not affect the others.
type lineMatcher struct {
	a, b  []rune
	count []occurrence // by line number, zero outside anchors
	diffs []lcs.Diff
}

type occurrence struct{ inA, inB, atA, atB int32 }

func (m *lineMatcher) match(a0, a1, b0, b1, depth int) {
	for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
		a0++
		b0++
	}
	for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
		a1--
		b1--
	}
	if a0 == a1 || b0 == b1 {
		if a0 < a1 || b0 < b1 {
			m.diffs = append(m.diffs, lcs.Diff{Start: a0, End: a1, ReplStart: b0, ReplEnd: b1})
		}
		return
	}
	if depth < maxAnchorDepth {
		if anchors := m.anchors(a0, a1, b0, b1); len(anchors) > 0 {
			for _, x := range anchors {
				m.match(a0, x[0], b0, x[1], depth+1)
				a0, b0 = x[0]+1, x[1]+1
			}
			m.match(a0, a1, b0, b1, depth+1)
			return
		}
	}
	for _, d := range lcs.DiffRunes(m.a[a0:a1], m.b[b0:b1]) {
		m.diffs = append(m.diffs, lcs.Diff{Start: d.Start + a0, End: d.End + a0, ReplStart: d.ReplStart + b0, ReplEnd: d.ReplEnd + b0})
	}
}

// anchors returns the longest ascending sequence of pairs of lines that occur once in each stretch.
func (m *lineMatcher) anchors(a0, a1, b0, b1 int) [][2]int {
	for i := a0; i < a1; i++ {
		c := &m.count[m.a[i]]
		c.inA++
		c.atA = int32(i)
	}
	for i := b0; i < b1; i++ {
		c := &m.count[m.b[i]]
		c.inB++
		c.atB = int32(i)
	}
	var inA, inB []int
	for i := a0; i < a1; i++ {
		if c := m.count[m.a[i]]; c.inA == 1 && c.inB == 1 {
			inA, inB = append(inA, i), append(inB, int(c.atB))
		}
	}
	for i := a0; i < a1; i++ {
		m.count[m.a[i]] = occurrence{}
	}
	for i := b0; i < b1; i++ {
		m.count[m.b[i]] = occurrence{}
	}
	series := Ascending(inB)
	pairs := make([][2]int, len(series))
	for k, i := range series {
		pairs[k] = [2]int{inA[i], inB[i]}
	}
	return pairs
}
