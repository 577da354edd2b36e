package plaintext

import "strings"

// Changed returns the lines of a unified diff of one text, with "…" between separate parts. It removes the headers, which
// repeat names in the answer and begin with the mark of nbduet's own lines.
func Changed(diff string) string {
	var out []string
	for n, line := range strings.Split(strings.TrimSuffix(diff, "\n"), "\n") {
		switch {
		case n < 2 || strings.HasPrefix(line, `\ `): // the two names, or a missing line end at the end
		case !strings.HasPrefix(line, "@@"):
			out = append(out, line)
		case len(out) > 0:
			out = append(out, "…")
		}
	}
	return strings.Join(out, "\n")
}
