package jsonrpc

import (
	"strings"
	"testing"
)

// Half a character is refused, whole ones are not.
func TestLoneSurrogates(t *testing.T) {
	for text, lone := range map[string]string{
		`"\ud83d\ude00"`:              "",
		`"😀 \u00e9 \\ud83d \"\ud7ff"`: "",
		`"\ud83d"`:                    `\ud83d`,
		`"\ude00"`:                    `\ude00`,
		`"\ud83d\\ude00"`:             `\ud83d`,
		`"\ud83d\ud83d\ude00"`:        `\ud83d`,
		`"\\\ud83d x"`:                `\ud83d`,
		`"\uD83D\uDE00\uDE00"`:        `\ude00`,
		"\"\xed\xa0\xbd\"":            "bytes eda0bd",
		"\"\xed\x9f\xbf\"":            "",
		`"\u12"`:                      "",
	} {
		message := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":` + text + `}}`
		m, ok := Read([]byte(message))
		if text == `"\u12"` {
			continue // no JSON
		}
		why, id := m.Wrong()
		if !ok || (lone == "") != (why == "") || !strings.Contains(why, lone) || lone != "" && string(id) != "7" {
			t.Errorf("%s: %q, id %s", text, why, id)
		}
	}
}
