package plaintext

import "strings"

// Table writes rows beneath the names of their columns, with tabs between the fields: each field is one line without tabs.
func Table(columns []string, rows [][]string) string {
	lines := []string{tabbed(columns)}
	for _, row := range rows {
		lines = append(lines, tabbed(row))
	}
	return strings.Join(lines, "\n")
}

func tabbed(fields []string) string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = strings.ReplaceAll(Line(f), "\t", " ")
	}
	return strings.Join(out, "\t")
}
