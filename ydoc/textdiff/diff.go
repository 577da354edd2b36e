package textdiff

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Diff returns edits that turn old into new: ascending, with at least one unchanged character between any two.
func Diff(old, new string) []Edit {
	old, new = valid(old), valid(new)
	return edits(old, new, diff(old, new))
}

// diff returns the spans in which valid texts differ.
func diff(old, new string) []span {
	if old == new {
		return nil
	}
	var spans []span
	for _, s := range lineSpans(old, new) {
		spans = refine(spans, old, new, s)
	}
	spans = join(spans)
	for i := range spans {
		lo, hi := 0, len(old)
		if i > 0 {
			lo = spans[i-1].a1 + 1
		}
		if i+1 < len(spans) {
			hi = spans[i+1].a0 - 1
		}
		slide(old, new, &spans[i], lo, hi)
	}
	return spans
}

// maxWords is the largest number of words, of both texts together, for which a changed stretch is compared by words.
const maxWords = 50_000

// refine appends to dst the actual differences inside s, found by words and then by characters.
func refine(dst []span, old, new string, s span) []span {
	s = trim(old, new, s)
	if s.a0 == s.a1 || s.b0 == s.b1 {
		return append(dst, s)
	}
	in := interner{}
	a := in.cut(old[s.a0:s.a1], s.a0, maxWords/2, wordLen)
	b := in.cut(new[s.b0:s.b1], s.b0, maxWords/2, wordLen)
	if a == nil || b == nil {
		return append(dst, s)
	}
	first := len(dst)
	for _, d := range lcs.DiffRunes(a.ids, b.ids) {
		w := span{a.starts[d.Start], a.starts[d.End], b.starts[d.ReplStart], b.starts[d.ReplEnd]}
		// Blanks and signs between two changes, without a word, match by chance.
		if last := len(dst) - 1; last >= first && chance(old[dst[last].a1:w.a0], dst[last], w) {
			dst[last].a1, dst[last].b1 = w.a1, w.b1
			continue
		}
		dst = append(dst, w)
	}
	for i := first; i < len(dst); i++ {
		dst[i] = trim(old, new, dst[i])
	}
	return dst
}

// chance reports whether the text between two changes is only blanks and signs, and shorter than both.
func chance(between string, left, right span) bool {
	if n := len(between); n >= max(left.a1-left.a0, left.b1-left.b0) || n >= max(right.a1-right.a0, right.b1-right.b0) {
		return false
	}
	return !strings.ContainsFunc(between, func(r rune) bool { return wordRune(r) || r == '\n' })
}

// trim removes the common beginning and end of the two texts of s.
func trim(old, new string, s span) span {
	n := EqualPrefix(old[s.a0:s.a1], new[s.b0:s.b1])
	// The cut must be between characters in both full texts.
	for n > 0 && (!clusterBoundary(old, s.a0+n) || !clusterBoundary(new, s.b0+n)) {
		n--
	}
	s.a0 += n
	s.b0 += n
	n = EqualSuffix(old[s.a0:s.a1], new[s.b0:s.b1])
	for n > 0 && (!clusterBoundary(old, s.a1-n) || !clusterBoundary(new, s.b1-n)) {
		n--
	}
	s.a1 -= n
	s.b1 -= n
	return s
}

// join merges spans that touch and drops empty ones.
func join(spans []span) []span {
	out := spans[:0]
	for _, s := range spans {
		if s.a0 == s.a1 && s.b0 == s.b1 {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].a1 == s.a0 {
			out[last].a1, out[last].b1 = s.a1, s.b1
			continue
		}
		out = append(out, s)
	}
	return out
}

// Ascending returns the indexes of the longest ascending subsequence of distinct numbers.
func Ascending(numbers []int) []int {
	var tails []int                   // tails[k] is the index of the number that ends the best series of length k+1
	prev := make([]int, len(numbers)) // the index before each in its series
	for i, number := range numbers {
		k, _ := slices.BinarySearchFunc(tails, number, func(t, number int) int { return numbers[t] - number })
		if k > 0 {
			prev[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	for k := len(tails) - 2; k >= 0; k-- {
		tails[k] = prev[tails[k+1]]
	}
	return tails
}
