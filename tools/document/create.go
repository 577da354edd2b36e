package document

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

type createArgs struct {
	Path    string `json:"path" jsonschema:"New document, in an existing folder" validate:"min=1,max=path" ends:"path"`
	Type    string `json:"type,omitempty" jsonschema:"A notebook's path ends in .ipynb, a Markdown document's in .md or .markdown." validate:"oneof=notebook file markdown" default:"notebook"`
	Content string `json:"content,omitempty" validate:"max=text"`
}

func (a createArgs) path() string { return a.Path }

// Refine implements tool.Refiner.
func (createArgs) Refine(f tool.Fields) {
	f.Field("content").Say("Initial content. Of a notebook: " + nbformat.NotebookForm + ", or " + nbformat.CellsForm + "; left out, one empty code cell. Of a file: its text." + tool.LineEnds)
}

// A CreateResult is the answer of create_document.
type CreateResult struct {
	Message string `json:"message"`
	Path    string `json:"path" jsonschema:"The new document, without a leading slash."`
	Type    string `json:"type" jsonschema:"The requested type."`
}

// The types of new documents.
const (
	TypeNotebook = "notebook"
	typeMarkdown = "markdown"
)

// createDocument makes create_document.
func createDocument(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "create_document",
		Title:       "Create a document",
		Description: "Creates a notebook, Markdown document or other text file. Use it for a new document only: it fails if the path exists, or its folder does not.",
		Output:      tool.ResultOf[CreateResult](nil),
		Call: atPath(func(ctx context.Context, clean jupyter.Path, args createArgs) (*tool.Answer, error) {
			args.Type = cmp.Or(args.Type, TypeNotebook)
			if err := FitsType(clean, args.Type); err != nil {
				return nil, err
			}
			if err := target.CheckBytes(len(args.Content)); err != nil {
				return nil, err
			}
			content, cells, err := newContent(ctx, d, args)
			if err != nil {
				return nil, fmt.Errorf("nothing was created: %w", err)
			}
			made, err := d.Files.Create(ctx, clean, content)
			if err != nil {
				return nil, PlaceError(err, clean)
			}
			for id, source := range cells {
				d.Manager.Memory().Made(tool.ClientOf(ctx), made.Path, id, source)
			}
			return &tool.Answer{Body: CreateResult{
				fmt.Sprintf("Successfully created %s at %s", args.Type, Named(made.Path.String())), made.Path.String(), args.Type,
			}, Words: tool.Words(ctx, func() plaintext.Text { return plaintext.Text{First: "created " + Named(made.Path.String())} })}, nil
		}),
	}
}

// FitsType refuses a path whose extension does not fit the type of document.
func FitsType(p jupyter.Path, typ string) error {
	ext := strings.ToLower(p.Ext())
	switch {
	case typ == TypeNotebook && p.Ext() != ".ipynb":
		return fmt.Errorf("path %s does not end in .ipynb, as a notebook's path must: change it"+textfmt.Hint(", or give type \"markdown\" or \"file\"")+"; nothing was created", textfmt.Quoted(p.String()))
	case typ != TypeNotebook && ext == ".ipynb":
		return fmt.Errorf("path %s ends in .ipynb, which makes it a notebook: give type \"notebook\", or another path; nothing was created", textfmt.Quoted(p.String()))
	case typ == typeMarkdown && ext != ".md" && ext != ".markdown":
		return fmt.Errorf("path %s does not end in .md or .markdown: change it"+textfmt.Hint(", or give type \"file\"")+"; nothing was created", textfmt.Quoted(p.String()))
	}
	return nil
}

// PlaceError explains why nothing can be created at a path.
func PlaceError(err error, p jupyter.Path) error {
	switch {
	case errors.Is(err, files.ErrExists):
		return fmt.Errorf("%s already exists: choose another path"+textfmt.Hint(", or use overwrite_document to change it"), textfmt.Quoted(p.String()))
	case errors.Is(err, files.ErrNoFolder):
		return fmt.Errorf("no folder %s for %s: give a path in an existing folder"+textfmt.Hint("; list_documents lists them"), textfmt.Quoted(p.Folder().String()), textfmt.Quoted(p.String()))
	}
	return err
}

// newContent checks the content of a new document and converts it for the Contents API. made are the sources known to its
// author, by the cells' ids; a text's is under "".
func newContent(ctx context.Context, d *deps.Deps, args createArgs) (content jupyter.NewContent, made map[string]string, err error) {
	made = map[string]string{}
	if args.Type != TypeNotebook {
		made[""] = textfmt.Lines(args.Content)
		return jupyter.NewContent{Type: "file", Format: "text", Content: made[""]}, made, nil
	}
	file, err := nbformat.ParseNew(args.Content)
	if err != nil {
		return jupyter.NewContent{}, nil, err
	}
	for _, c := range file.Cells {
		made[c.ID] = c.Source
	}
	if len(file.Metadata) == 0 {
		file.Metadata = KernelMetadata(ctx, d, "")
	}
	return jupyter.NewContent{Type: "notebook", Format: "json", Content: file.Content()}, made, nil
}

// KernelMetadata names the kernel of a new notebook, because JupyterLab would ask each person who opens it for one; "" is
// the server's default.
func KernelMetadata(ctx context.Context, d *deps.Deps, name string) map[string]any {
	specs, err := d.Manager.Servers().Runtime.Kernels.Specs(ctx)
	if err != nil {
		return nil // JupyterLab then asks for the kernel
	}
	name = cmp.Or(name, specs.Default)
	spec, ok := specs.Specs[name]
	if !ok {
		return nil
	}
	return map[string]any{"kernelspec": map[string]any{
		"name": name, "display_name": spec.Spec.DisplayName, "language": spec.Spec.Language,
	}}
}
