package document

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
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

// loosely finds old in a text if only white space differs.
func loosely(text, old string) (from, to int, ok bool) {
	words := lo.Map(strings.Fields(old), func(word string, _ int) string { return regexp.QuoteMeta(word) })
	if len(words) == 0 || len(old) > 20_000 {
		return 0, 0, false
	}
	at := regexp.MustCompile(`(?:^|\s)(` + strings.Join(words, `\s+`) + `)(?:\s|$)`).FindStringSubmatchIndex(text)
	if at == nil {
		return 0, 0, false
	}
	return at[2], at[3], true
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
		enough = 0.4 // of 1 for equal lines
		search = 20_000
		cut    = 120 // characters of a line that are compared
	)
	type scored struct {
		at    int
		score float64
	}
	var found []scored
	at := 0
	like, _ = textfmt.Cut(like, cut)
	for _, line := range strings.SplitN(text, "\n", search) {
		short, _ := textfmt.Cut(strings.TrimSpace(line), cut)
		if score := levenshtein.Similarity(like, short, nil); score >= enough && like != "" {
			found = append(found, scored{at, score})
		}
		at += len(line) + 1
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return lo.Map(found[:min(most, len(found))], func(f scored, _ int) string { return lineAt(text, f.at) })
}
