package plaintext

import (
	"strings"

	"github.com/samber/lo"
)

// Table writes rows beneath their column names, separated by tabs. Each field is one line without tabs.
func Table(columns []string, rows [][]string) string {
	return strings.Join(lo.Map(append([][]string{columns}, rows...), func(row []string, _ int) string { return tabbed(row) }), "\n")
}

func tabbed(fields []string) string {
	return strings.Join(lo.Map(fields, func(f string, _ int) string { return strings.ReplaceAll(Line(f), "\t", " ") }), "\t")
}
