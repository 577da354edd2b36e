package jsonrpc

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// Half a character is refused; whole characters are not.
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
			continue // not JSON
		}
		why, id := m.Wrong()
		must.True(t, ok, must.Sprint(text))
		test.Eq(t, why == "", lone == "", test.Sprint(text))
		test.StrContains(t, why, lone, test.Sprint(text))
		test.False(t, lone != "" && string(id) != "7", test.Sprint(text))
	}
}
