package plaintext

import "strings"

// Changed are the lines of a unified diff of one text, with "…" between those that are apart: without the heads, which
// name nothing that the answer does not, and begin with the mark of nbduet's own lines.
func Changed(diff string) string {
	var out []string
	for n, line := range strings.Split(strings.TrimSuffix(diff, "\n"), "\n") {
		switch {
		case n < 2 || strings.HasPrefix(line, `\ `): // the names of the two, or that there is no last line end
		case !strings.HasPrefix(line, "@@"):
			out = append(out, line)
		case len(out) > 0:
			out = append(out, "…")
		}
	}
	return strings.Join(out, "\n")
}
