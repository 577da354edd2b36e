package notebook

import (
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// words returns a line for each notebook: its path, its size, when it was last written.
func (r *ListNbsResult) words() plaintext.Text {
	lines := make([]string, len(r.Notebooks))
	for i, nb := range r.Notebooks {
		line := nb.Path
		if plaintext.Line(line) != line {
			line = textfmt.Quoted(line)
		}
		if nb.Size != nil {
			line += ", " + textfmt.Kilobytes(int(*nb.Size))
		}
		if at, _, _ := strings.Cut(nb.LastModified, "."); at != "" {
			line += ", " + strings.TrimSuffix(at, "Z")
		}
		if !nb.Writable {
			line += ", not writable"
		}
		lines[i] = line
	}
	t := plaintext.Text{First: textfmt.Plural(len(lines), "notebook"), Tail: new(strings.Join(lines, "\n"))}
	if len(lines) == 0 {
		t = plaintext.Text{First: "no notebooks"}
	}
	t.Note(r.Message)
	return t
}
