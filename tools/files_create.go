package tools

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

type createArgs struct {
	Path    string `json:"path"`
	Type    string `json:"type"`
	Content string `json:"content"`
}

type createResult struct {
	Message string `json:"message"`
	Path    string `json:"path"`
	Type    string `json:"type"`
}

const (
	typeNotebook = "notebook"
	typeFile     = "file"
	typeMarkdown = "markdown"
)

// createDocument makes create_document.
func createDocument(d *deps) tool {
	return tool{
		name:    "create_document",
		title:   "Create a document",
		toolset: toolsetDocument,
		description: "Makes a new notebook, Markdown document or other text file. Refuses where there is something at the path already, and where the folder does not exist. " +
			"The content is checked before anything is written. Use it to begin a document; overwrite_document changes one that exists. Costs little.",
		marks: marks{},
		input: arguments(
			required("path", documentSchema("New document, in an existing folder")),
			optional("type", oneOf("A notebook's path ends in .ipynb, a Markdown document's in .md or .markdown.", typeNotebook, typeFile, typeMarkdown).def(typeNotebook)),
			optional("content", documentContentSchema("Initial content. Of a notebook: "+notebookForms+", or "+cellsForm+"; left out, one empty code cell. Of a file: its text.")),
		),
		output: object("",
			required("message", text("")),
			required("path", text("The new document, without a leading slash.")),
			required("type", text("Type as asked for.")),
		),
		handle: typed(func(ctx context.Context, args createArgs) (*answer, error) {
			clean, err := documentArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			if args.Type == "" {
				args.Type = typeNotebook
			}
			if err := fitsType(clean, args.Type); err != nil {
				return nil, err
			}
			if err := checkTotal(args.Content); err != nil {
				return nil, err
			}
			content, err := d.newContent(ctx, args)
			if err != nil {
				return nil, fmt.Errorf("nothing was created: %w", err)
			}
			made, err := d.manager.Create(ctx, clean, content)
			if err != nil {
				return nil, placeError(err, clean)
			}
			if args.Type != typeNotebook {
				d.seen.makeText(ctx, made.Path, lines(args.Content))
			}
			return &answer{body: createResult{
				fmt.Sprintf("Successfully created %s at %s", args.Type, named(made.Path)), made.Path, args.Type,
			}}, nil
		}),
	}
}

// fitsType refuses a name that would make another type of document.
func fitsType(p, typ string) error {
	ext := strings.ToLower(path.Ext(p))
	switch {
	case typ == typeNotebook && path.Ext(p) != ".ipynb":
		return fmt.Errorf("path %s does not end in .ipynb, as a notebook's has to: change it, or give type \"markdown\" or \"file\"; nothing was created", quoted(p))
	case typ != typeNotebook && ext == ".ipynb":
		return fmt.Errorf("path %s ends in .ipynb, which makes it a notebook: give type \"notebook\", or another path; nothing was created", quoted(p))
	case typ == typeMarkdown && ext != ".md" && ext != ".markdown":
		return fmt.Errorf("path %s does not end in .md or .markdown: change it, or give type \"file\"; nothing was created", quoted(p))
	}
	return nil
}

// placeError words why nothing can be made at a path.
func placeError(err error, p string) error {
	switch {
	case errors.Is(err, session.ErrExists):
		return fmt.Errorf("there is something at %s already, and nothing is overwritten: choose another path, or use overwrite_document to change it", quoted(p))
	case errors.Is(err, session.ErrNoFolder):
		return fmt.Errorf("there is no folder %s for %s: give a path in a folder that exists; list_documents shows them", quoted(path.Dir(p)), quoted(p))
	}
	return err
}

// newContent checks the content of a new document and brings it into the Contents API's form.
func (d *deps) newContent(ctx context.Context, args createArgs) (jupyter.NewContent, error) {
	if args.Type != typeNotebook {
		return jupyter.NewContent{Type: "file", Format: "text", Content: lines(args.Content)}, nil
	}
	file, err := initialNotebook(args.Content)
	if err != nil {
		return jupyter.NewContent{}, err
	}
	if len(file.metadata) == 0 {
		file.metadata = d.kernelMetadata(ctx, "")
	}
	return jupyter.NewContent{Type: "notebook", Format: "json", Content: file.nbformat()}, nil
}

// initialNotebook reads the content of a new notebook: a whole notebook, or a list of cells.
func initialNotebook(content string) (notebookFile, error) {
	if strings.TrimSpace(content) == "" {
		return notebookFile{cells: []fileCell{{kind: ydoc.Code}}}, nil
	}
	var raw any
	if err := decodeJSON(content, &raw); err != nil {
		return notebookFile{}, fmt.Errorf("content is not valid JSON: %w; a notebook's content is %s, or %s", err, notebookForms, cellsForm)
	}
	list, ok := raw.([]any)
	if !ok {
		return notebookOf(raw)
	}
	cells, err := fileCellsOf(list, func(at string, m map[string]any) (fileCell, error) {
		if _, ok := m["cell_type"]; ok {
			return nbformatCell(at, m)
		}
		return simpleCell(at, m)
	})
	return notebookFile{cells: cells}, err
}

// simpleCell is a cell as insert_nb_cells takes it.
func simpleCell(at string, m map[string]any) (fileCell, error) {
	if err := onlyKeys(at, m, "type", "content"); err != nil {
		return fileCell{}, err
	}
	c := fileCell{kind: ydoc.Code}
	if v, given := m["type"]; given {
		if c.kind, _ = v.(string); !slices.Contains([]string{ydoc.Code, ydoc.Markdown, ydoc.Raw}, c.kind) {
			return c, fmt.Errorf("%s.type is %s, wanted \"code\", \"markdown\" or \"raw\"", at, shownValue(v))
		}
	}
	source, ok := m["content"].(string)
	if !ok {
		return c, fmt.Errorf("%s.content is %s, wanted a string", at, kindOf(m["content"]))
	}
	c.source = lines(source)
	return c, nil
}

// kernelMetadata names the kernel of a new notebook, for which JupyterLab would ask everybody who opens it; "" is the
// server's default one.
func (d *deps) kernelMetadata(ctx context.Context, name string) map[string]any {
	specs, err := d.manager.KernelServer().KernelSpecs(ctx)
	if err != nil {
		return nil // then people are asked
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

// nbformat is the notebook in nbformat 4.5, where each cell has an id.
func (f notebookFile) nbformat() map[string]any {
	cells := []any{}
	for _, c := range f.cells {
		cells = append(cells, c.nbformat())
	}
	metadata := f.metadata
	if metadata == nil {
		metadata = map[string]any{}
	}
	return map[string]any{"nbformat": json.Number("4"), "nbformat_minor": json.Number("5"), "metadata": metadata, "cells": cells}
}

func (c fileCell) nbformat() map[string]any {
	metadata := map[string]any{}
	for k, v := range c.metadata {
		if k != trusted {
			metadata[k] = v
		}
	}
	id := c.id
	if id == "" {
		id = newCellID()
	}
	out := map[string]any{"id": id, "cell_type": c.kind, "source": c.source, "metadata": metadata}
	if len(c.attachments) > 0 {
		out["attachments"] = c.attachments
	}
	if c.kind == ydoc.Code {
		outputs := []any{}
		for _, o := range c.outputs {
			outputs = append(outputs, map[string]any(o))
		}
		out["outputs"], out["execution_count"] = outputs, c.count
	}
	return out
}

func newCellID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
