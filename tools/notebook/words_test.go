package notebook

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// Merged changes are shown line by line, with a gap between separate changes, and no line looks like one of nbduet's own
// lines.
func TestChangedLines(t *testing.T) {
	given := "a\n" + strings.Repeat("same\n", 9) + "b"
	now := "A\n" + strings.Repeat("same\n", 9) + "@@"
	changed := func(given, now string) string {
		diff, _ := mergedDiff(given, now)
		return plaintext.Changed(diff)
	}
	if got, want := changed(given, now), "-a\n+A\n same\n…\n same\n-b\n+@@"; got != want {
		t.Errorf("the change is shown as\n%s\nwant\n%s", got, want)
	}
	if got, want := changed("a\nb", "a\nb\nc"), " b\n+c"; got != want {
		t.Errorf("a line behind the last one is shown as\n%s\nwant\n%s", got, want)
	}
}
