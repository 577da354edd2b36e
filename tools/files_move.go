package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session"
)

type documentArgs struct {
	Path string `json:"path"`
}

type deleteDocumentResult struct {
	Message string   `json:"message"`
	Path    string   `json:"path"`
	OpenIn  []string `json:"still_open_by,omitempty"`
}

// deleteDocument makes delete_document.
func deleteDocument(d *deps) tool {
	return tool{
		name:    "delete_document",
		title:   "Delete a document",
		toolset: toolsetDocument,
		description: "Deletes a file, a notebook or an empty folder for good, what is open here of it included. " +
			"Use it only for what nobody needs. A tab in which a person has it open stays as it is without being told, and what is typed there goes nowhere unless the person saves it, which makes the file anew: " +
			"still_open_by names those who were met in the document. A notebook's kernel is left running.",
		marks: marks{destructive: true},
		input: arguments(required("path", documentSchema("Document or empty folder to delete"))),
		output: object("",
			required("message", text("")),
			required("path", text("The deleted document, without a leading slash.")),
			optional("still_open_by", list("Others who have it open, as far as is known: tell them.", text(""))),
		),
		handle: typed(func(ctx context.Context, args documentArgs) (*answer, error) {
			clean, err := documentArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			gone, err := d.manager.Delete(ctx, clean)
			if errors.Is(err, session.ErrFolder) {
				return nil, fmt.Errorf("%w; only empty folders are deleted: delete what is in it first", err)
			}
			if err != nil {
				return nil, missing(err, clean)
			}
			out := deleteDocumentResult{Message: "Successfully deleted document at " + named(gone.Path), Path: gone.Path}
			for _, p := range gone.People {
				if out.OpenIn = append(out.OpenIn, p.Name); len(out.OpenIn) == maxPeople {
					break
				}
			}
			return &answer{body: out}, nil
		}),
	}
}

type renameArgs struct {
	Path    string `json:"path"`
	NewPath string `json:"newPath"`
}

type renameResult struct {
	Message string `json:"message"`
	OldPath string `json:"old_path"`
	NewPath string `json:"new_path"`
	Warning string `json:"warning,omitempty"`
}

// renameDocument makes rename_document.
func renameDocument(d *deps) tool {
	return tool{
		name:    "rename_document",
		title:   "Rename a document",
		toolset: toolsetDocument,
		description: "Renames or moves a file, a notebook or a folder; content stays. Refuses where there is something at the new path, where its folder does not exist, and a change between .ipynb and other endings. " +
			"People who have it open go on in it under its new name, a notebook's kernel goes along, and so do your own open documents. Takes a second or two for what is open.",
		marks: marks{destructive: true},
		input: arguments(
			required("path", documentSchema("Document or folder to rename")),
			required("newPath", documentSchema("New path, the name included")),
		),
		output: object("",
			required("message", text("")),
			required("old_path", text("Without a leading slash.")),
			required("new_path", text("Without a leading slash.")),
			optional("warning", text("What of it that was open did not go along.")),
		),
		handle: typed(func(ctx context.Context, args renameArgs) (*answer, error) {
			from, err := documentArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			to, err := documentArg("newPath", args.NewPath)
			if err != nil {
				return nil, err
			}
			if from == to {
				return nil, fmt.Errorf("path and newPath are both %s: nothing to rename", quoted(from))
			}
			done, err := d.manager.Rename(ctx, from, to)
			if err != nil {
				return nil, missing(placeError(err, to), from)
			}
			out := renameResult{
				Message: fmt.Sprintf("Successfully renamed document from %s to %s", named(done.From), named(done.To)),
				OldPath: done.From, NewPath: done.To,
			}
			if len(done.Lost) > 0 {
				out.Warning = "the server did not take these open documents along, so they were closed here, and people have to open them again: " + strings.Join(done.Lost, ", ")
			}
			return &answer{body: out}, nil
		}),
	}
}

type copyArgs struct {
	Path     string `json:"path"`
	CopyPath string `json:"copyPath"`
}

type copyResult struct {
	Message      string `json:"message"`
	OriginalPath string `json:"original_path"`
	CopyPath     string `json:"copy_path"`
}

// copyDocument makes copy_document.
func copyDocument(d *deps) tool {
	return tool{
		name:    "copy_document",
		title:   "Copy a document",
		toolset: toolsetDocument,
		description: "Copies a file or notebook, edits that are not yet saved included. The original is not touched. Refuses where there is something at the new path, and where its folder does not exist. " +
			"Use it to keep a version before a large change. Folders are not copied.",
		marks: marks{},
		input: arguments(
			required("path", documentSchema("File or notebook to copy")),
			required("copyPath", documentSchema("Path of the copy, the name included")),
		),
		output: object("",
			required("message", text("")),
			required("original_path", text("Without a leading slash.")),
			required("copy_path", text("Without a leading slash.")),
		),
		handle: typed(func(ctx context.Context, args copyArgs) (*answer, error) {
			from, err := documentArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			to, err := documentArg("copyPath", args.CopyPath)
			if err != nil {
				return nil, err
			}
			done, err := d.manager.Copy(ctx, from, to)
			if errors.Is(err, session.ErrFolder) {
				return nil, fmt.Errorf("path %s is a folder, and only files and notebooks are copied", quoted(from))
			}
			if err != nil {
				return nil, missing(placeError(err, to), from)
			}
			return &answer{body: copyResult{
				fmt.Sprintf("Successfully copied document from %s to %s", named(from), named(done.Path)), from, done.Path,
			}}, nil
		}),
	}
}
