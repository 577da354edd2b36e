package session

import "strings"

// folder applies the control characters of a terminal that a notebook honours,
// as JupyterLab shows them: a backspace takes away the character before it in
// its line, and what follows a carriage return is written over the line from
// its start. A return at the very end stays in the text and waits for what
// will follow it.
//
// Notebooks hold the folded text: a tab that receives it from another client
// does not fold it again. The zero folder is at the start of a stream.
type folder struct {
	line     []rune // the last line, which what comes can still change
	at       int    // where the next character goes
	returned bool   // a return has come and nothing after it
}

// last is the last line as it stands in the text.
func (f *folder) last() string {
	if f.returned {
		return string(f.line) + "\r"
	}
	return string(f.line)
}

// write takes in text and returns what stands from the start of the former
// last line on.
func (f *folder) write(text string) string {
	var done strings.Builder
	for _, c := range text {
		switch c {
		case '\n':
			done.WriteString(string(f.line))
			done.WriteByte('\n')
			*f = folder{line: f.line[:0]}
		case '\r':
			f.returned = true
		case '\b':
			f.back()
			if f.at > 0 {
				f.line = append(f.line[:f.at-1], f.line[f.at:]...)
				f.at--
			}
		default:
			f.back()
			if f.at < len(f.line) {
				f.line[f.at] = c
			} else {
				f.line = append(f.line, c)
			}
			f.at++
		}
	}
	done.WriteString(f.last())
	return done.String()
}

func (f *folder) back() {
	if f.returned {
		f.at, f.returned = 0, false
	}
}

// extend takes in text that can only be put behind what stands, which is so
// for nearly all text there is. It reports whether it could; if not, nothing
// was taken in.
func (f *folder) extend(text string) bool {
	if f.returned || f.at != len(f.line) || strings.ContainsAny(text, "\r\b") {
		return false
	}
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		f.line, text = f.line[:0], text[i+1:]
	}
	f.line = append(f.line, []rune(text)...)
	f.at = len(f.line)
	return true
}

// fold folds a whole text.
func fold(text string) string { return new(folder).write(text) }
