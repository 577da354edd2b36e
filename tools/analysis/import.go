package analysis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis/srcbook"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// newNotebook is the argument of a tool that makes a notebook from other content.
type newNotebook struct {
	Path string `json:"path" jsonschema:"New notebook, in an existing folder, relative to the server's root folder, such as \"work/notes.ipynb\"; a leading slash is allowed." validate:"min=1,max=path"`
}

type importArgs struct {
	newNotebook
	Content *string `json:"content,omitempty" jsonschema:"The srcbook markdown. Line ends are stored as \\n." validate:"max=4000000"`
	Source  string  `json:"source_path,omitempty" jsonschema:"File to read instead of content, relative to the server's root folder, such as \"work/notes.src.md\"; a leading slash is allowed." validate:"min=1,max=path"`
}

// An ImportResult is the answer of a tool that made a notebook from other content.
type ImportResult struct {
	Message   string   `json:"message"`
	Path      string   `json:"path" jsonschema:"The new notebook, without a leading slash."`
	CellCount int      `json:"cell_count"`
	CellIDs   []string `json:"cell_ids" jsonschema:"Ids of its cells, in order."`
	URI       string   `json:"resource_uri" jsonschema:"Address of the notebook as a resource."`
}

// notebookImport makes notebook_import.
func notebookImport(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "notebook_import",
		Title: "Import a srcbook file",
		Description: "Creates a notebook from srcbook markdown (.src.md), such as a resource notebook://…/srcmd, with the same cells and ids. " +
			"Give either the text or the path of a file on the Jupyter server. Runs and overwrites nothing. Costs little.",
		Output: tool.ResultOf[ImportResult](nil),
		Call: tool.Typed(func(ctx context.Context, args importArgs) (*tool.Answer, error) {
			var content string
			switch {
			case (args.Content == nil) == (args.Source == ""):
				return nil, errors.New("give either content or source_path; nothing was created")
			case args.Content != nil:
				content = *args.Content
			default:
				var err error
				if content, err = fileText(ctx, d, args.Source); err != nil {
					return nil, err
				}
			}
			if err := target.CheckBytes(len(content)); err != nil {
				return nil, err
			}
			nb, err := srcbook.Decode(content)
			if err != nil {
				return nil, fmt.Errorf("this is not srcbook markdown: %w; nothing was created", err)
			}
			out, err := makeNotebook(ctx, d, args.Path, nb)
			if err != nil {
				return nil, err
			}
			out.Message = fmt.Sprintf("Successfully imported %s into %s", textfmt.Plural(out.CellCount, "cell"), document.Named(out.Path))
			return &tool.Answer{Body: out}, nil
		}),
	}
}

// fileText returns the current text of a document, including unsaved edits.
func fileText(ctx context.Context, d *deps.Deps, path string) (string, error) {
	clean, err := document.PathArg("source_path", path)
	if err != nil {
		return "", err
	}
	doc, err := d.Manager.OpenText(ctx, clean)
	if err != nil {
		return "", document.Missing(err, clean)
	}
	defer doc.Release()
	return doc.Text().String(), nil
}

// makeNotebook makes a notebook at an unused path, and opens it.
func makeNotebook(ctx context.Context, d *deps.Deps, path string, nb srcbook.Notebook) (ImportResult, error) {
	clean, err := document.PathArg("path", path)
	if err == nil {
		err = document.FitsType(clean, document.TypeNotebook)
	}
	if err != nil {
		return ImportResult{}, err
	}
	if len(nb.Cells) > nbformat.MaxCells {
		return ImportResult{}, fmt.Errorf("%s are too many: a new notebook can have at most %s; nothing was created", textfmt.Plural(len(nb.Cells), "cell"), textfmt.Thousands(nbformat.MaxCells))
	}
	file := nbformat.Notebook{Metadata: importedMetadata(ctx, d, nb)}
	taken := map[string]bool{}
	for _, c := range nb.Cells {
		cell := ydoc.Cell{ID: c.ID, Type: c.Type, Source: textfmt.Lines(c.Source), Metadata: c.Metadata}
		if taken[c.ID] || !ydoc.ValidID(c.ID) {
			cell.ID = "" // a new one
		}
		taken[c.ID] = true
		file.Cells = append(file.Cells, cell)
	}
	made, err := d.Files.Create(ctx, clean, jupyter.NewContent{Type: "notebook", Format: "json", Content: file.Content()})
	if err != nil {
		return ImportResult{}, document.PlaceError(err, clean)
	}
	doc, err := d.OpenAt(ctx, made.Path)
	if err != nil {
		return ImportResult{}, fmt.Errorf("%s was created, but cannot be opened: %w", textfmt.Quoted(made.Path.String()), err)
	}
	defer doc.Release()
	ids := doc.Notebook().IDs()
	return ImportResult{Path: doc.Path().String(), CellCount: len(ids), CellIDs: append([]string{}, ids...), URI: target.NotebookAddress(render.ImageOwner(ctx), doc.FileID())}, nil
}

// importedMetadata returns the metadata of a new notebook. The format names at least the language, and a kernel for it is
// looked up on the server: without one, JupyterLab asks the person who opens the notebook.
func importedMetadata(ctx context.Context, d *deps.Deps, nb srcbook.Notebook) map[string]any {
	out := map[string]any{}
	for key, v := range nb.Metadata {
		if key == "kernelspec" || key == OwnMetadata {
			out[key] = v
		}
	}
	lang := srcbook.LanguageOf(nb.Language)
	if lang.Name != "" {
		out["language_info"] = map[string]any{"name": lang.Name}
	}
	if spec, ok := out["kernelspec"].(map[string]any); ok && render.IsText(spec["name"]) {
		return out
	}
	delete(out, "kernelspec")
	specs, err := d.Manager.Servers().Runtime.Kernels.Specs(ctx)
	if err != nil {
		return out // JupyterLab asks people then
	}
	for _, name := range append([]string{specs.Default}, slices.Sorted(maps.Keys(specs.Specs))...) {
		if spec, ok := specs.Specs[name]; ok && srcbook.LanguageOf(spec.Spec.Language).Name == lang.Name {
			out["kernelspec"] = map[string]any{"name": name, "display_name": spec.Spec.DisplayName, "language": spec.Spec.Language}
			break
		}
	}
	return out
}

// OwnMetadata is the key of this program's data in a notebook's metadata.
const OwnMetadata = "nbduet"
