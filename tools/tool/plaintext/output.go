package plaintext

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"
)

// The heads of blocks of outputs.
const (
	headOut    = " out"
	headStderr = " stderr"
)

// Outputs returns the blocks of a cell's outputs, which have nbformat's form, with the error members of the tools' contract.
// Consecutive texts make one block.
func Outputs(outputs []map[string]any) (blocks []Block) {
	var text strings.Builder
	head := headOut
	flush := func() {
		body := visible(strings.TrimRight(text.String(), "\n"))
		text.Reset()
		if body != "" {
			blocks = append(blocks, Block{head, body})
		}
	}
	put := func(as, s string) {
		if as != head {
			flush()
			head = as
		}
		if text.Len() > 0 && !strings.HasSuffix(text.String(), "\n") && as == headOut && s != "" && !strings.HasPrefix(s, "\n") {
			text.WriteByte('\n') // each display begins on a new line
		}
		text.WriteString(s)
	}
	stream := false // whether the last output was a stream: consecutive ones continue on the same line
	for _, o := range outputs {
		kind, _ := o["output_type"].(string)
		was := stream
		stream = kind == "stream"
		switch kind {
		case "stream":
			as := lo.Ternary(o["name"] == "stderr", headStderr, headOut)
			s := Overwritten(stringOf(o["text"]))
			if was && as == head {
				text.WriteString(s)
			} else {
				put(as, s)
			}
		case "error":
			put(headOut, errorText(o))
		case "display_data", "execute_result":
			data, _ := o["data"].(map[string]any)
			picture := false
			for _, mime := range slices.Sorted(maps.Keys(data)) {
				s := stringOf(data[mime])
				switch {
				case strings.HasPrefix(mime, "image/"):
					flush()
					blocks = append(blocks, Block{Head: " " + strings.Trim(s, "<>")})
					picture = true
				case picture && mime == "text/plain": // describes the picture
					blocks[len(blocks)-1].Body = s
				case strings.HasPrefix(mime, "application/vnd."):
					put(headOut, strings.Trim(s, "<>"))
				default:
					put(headOut, s)
				}
			}
		default:
			put(headOut, stringOf(o["text"]))
		}
	}
	flush()
	return blocks
}

// errorText returns the text of an error.
func errorText(o map[string]any) string {
	var lines []string
	switch trace := o["traceback"].(type) {
	case []string:
		lines = trace
	case []any:
		for _, l := range trace {
			lines = append(lines, stringOf(l))
		}
	}
	if len(lines) > 0 {
		return strings.Join(lines, "\n")
	}
	name, value := stringOf(o["name"]), stringOf(o["value"])
	if name != "" && value != "" {
		name += ": "
	}
	return name + value
}

// visible removes invisible characters from an output.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if isHidden(r) && r != '\u200e' && r != '\u200f' && r != '\u061c' {
			return -1
		}
		return r
	}, s)
}

// Overwritten returns the text that a terminal shows after lines were overwritten, as by progress bars: after a carriage
// return a line is written again from its beginning.
func Overwritten(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		parts := strings.Split(line, "\r")
		shown := []rune(parts[0])
		for _, part := range parts[1:] {
			if over := []rune(part); len(over) >= len(shown) {
				shown = over
			} else {
				copy(shown, over)
			}
		}
		lines[i] = string(shown)
	}
	return strings.Join(lines, "\n")
}

// stringOf returns a string, or a value as JSON, or "" for other types.
func stringOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.RawMessage:
		return string(v)
	}
	return ""
}
