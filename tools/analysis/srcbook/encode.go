package srcbook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// The types of cells, as nbformat names them.
const (
	code     = "code"
	markdown = "markdown"
	raw      = "raw"
)

// A Notebook has the parts of a notebook that the format can represent.
type Notebook struct {
	// Title is written if the first cell does not begin with a heading of level 1, because the format requires one.
	// [Decode] leaves it empty if the heading belongs to a cell.
	Title string
	// Language is the language of the code cells, such as "python".
	Language string
	// Metadata is the notebook's, nil for none.
	Metadata map[string]any
	Cells    []Cell
}

// A Cell is a code, markdown or raw cell.
type Cell struct {
	ID       string         // "" from Decode if the cell has no usable name
	Type     string         // "code", "markdown" or "raw"
	Source   string         // with line ends "\n"
	Metadata map[string]any // nil for none
}

// header is the JSON in the comment at the beginning. Srcbook knows only the language; the rest is ours.
type header struct {
	Language string `json:"language"`
	Own      *own   `json:"notebook,omitempty"`
}

type own struct {
	Metadata map[string]any `json:"metadata,omitempty"`
	// First describes the first cell if that begins with the title, because no comment may precede the title.
	First *cellInfo `json:"first,omitempty"`
}

// cellInfo is the JSON in the comment before a cell: the facts that the cell's text does not show.
type cellInfo struct {
	ID       string         `json:"id,omitempty"`
	Type     string         `json:"type,omitempty"` // "raw"; the text shows other types
	Lines    *int           `json:"lines,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

const (
	headerBegin = "<!-- srcbook:"
	infoBegin   = "<!-- cell:"
	commentEnd  = " -->"
	filename    = "###### "
)

// Encode writes a notebook. An error means that its metadata has no JSON form.
func Encode(nb Notebook) (string, error) {
	var b strings.Builder
	head := header{Language: nb.Language, Own: &own{Metadata: nb.Metadata}}
	titled := len(nb.Cells) > 0 && nb.Cells[0].Type == markdown && isTitle(nb.Cells[0].Source)
	if titled {
		m := infoOf(nb.Cells[0])
		head.Own.First = &m
	}
	comment, err := commentOf(headerBegin, head)
	if err != nil {
		return "", fmt.Errorf("write the notebook's metadata: %w", err)
	}
	b.WriteString(comment)
	if !titled {
		b.WriteString("\n\n# " + strings.Join(strings.Fields(nb.Title), " "))
	}
	for i, c := range nb.Cells {
		part, err := encodeCell(c, LanguageOf(nb.Language), titled && i == 0)
		if err != nil {
			return "", fmt.Errorf("write cell %q: %w", c.ID, err)
		}
		b.WriteString("\n\n")
		b.WriteString(part)
	}
	b.WriteString("\n")
	return b.String(), nil
}

// isTitle reports whether a text begins with a heading of level 1.
func isTitle(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(first, "# ") && strings.TrimSpace(first) != "#"
}

// encodeCell writes one cell; described says that its info is written elsewhere.
func encodeCell(c Cell, lang Language, described bool) (string, error) {
	m := infoOf(c)
	body := c.Source
	switch c.Type {
	case code:
		name := c.ID + lang.Extension
		if idOf(name) != c.ID || name == packageFile {
			name = "cell" + lang.Extension
		} else {
			m.ID = ""
		}
		body = filename + name + "\n\n" + fenced(lang.Name, c.Source)
	case raw:
		body = fenced("text", c.Source)
	}
	if described || c.Type == code && m.ID == "" && m.Metadata == nil {
		return body, nil
	}
	comment, err := commentOf(infoBegin, m)
	return comment + "\n" + body, err
}

// infoOf returns the facts that the text of a cell does not show.
func infoOf(c Cell) cellInfo {
	m := cellInfo{ID: c.ID}
	if len(c.Metadata) > 0 {
		m.Metadata = maps.Clone(c.Metadata)
	}
	switch c.Type {
	case raw:
		m.Type = raw
	case markdown:
		if !plainText(c.Source) {
			n := strings.Count(c.Source, "\n") + 1
			m.Lines = &n
		}
	}
	return m
}

// plainText reports whether Decode finds the end of a Markdown cell's text without its number of lines.
func plainText(text string) bool {
	if strings.TrimSpace(text) == "" {
		return false // its comment would be read as the next cell's
	}
	d := decoder{lines: strings.Split(text+"\n\n"+infoBegin+"{}"+commentEnd, "\n")}
	d.begin(cellInfo{})
	return d.cells() == nil && !d.unended && len(d.out) == 2 && d.out[0].Type == markdown && d.out[0].Source == text
}

// fenced puts text between fences that do not occur in it.
func fenced(language, text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + text + "\n" + fence
}

// commentOf writes an HTML comment with JSON in it, on one line. JSON's escape of > keeps the comment's end out.
func commentOf(begin string, v any) (string, error) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return "", err
	}
	return begin + strings.TrimSuffix(b.String(), "\n") + commentEnd, nil
}
