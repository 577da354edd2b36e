package target

import (
	"fmt"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// MaxSourceTotal bounds all text that one call may write, in bytes.
const MaxSourceTotal = 4_000_000

// CheckTotal bounds the total size of the sources of one call's cells.
func CheckTotal[C any](cells []C, source func(C) string) error {
	n := lo.SumBy(cells, func(c C) int { return len(source(c)) })
	return CheckBytes(n)
}

// CheckBytes bounds the text that one call may write, n bytes.
func CheckBytes(n int) error {
	if n > MaxSourceTotal {
		return fmt.Errorf("the contents are %s together, more than the %s allowed in one call: spread them over several calls",
			textfmt.Kilobytes(n), textfmt.Kilobytes(MaxSourceTotal))
	}
	return nil
}
