package textdiff

import (
	"testing"

	"github.com/shoenig/test"
)

func TestLineEnds(t *testing.T) {
	for name, c := range map[string]struct{ text, like, want string }{
		"none":                {"a\r\nb", "x\ny", "a\nb"},
		"the same":            {"a\nb\n", "a\r\nb\r\n", "a\r\nb\r\n"},
		"one line changed":    {"a\nB\nc", "a\r\nb\r\nc", "a\r\nB\r\nc"},
		"a line added":        {"a\nb\nc", "a\r\nc\r\n", "a\r\nb\r\nc"},
		"a line taken out":    {"a\nc", "a\r\nb\nc", "a\r\nc"},
		"mixed":               {"a\nb\nc\nd!", "a\r\nb\nc\rd", "a\r\nb\nc\rd!"},
		"added to mostly LF":  {"a\nb\nc\nd", "a\nb\nc\r\n", "a\nb\nc\r\nd"},
		"all new":             {"x\ny", "a\r\nb\r\n", "x\r\ny"},
		"nothing left":        {"", "a\r\nb", ""},
		"written with CR, LF": {"a\r\nB", "a\r\nb", "a\r\nB"},
	} {
		t.Run(name, func(t *testing.T) {
			test.Eq(t, c.want, LineEnds(c.text, c.like))
		})
	}
}
