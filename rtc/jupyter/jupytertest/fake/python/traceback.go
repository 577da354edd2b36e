package python

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// frame is one of a traceback's.
type frame struct {
	file string
	line int
	fn   string // as lowered, "" for the module
}

// frames are those of the program in Starlark's stack, the outermost first. The parts of a body that have become
// functions are no frames of their own, and neither are our builtins.
func (in *Interp) frames(stack starlark.CallStack) []frame {
	out := []frame{}
	for _, f := range stack {
		file := f.Pos.Filename()
		if in.sources[file] == nil {
			continue
		}
		next := frame{file, int(f.Pos.Line), f.Name}
		switch {
		case f.Name == "<toplevel>":
			next.fn = ""
		case strings.HasPrefix(f.Name, mark) && len(out) > 0:
			out[len(out)-1].line = next.line
			continue
		}
		out = append(out, next)
	}
	return out
}

func red(s string) string { return "\x1b[31m" + s + "\x1b[39m" }

// traceback is what IPython shows of an exception.
func (in *Interp) traceback(x *instance) []string {
	if x.syntax != nil {
		return in.syntaxTraceback(x)
	}
	out := []string{red(strings.Repeat("-", 75))}
	type link struct {
		x      *instance
		behind string
	}
	chain := []link{{x, ""}}
	for e := x; len(chain) < 10; {
		switch {
		case e.cause != nil:
			e = e.cause
			chain = append(chain, link{e, "\nThe above exception was the direct cause of the following exception:\n"})
		case e.context != nil:
			e = e.context
			chain = append(chain, link{e, "\nDuring handling of the above exception, another exception occurred:\n"})
		default:
			e = nil
		}
		if e == nil {
			break
		}
	}
	slices.Reverse(chain)
	for i, l := range chain {
		around := 4
		trace := l.x.trace
		if i < len(chain)-1 {
			around = 2
			if len(trace) > 0 && len(x.trace) > 0 && trace[0].file == x.trace[0].file { // IPython shows where the frame is now
				trace = append([]frame{x.trace[0]}, trace[1:]...)
			}
		}
		out = append(out, red(l.x.class.name)+strings.Repeat(" ", max(1, 75-len(l.x.class.name)-len("Traceback (most recent call last)")))+
			"Traceback (most recent call last)")
		for _, f := range trace {
			out = append(out, in.showFrame(f, around))
		}
		out = append(out, red(l.x.class.name)+": "+in.describe(l.x))
		if i < len(chain)-1 {
			out = append(out, l.behind)
		}
	}
	return out
}

func (in *Interp) header(label string, line int) string {
	if !strings.HasPrefix(label, "In[") {
		return fmt.Sprintf("\x1b[36mFile\x1b[39m \x1b[32m%s:%d\x1b[39m", label, line)
	}
	return fmt.Sprintf("\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32m%s\x1b[39m\x1b[32m, line %d\x1b[39m", label, line)
}

// showFrame is a frame with the lines around the one that it is at.
func (in *Interp) showFrame(f frame, around int) string {
	s := in.sources[f.file]
	head := in.header(s.label, f.line)
	first, last := 1, len(s.lines)
	if f.fn != "" {
		d, ok := s.defs[f.fn]
		if ok {
			first, last = d.first, d.last
		} else {
			d = defRange{name: plainName(f.fn), signature: "()"}
		}
		head += ", in \x1b[36m" + d.name + "\x1b[39m\x1b[34m" + d.signature + "\x1b[39m"
	}
	for last > f.line && strings.TrimSpace(s.lines[last-1]) == "" {
		last--
	}
	var b strings.Builder
	b.WriteString(head + "\n")
	for n := max(first, f.line-around); n <= min(last, f.line+around-1, len(s.lines)); n++ {
		if n == f.line {
			arrow := strings.Repeat("-", max(1, 6-len(fmt.Sprint(n))-1)) + "> "
			b.WriteString("\x1b[32m" + arrow + "\x1b[39m\x1b[32m" + fmt.Sprint(n) + "\x1b[39m ")
		} else {
			fmt.Fprintf(&b, "\x1b[32m%7d\x1b[39m ", n)
		}
		b.WriteString(highlight(s.lines[n-1]) + "\n")
	}
	return b.String()
}

// syntaxTraceback is what IPython shows of a SyntaxError.
func (in *Interp) syntaxTraceback(x *instance) []string {
	s := in.sources[x.file]
	line := ""
	if n := x.syntax.line; n >= 1 && n <= len(s.lines) {
		line = s.lines[n-1]
	}
	trimmed := strings.TrimLeft(line, " \t")
	caret := strings.Repeat(" ", 4+max(0, x.syntax.col-1-(utf8.RuneCountInString(line)-utf8.RuneCountInString(trimmed)))) + "^"
	head := "  " + in.header(s.label, x.syntax.line)
	if !strings.HasPrefix(s.label, "In[") {
		head = fmt.Sprintf("  \x1b[36mFile \x1b[39m\x1b[32m%s:%d\x1b[39m", s.label, x.syntax.line)
	}
	return []string{
		head + "\n\x1b[31m    \x1b[39m" + red(trimmed) + "\n" + caret + "\n" + red(x.class.name) + red(":") + " " + x.syntax.msg + "\n",
	}
}

// highlight colours a line as IPython does.
func highlight(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		c := line[i]
		end := i + 1
		switch {
		case c == '#':
			b.WriteString("\x1b[38;5;66;03m" + line[i:] + "\x1b[39;00m")
			return b.String()
		case c == '\'' || c == '"':
			quote := line[i : i+1]
			if strings.HasPrefix(line[i:], strings.Repeat(quote, 3)) {
				quote = strings.Repeat(quote, 3)
			}
			end = i + len(quote)
			for end < len(line) && !strings.HasPrefix(line[end:], quote) {
				if line[end] == '\\' {
					end++
				}
				end++
			}
			end = min(len(line), end+len(quote))
			b.WriteString("\x1b[33m" + line[i:end] + "\x1b[39m")
		case c >= '0' && c <= '9':
			for end < len(line) && (line[end] >= '0' && line[end] <= '9' || line[end] == '.' || line[end] == '_') {
				end++
			}
			b.WriteString("\x1b[32m" + line[i:end] + "\x1b[39m")
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			for end < len(line) && (line[end] == '_' || line[end] >= '0' && line[end] <= '9' || line[end] >= 'a' && line[end] <= 'z' ||
				line[end] >= 'A' && line[end] <= 'Z' || line[end] >= 0x80) {
				end++
			}
			if word := line[i:end]; keywords[word] {
				b.WriteString("\x1b[38;5;28;01m" + word + "\x1b[39;00m")
			} else {
				b.WriteString(word)
			}
		default:
			b.WriteByte(c)
		}
		i = end
	}
	return b.String()
}

// codeNumber is the number that ipykernel's file of a cell has: MurmurHash2 of its text.
func codeNumber(code string) uint32 {
	const m = 0x5bd1e995
	data := []byte(code)
	h := uint32(0xc70f6907) ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := binary.LittleEndian.Uint32(data) * m
		h = h*m ^ (k^k>>24)*m
	}
	switch len(data) {
	case 3:
		h ^= uint32(data[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(data[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(data[0])) * m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}
