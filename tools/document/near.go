package document

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// missing is the error for words that are not in a text, with the most similar lines.
func (r *replacement) missing(text, where string) error {
	head := "old_text is not in " + where + " as it is now; nothing was changed"
	if from, to, ok := loosely(text, r.old); ok {
		exact, _ := textfmt.Cut(text[from:to], 1000)
		return fmt.Errorf("%s: the same words occur with other white space, from line %d on: %s", head, strings.Count(text[:from], "\n")+1, textfmt.Quoted(exact))
	}
	near := nearLines(text, longestLine(r.old))
	if len(near) == 0 {
		return fmt.Errorf("%s, and no line is similar: read it again", head)
	}
	return fmt.Errorf("%s. Most similar: %s", head, strings.Join(near, ", "))
}

// words matches the words between white space.
var words = regexp.MustCompile(`[^ \t\r\n]+`)

// loosely finds old in a text if only white space differs.
func loosely(text, old string) (from, to int, ok bool) {
	want := strings.Fields(old)
	if len(want) == 0 {
		return 0, 0, false
	}
	fields := words.FindAllStringIndex(text, -1)
	for i := 0; i+len(want) <= len(fields); i++ {
		j := 0
		for j < len(want) && text[fields[i+j][0]:fields[i+j][1]] == want[j] {
			j++
		}
		if j == len(want) {
			return fields[i][0], fields[i+j-1][1], true
		}
	}
	return 0, 0, false
}

// longestLine returns the longest line, without surrounding white space.
func longestLine(s string) string {
	lines := strings.Split(s, "\n")
	return strings.TrimSpace(slices.MaxFunc(lines, func(a, b string) int {
		return cmp.Compare(len(strings.TrimSpace(a)), len(strings.TrimSpace(b)))
	}))
}

// nearLines returns the lines of a text that are most similar to one, at most three.
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
	return lo.Map(found[:min(most, len(found))], func(f scored, _ int) string { return lineAt(text, f.at) })
}

// pairs counts the pairs of adjacent letters of a line; a long line is cut.
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
