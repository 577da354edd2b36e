package output

import "strings"

// folder applies the terminal control characters that notebooks support, as JupyterLab 4.6 does when it writes a stream
// (outputarea's model): text after a carriage return overwrites the line from its start, and a backspace removes the
// character before it in its line; inside a line it removes the character after it, too.
//
// Notebooks hold the folded text: a tab that receives it from another client does not fold it again. The zero folder is at
// the start of a stream.
type folder struct {
	line []rune // the last line, which later text can still change
	at   int    // where the next character goes
}

// last returns the last line of the text.
func (f *folder) last() string { return string(f.line) }

// write applies text and returns the text from the start of the former last line on.
func (f *folder) write(text string) string {
	var done strings.Builder
	for _, c := range text {
		switch c {
		case '\n':
			done.WriteString(string(f.line))
			done.WriteByte('\n')
			*f = folder{line: f.line[:0]}
		case '\r':
			f.at = 0
		case '\b':
			if f.at > 0 {
				f.line = append(f.line[:f.at-1], f.line[min(f.at+1, len(f.line)):]...)
				f.at--
			}
		default:
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

// extend appends text that changes nothing before it, as nearly all text. It reports whether it could; if not, it has
// changed nothing.
func (f *folder) extend(text string) bool {
	if f.at != len(f.line) || strings.ContainsAny(text, "\r\b") {
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
