package textfmt_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/textfmt"
)

// A marked clause is settled or left out, and half a mark is removed with its clause.
func TestHints(t *testing.T) {
	text := "nothing is there" + textfmt.Hint("; find it") + textfmt.Hint(", make it") + "."
	for want, settle := range map[string]func(string) string{
		"nothing is there; find it, make it.": func(c string) string { return c },
		"nothing is there, make it.":          func(c string) string { return strings.TrimPrefix(c, "; find it") },
		"nothing is there.":                   func(string) string { return "" },
	} {
		if got := textfmt.SettleHints(text, settle); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	cut, _, _ := strings.Cut(text, "find")
	if got := textfmt.SettleHints(cut, func(c string) string { return c }); got != "nothing is there" {
		t.Errorf("cut: %q", got)
	}
	if got := textfmt.SettleHints("plain", nil); got != "plain" {
		t.Errorf("%q", got)
	}
}
