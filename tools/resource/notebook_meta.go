package resource

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/analysis/srcbook"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// notebookMeta describes a notebook, with the names of the resources' contract.
type notebookMeta struct {
	SessionID       string `json:"sessionId"`
	NotebookID      string `json:"notebookId"`
	Pattern         string `json:"pattern,omitempty"`
	CellCount       int    `json:"cellCount"`
	CreatedAt       string `json:"createdAt"`    // when it was opened here
	LastModified    string `json:"lastModified"` // when its content last changed while it was open here
	LastExecuted    string `json:"lastExecuted,omitempty"`
	TotalExecutions int    `json:"totalExecutions"` // of this program's runs, as far as they are still known
	HasErrors       bool   `json:"hasErrors"`       // a cell shows an error
	Path            string `json:"path"`
	Language        string `json:"language,omitempty"`
}

// metaOf describes a notebook.
func (d *Provider) metaOf(o deps.OwnedNotebook) notebookMeta {
	nb := o.Doc.Notebook()
	m := notebookMeta{
		SessionID: o.Session, NotebookID: o.Doc.FileID(), Pattern: patternOf(nb), CellCount: nb.Len(),
		CreatedAt: tool.Stamp(o.Doc.OpenedAt()), LastModified: tool.Stamp(o.Doc.ChangedAt()), Path: o.Doc.Path().String(), Language: languageOf(nb).Name,
	}
	var last time.Time
	for _, r := range d.Manager.RunTable().Runs(o.Doc.Path()) {
		if began := r.Status().Started; !began.IsZero() {
			m.TotalExecutions++
			if began.After(last) {
				last = began
			}
		}
	}
	m.LastExecuted = tool.Stamp(last)
	m.HasErrors = slices.ContainsFunc(nb.Cells(), failed)
	return m
}

// failed reports whether a cell shows an error.
func failed(c ydoc.Cell) bool {
	return slices.ContainsFunc(c.Outputs, func(out ydoc.Output) bool { return out.Type() == "error" })
}

// fields returns the members of the description, with more added.
func (m notebookMeta) fields(more map[string]any) map[string]any {
	out := map[string]any{
		"sessionId": m.SessionID, "notebookId": m.NotebookID, "cellCount": m.CellCount, "createdAt": m.CreatedAt,
		"lastModified": m.LastModified, "totalExecutions": m.TotalExecutions, "hasErrors": m.HasErrors, "path": m.Path,
	}
	if out["pattern"] = nil; m.Pattern != "" {
		out["pattern"] = m.Pattern
	}
	for key, value := range map[string]string{"lastExecuted": m.LastExecuted, "language": m.Language} {
		if value != "" {
			out[key] = value
		}
	}
	maps.Copy(out, more)
	return out
}

// readFields returns fields for an answer to a read, which also names and describes the notebook.
func (m notebookMeta) readFields(more map[string]any) map[string]any {
	out := map[string]any{"name": m.name(), "description": m.about()}
	maps.Copy(out, more)
	return m.fields(out)
}

// about describes the notebook in a line.
func (m notebookMeta) about() string {
	about := "Notebook " + m.Path
	if m.Pattern != "" {
		about += " for the pattern " + m.Pattern
	}
	return about + ", in session " + m.SessionID
}

// name returns the notebook's name in lists.
func (m notebookMeta) name() string {
	if m.Pattern != "" {
		return patternTitle(m.Pattern) + " Notebook"
	}
	return path.Base(m.Path)
}

// patternOf returns the name of the template that a notebook was made from, "" for none.
func patternOf(nb *ydoc.Notebook) string {
	own, _ := nb.Metadata()[analysis.OwnMetadata].(map[string]any)
	pattern, _ := own["pattern"].(string)
	pattern, _ = textfmt.Cut(pattern, 100)
	return pattern
}

// patternTitle formats the name of a pattern for people: "Tree of Thought".
func patternTitle(pattern string) string {
	words := strings.Fields(strings.ReplaceAll(pattern, "_", " "))
	for i, w := range words {
		switch {
		case w == "mcts":
			words[i] = "MCTS"
		case i > 0 && slices.Contains([]string{"of", "a", "the", "and", "in"}, w):
		default:
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

// languageOf returns the language of a notebook's code cells: the language of its kernel, as the notebook names it.
func languageOf(nb *ydoc.Notebook) srcbook.Language {
	metadata := nb.Metadata()
	info, _ := metadata["language_info"].(map[string]any)
	spec, _ := metadata["kernelspec"].(map[string]any)
	name, _ := info["name"].(string)
	other, _ := spec["language"].(string)
	return srcbook.LanguageOf(cmp.Or(name, other))
}

// cellLanguage returns the language of one cell.
func cellLanguage(nb *ydoc.Notebook, c ydoc.Cell) srcbook.Language {
	switch c.Type {
	case ydoc.Code:
		return languageOf(nb)
	case ydoc.Markdown:
		return srcbook.Language{Name: "markdown", Extension: ".md", MIME: "text/markdown"}
	}
	return srcbook.LanguageOf("")
}

// cellFile returns the file name of a cell.
func cellFile(nb *ydoc.Notebook, c ydoc.Cell) string { return c.ID + cellLanguage(nb, c).Extension }

// cellOfFile finds the cell with a file name.
func cellOfFile(nb *ydoc.Notebook, file string) (ydoc.Cell, bool) {
	for i := strings.LastIndexByte(file, '.'); i > 0; i = strings.LastIndexByte(file[:i], '.') {
		if c, ok := nb.Cell(file[:i]); ok && cellFile(nb, c) == file {
			return c, true
		}
	}
	return ydoc.Cell{}, false
}

// cellMeta describes a cell.
func cellMeta(nb *ydoc.Notebook, c ydoc.Cell) map[string]any {
	what := "cell"
	if c.Type != "" {
		what = c.Type + " cell"
	}
	name := render.FirstLine(c.Source)
	if c.Type == ydoc.Markdown {
		name, _, _ = strings.Cut(strings.TrimLeft(c.Source, "# \n"), "\n")
		name, _ = textfmt.Cut(name, render.MaxLine)
	}
	name = cmp.Or(name, c.ID)
	out := map[string]any{
		"cellId": c.ID, "cellType": c.Type, "filename": cellFile(nb, c), "status": cellStatus(c), "hasOutputs": len(c.Outputs) > 0,
		"name": "Cell: " + name, "description": strings.ToUpper(what[:1]) + what[1:] + " of " + path.Base(nb.State().Path),
	}
	if lang := cellLanguage(nb, c).Name; lang != "" {
		out["language"] = lang
	}
	if c.ExecutionCount != nil {
		out["executionCount"] = *c.ExecutionCount
	}
	return out
}

// cellStatus returns "idle" or "running".
func cellStatus(c ydoc.Cell) string { return cmp.Or(c.ExecutionState, ydoc.Idle) }

// runsOf lists the runs of a notebook that the client of ctx may see, the latest first.
func (d *Provider) runsOf(ctx context.Context, doc *session.Document) []*run.Run {
	return slices.DeleteFunc(d.Manager.RunTable().Runs(doc.Path()), func(r *run.Run) bool { return !notebook.Visible(ctx, r) })
}
