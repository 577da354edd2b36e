package tokens

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/session/textfmt"
)

// Content has the size of a notebook's content.
type Content struct {
	// Cells is the number of cells of all types.
	Cells int
	// Sources are the tokens of the sources.
	Sources int
	// Outputs are the tokens of the readable part of the outputs.
	Outputs int
}

// Total is the sum of the tokens.
func (c Content) Total() int { return c.Sources + c.Outputs }

// Of counts the content of a notebook file of nbformat 4. Each source and each output is first cut to limit characters,
// as by [textfmt.Cut]; 0 means no limit.
func Of(file []byte, limit int) (Content, error) {
	var nb struct {
		Cells []struct {
			Source  nbfile.Text `json:"source"`
			Outputs []output    `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(file, &nb); err != nil {
		return Content{}, fmt.Errorf("read a notebook of %d bytes: %w", len(file), err)
	}
	counted := Content{Cells: len(nb.Cells)}
	for i, cell := range nb.Cells {
		n, err := cut(string(cell.Source), limit)
		if err != nil {
			return Content{}, err
		}
		counted.Sources += n
		for _, o := range cell.Outputs {
			text, err := o.says()
			if err != nil {
				return Content{}, fmt.Errorf("an output of cell %d: %w", i, err)
			}
			if n, err = cut(text, limit); err != nil {
				return Content{}, err
			}
			counted.Outputs += n
		}
	}
	return counted, nil
}

// cut counts the tokens of at most limit characters.
func cut(text string, limit int) (int, error) {
	if limit > 0 {
		text, _ = textfmt.Cut(text, limit)
	}
	return Count(text)
}

// output is an output in a file.
type output struct {
	Type  string                     `json:"output_type"`
	Text  nbfile.Text                `json:"text"`
	Data  map[string]json.RawMessage `json:"data"`
	Name  string                     `json:"ename"`
	Value string                     `json:"evalue"`
}

// readable are the readable forms of an output, the plainest first.
var readable = []string{"text/plain", "text/markdown", "text/latex", "text/html"}

// says returns the readable part of an output, without colours: the text of a stream, the name and the value of an
// error, and only the plainest form of a display or a result. Pictures and data for programs have no readable part.
func (o output) says() (string, error) {
	switch o.Type {
	case "stream":
		return textfmt.Plain(string(o.Text)), nil
	case "error":
		return textfmt.Plain(o.Name + ": " + o.Value), nil
	}
	for _, form := range readable {
		raw, ok := o.Data[form]
		if !ok {
			continue
		}
		var text nbfile.Text
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", fmt.Errorf("%s is no text: %w", form, err)
		}
		if form == "text/html" {
			return textOf(string(text)), nil
		}
		return textfmt.Plain(string(text)), nil
	}
	return "", nil
}

var (
	// unread matches comments, and elements whose content is not text for people.
	unread = regexp.MustCompile(`(?is)<!--.*?-->|<script\b.*?</script\s*>|<style\b.*?</style\s*>`)
	tag    = regexp.MustCompile(`(?s)<[/!?a-zA-Z][^>]*>`)
)

// textOf returns the approximate text of a piece of HTML: without scripts, styles and comments, each tag a gap between
// words, with the entities' characters, and each run of white space one space.
func textOf(page string) string {
	page = unread.ReplaceAllString(page, " ")
	page = tag.ReplaceAllString(page, " ")
	return strings.Join(strings.Fields(html.UnescapeString(page)), " ")
}
