package srcbook

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// An Error says what is wrong with a srcbook file.
type Error struct {
	Line   int // counted from 1
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

var (
	headerLine = regexp.MustCompile(`^<!--\s*srcbook:(.+?)\s*-->\s*$`)
	infoLine   = regexp.MustCompile(`^<!-- cell:(\{.*\}) -->$`)
	fenceLine  = regexp.MustCompile("^(`{3,}|~{3,})\\s*([^`]*)$")
	linkLine   = regexp.MustCompile(`^\[[^\]]*\]\([^)]*\)\s*$`)
	validID    = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
)

// packageFile is the name of the cell in which srcbook lists the packages that a notebook needs.
const packageFile = "package.json"

// Decode parses a notebook. An *Error says where the text does not follow the format.
func Decode(text string) (Notebook, error) {
	text = strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\r", "\n")
	d := decoder{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	d.blank()
	var head header
	found := headerLine.FindStringSubmatch(d.line())
	if found == nil {
		return Notebook{}, d.wrong(`the file does not begin with a comment such as <!-- srcbook:{"language":"python"} -->`)
	}
	if err := json.Unmarshal([]byte(found[1]), &head); err != nil {
		return Notebook{}, d.wrong("the srcbook comment is not a JSON object: " + err.Error())
	}
	d.at++
	nb := Notebook{Language: head.Language}
	d.blank()
	if head.Own != nil {
		nb.Metadata = head.Own.Metadata
		if first := head.Own.First; first != nil {
			if err := d.info(*first); err != nil {
				return Notebook{}, err
			}
		} else if title, ok := strings.CutPrefix(d.line()+" ", "# "); ok {
			nb.Title = strings.TrimSpace(title)
			d.at++
		}
	} else if isTitle(d.line()) { // a separate cell, as in srcbook
		d.out = append(d.out, Cell{Type: markdown, Source: strings.TrimRight(d.line(), " ")})
		d.at++
	}
	if err := d.cells(); err != nil {
		return Notebook{}, err
	}
	nb.Cells = d.out
	return nb, nil
}

// decoder reads cells line by line.
type decoder struct {
	lines []string
	at    int
	out   []Cell

	text    []string // of the current Markdown cell
	open    cellInfo
	hasInfo bool // open describes that cell

	unended bool // a fenced block in Markdown does not end
}

// line returns the current line, "" after the end.
func (d *decoder) line() string {
	if d.at < len(d.lines) {
		return d.lines[d.at]
	}
	return ""
}

func (d *decoder) wrong(reason string) error { return &Error{Line: d.at + 1, Reason: reason} }

// blank moves to the next line that is not blank.
func (d *decoder) blank() {
	for d.at < len(d.lines) && strings.TrimSpace(d.lines[d.at]) == "" {
		d.at++
	}
}

// cells reads the remaining lines.
func (d *decoder) cells() error {
	for d.at < len(d.lines) {
		line := d.line()
		if found := infoLine.FindStringSubmatch(line); found != nil {
			var m cellInfo
			if err := json.Unmarshal([]byte(found[1]), &m); err != nil {
				return d.wrong("the cell comment is not a JSON object: " + err.Error())
			}
			d.at++
			if err := d.info(m); err != nil {
				return err
			}
			continue
		}
		if name, ok := strings.CutPrefix(line, filename); ok {
			found, err := d.codeCell(strings.TrimSpace(name))
			if err != nil {
				return err
			}
			if found {
				continue
			}
		}
		d.text = append(d.text, line)
		d.at++
		if fence := fenceLine.FindStringSubmatch(line); fence != nil {
			d.skipBlock(fence[1])
		}
	}
	d.end()
	return nil
}

// info begins the cell that a comment describes, and reads it whole if the comment says where it ends.
func (d *decoder) info(m cellInfo) error {
	d.begin(m)
	switch {
	case m.Type == raw:
		fence := fenceLine.FindStringSubmatch(d.line())
		if fence == nil {
			return d.wrong("no fenced block follows the comment of a raw cell")
		}
		source, err := d.block(fence[1])
		if err != nil {
			return err
		}
		d.hasInfo = false
		d.out = append(d.out, Cell{ID: m.ID, Type: raw, Source: source, Metadata: m.Metadata})
	case m.Type != "":
		return d.wrong(fmt.Sprintf("unknown type %q in a cell comment", m.Type))
	case m.Lines != nil:
		if *m.Lines < 1 || *m.Lines > len(d.lines)-d.at {
			return d.wrong(fmt.Sprintf("the comment above announces a cell of %d lines, but %d are left", *m.Lines, len(d.lines)-d.at))
		}
		d.hasInfo = false
		d.out = append(d.out, Cell{ID: m.ID, Type: markdown, Source: strings.Join(d.lines[d.at:d.at+*m.Lines], "\n"), Metadata: m.Metadata})
		d.at += *m.Lines
	}
	return nil
}

// begin ends the current Markdown cell, and begins another.
func (d *decoder) begin(m cellInfo) {
	d.end()
	d.open, d.hasInfo = m, true
}

// end ends the current Markdown cell, if there is one.
func (d *decoder) end() {
	first, last := 0, len(d.text)
	for first < last && strings.TrimSpace(d.text[first]) == "" {
		first++
	}
	for last > first && strings.TrimSpace(d.text[last-1]) == "" {
		last--
	}
	if d.hasInfo || first < last {
		d.out = append(d.out, Cell{ID: d.open.ID, Type: markdown, Source: strings.Join(d.text[first:last], "\n"), Metadata: d.open.Metadata})
	}
	d.text, d.open, d.hasInfo = nil, cellInfo{}, false
}

// codeCell reads the cell that a heading with a file name begins; false if it is only a heading.
func (d *decoder) codeCell(name string) (bool, error) {
	begin := d.at
	d.at++
	d.blank()
	fence := fenceLine.FindStringSubmatch(d.line())
	if fence == nil {
		if linkLine.MatchString(d.line()) {
			return false, d.wrong(fmt.Sprintf("the code of %s is in another file: export the notebook with inline code", name))
		}
		d.at = begin
		return false, nil
	}
	m := cellInfo{}
	if d.hasInfo && strings.TrimSpace(strings.Join(d.text, "")) == "" {
		m, d.hasInfo, d.text = d.open, false, nil
	}
	d.end()
	source, err := d.block(fence[1])
	if err != nil {
		return false, err
	}
	c := Cell{ID: m.ID, Type: code, Source: source, Metadata: m.Metadata}
	switch {
	case name == packageFile:
		c.Type, c.Metadata = raw, map[string]any{"filename": name}
	case c.ID == "":
		c.ID = idOf(name)
	}
	d.out = append(d.out, c)
	return true, nil
}

// block reads the fenced block that begins at the current line.
func (d *decoder) block(fence string) (string, error) {
	begin := d.at + 1
	end := d.closing(begin, fence)
	if end < 0 {
		return "", d.wrong("the block that begins here with " + fence + " is not closed")
	}
	d.at = end + 1
	return strings.Join(d.lines[begin:end], "\n"), nil
}

// skipBlock adds a block in Markdown as text, so that its lines do not count as cells.
func (d *decoder) skipBlock(fence string) {
	end := d.closing(d.at, fence)
	if end < 0 {
		d.unended = true
		return
	}
	d.text = append(d.text, d.lines[d.at:end+1]...)
	d.at = end + 1
}

// closing finds the line that ends a fenced block, -1 for none.
func (d *decoder) closing(from int, fence string) int {
	for i := from; i < len(d.lines); i++ {
		if line := strings.TrimRight(d.lines[i], " \t"); len(line) >= len(fence) && strings.Trim(line, fence[:1]) == "" {
			return i
		}
	}
	return -1
}

// idOf returns the cell id in a file name, "" for none.
func idOf(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if validID.MatchString(name) {
		return name
	}
	return ""
}
