package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools/srcmd"
)

type importArgs struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
	Source  string  `json:"source_path"`
}

type importResult struct {
	Message   string   `json:"message"`
	Path      string   `json:"path"`
	CellCount int      `json:"cell_count"`
	CellIDs   []string `json:"cell_ids"`
	URI       string   `json:"resource_uri"`
}

// importProperties describe what is answered about a notebook that was made.
func importProperties() []property {
	return []property{
		required("message", text("")),
		required("path", text("The new notebook, without a leading slash.")),
		required("cell_count", integer("")),
		required("cell_ids", list("Ids of its cells, in order.", text(""))),
		required("resource_uri", text("Where the notebook is to be had as a resource.")),
	}
}

// notebookImport makes notebook_import.
func notebookImport(d *deps) tool {
	return tool{
		name:    "notebook_import",
		title:   "Import a srcbook file",
		toolset: toolsetCells,
		description: "Makes a new notebook of srcbook markdown (.src.md), such as the resources notebook://…/srcmd are: the same cells, with their ids. " +
			"Give either the text or the path of a file on the Jupyter server. Nothing is run, and nothing that exists is overwritten. Costs little.",
		marks: marks{},
		input: arguments(
			required("path", documentSchema("New notebook, ending in .ipynb, in an existing folder")),
			optional("content", documentContentSchema("The srcbook markdown.")),
			optional("source_path", documentSchema("File to read it from, in place of content").length(1, 4096)),
		),
		output: object("", importProperties()...),
		handle: typed(func(ctx context.Context, args importArgs) (*answer, error) {
			var content string
			switch {
			case (args.Content == nil) == (args.Source == ""):
				return nil, errors.New("give either content or source_path; nothing was created")
			case args.Content != nil:
				content = *args.Content
			default:
				var err error
				if content, err = d.fileText(ctx, args.Source); err != nil {
					return nil, err
				}
			}
			if err := checkTotal(content); err != nil {
				return nil, err
			}
			nb, err := srcmd.Decode(content)
			if err != nil {
				return nil, fmt.Errorf("this is not srcbook markdown: %w; nothing was created", err)
			}
			out, err := d.makeNotebook(ctx, args.Path, nb)
			if err != nil {
				return nil, err
			}
			out.Message = fmt.Sprintf("Successfully imported %s into %s", plural(out.CellCount, "cell"), named(out.Path))
			return &answer{body: out}, nil
		}),
	}
}

// fileText is the text of a document as it is now, unsaved edits included.
func (d *deps) fileText(ctx context.Context, path string) (string, error) {
	clean, err := documentArg("source_path", path)
	if err != nil {
		return "", err
	}
	doc, err := d.manager.OpenText(ctx, clean)
	if err != nil {
		return "", missing(err, clean)
	}
	defer doc.Release()
	return doc.Text().String(), nil
}

// makeNotebook makes a notebook at a path where there is nothing, and opens it.
func (d *deps) makeNotebook(ctx context.Context, path string, nb srcmd.Notebook) (importResult, error) {
	clean, err := documentArg("path", path)
	if err == nil {
		err = fitsType(clean, typeNotebook)
	}
	if err != nil {
		return importResult{}, err
	}
	if len(nb.Cells) > maxFileCells {
		return importResult{}, fmt.Errorf("there are %s, and a notebook can be given no more than %s: nothing was created", plural(len(nb.Cells), "cell"), thousands(maxFileCells))
	}
	file := notebookFile{metadata: d.importedMetadata(ctx, nb)}
	taken := map[string]bool{}
	for _, c := range nb.Cells {
		cell := fileCell{id: c.ID, kind: c.Type, source: lines(c.Source), metadata: c.Metadata}
		if taken[c.ID] || !validID(c.ID) {
			cell.id = "" // a new one
		}
		taken[c.ID] = true
		file.cells = append(file.cells, cell)
	}
	made, err := d.manager.Create(ctx, clean, jupyter.NewContent{Type: "notebook", Format: "json", Content: file.nbformat()})
	if err != nil {
		return importResult{}, placeError(err, clean)
	}
	doc, err := d.open(ctx, made.Path)
	if err != nil {
		return importResult{}, fmt.Errorf("%s was created, but cannot be opened: %w", quoted(made.Path), err)
	}
	defer doc.Release()
	ids := doc.Notebook().IDs()
	return importResult{Path: doc.Path(), CellCount: len(ids), CellIDs: append([]string{}, ids...), URI: notebookAddress(imageOwner(ctx), doc.FileID())}, nil
}

// importedMetadata is the metadata of a notebook in which the format names at least the language: a kernel for it is
// looked for on the server, without which JupyterLab asks whoever opens the notebook.
func (d *deps) importedMetadata(ctx context.Context, nb srcmd.Notebook) map[string]any {
	out := map[string]any{}
	for key, v := range nb.Metadata {
		if key == "kernelspec" || key == ownMetadata {
			out[key] = v
		}
	}
	lang := srcmd.LanguageOf(nb.Language)
	if lang.Name != "" {
		out["language_info"] = map[string]any{"name": lang.Name}
	}
	if spec, ok := out["kernelspec"].(map[string]any); ok && isText(spec["name"]) {
		return out
	}
	delete(out, "kernelspec")
	specs, err := d.manager.KernelServer().KernelSpecs(ctx)
	if err != nil {
		return out // then people are asked
	}
	for _, name := range append([]string{specs.Default}, slices.Sorted(maps.Keys(specs.Specs))...) {
		if spec, ok := specs.Specs[name]; ok && srcmd.LanguageOf(spec.Spec.Language).Name == lang.Name {
			out["kernelspec"] = map[string]any{"name": name, "display_name": spec.Spec.DisplayName, "language": spec.Spec.Language}
			break
		}
	}
	return out
}
