//go:build !race

package notebook_test

import (
	"fmt"
	"strings"
	"testing"
)

// One output as large as a whole document may be, like [TestVastValues]. The race detector takes more than a minute of two
// processors and a gigabyte for its bytes, and finds nothing in them that it does not find in smaller ones: so this runs
// only without it (VAST in the Makefile).
func TestVastOutput(t *testing.T) {
	const size = 70 << 20
	vastCell{
		metadata: "{}",
		outputs:  fmt.Sprintf(`{"output_type": "stream", "name": "stdout", "text": [%q]}`, strings.Repeat("x", size-1)+"\n"),
		kept:     strings.Repeat("x", size-1),
	}.test(t)
}
