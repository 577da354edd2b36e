package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
)

// missing is the error for words that are not in a text, with what stands there that is nearest to them.
func (r *replacement) missing(text, where string) error {
	head := "old_text is not in " + where + " as it is now; nothing was changed"
	if from, to, ok := loosely(text, r.old); ok {
		exact, _ := textfmt.Cut(text[from:to], 1000)
		return fmt.Errorf("%s: the same words stand there with other white space, %s: %s", head, lineOnly(text, from), textfmt.Quoted(exact))
	}
	near := nearLines(text, longestLine(r.old))
	if len(near) == 0 {
		return fmt.Errorf("%s, and nothing there is like it: read it again", head)
	}
	return fmt.Errorf("%s. Nearest to it: %s", head, strings.Join(near, ", "))
}

func lineOnly(text string, at int) string {
	return fmt.Sprintf("from line %d on", strings.Count(text[:at], "\n")+1)
}

// loosely finds old in a text where only white space differs.
func loosely(text, old string) (from, to int, ok bool) {
	want := strings.Fields(old)
	if len(want) == 0 {
		return 0, 0, false
	}
	type field struct{ from, to int }
	var fields []field
	for i := 0; i < len(text); {
		for i < len(text) && isSpace(text[i]) {
			i++
		}
		start := i
		for i < len(text) && !isSpace(text[i]) {
			i++
		}
		if start < i {
			fields = append(fields, field{start, i})
		}
	}
	for i := 0; i+len(want) <= len(fields); i++ {
		j := 0
		for j < len(want) && text[fields[i+j].from:fields[i+j].to] == want[j] {
			j++
		}
		if j == len(want) {
			return fields[i].from, fields[i+j-1].to, true
		}
	}
	return 0, 0, false
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// longestLine is the line that says most.
func longestLine(s string) string {
	lines := strings.Split(s, "\n")
	return strings.TrimSpace(slices.MaxFunc(lines, func(a, b string) int {
		return cmp.Compare(len(strings.TrimSpace(a)), len(strings.TrimSpace(b)))
	}))
}

// nearLines are the lines of a text that are most like one, at most three.
func nearLines(text, like string) []string {
	const (
		most   = 3
		enough = 0.4 // of the pairs of letters
		search = 20_000
	)
	want := pairs(like)
	if len(want) == 0 {
		return nil
	}
	type scored struct {
		line, at int
		score    float64
	}
	var found []scored
	at := 0
	for n, line := range strings.SplitN(text, "\n", search) {
		have := pairs(strings.TrimSpace(line))
		same := 0
		for p, k := range want {
			same += min(k, have[p])
		}
		if score := 2 * float64(same) / float64(total(want)+total(have)); len(have) > 0 && score >= enough {
			found = append(found, scored{n, at, score})
		}
		at += len(line) + 1
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []string
	for _, f := range found[:min(most, len(found))] {
		out = append(out, lineAt(text, f.at))
	}
	return out
}

// pairs counts the pairs of neighbouring letters of a line; a long one is cut.
func pairs(line string) map[string]int {
	line, _ = textfmt.Cut(line, 300)
	runes := []rune(line)
	out := map[string]int{}
	for i := range max(0, len(runes)-1) {
		out[string(runes[i:i+2])]++
	}
	return out
}

func total(counts map[string]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}
