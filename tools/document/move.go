package document

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

type documentArgs struct {
	Path string `json:"path"`
}

type DeleteResult struct {
	Message string   `json:"message"`
	Path    string   `json:"path"`
	OpenIn  []string `json:"still_open_by,omitempty"`
}

// deleteDocument makes delete_document.
func deleteDocument(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "delete_document",
		Title:   "Delete a document",
		Toolset: tool.ToolsetDocument,
		Description: "Deletes a file, a notebook or an empty folder for good, what is open here of it included. " +
			"Use it only for what nobody needs. A tab in which a person has it open stays as it is without being told, and what is typed there goes nowhere unless the person saves it, which makes the file anew: " +
			"still_open_by names those who were met in the document. A notebook's kernel is left running.",
		Marks: tool.Marks{Destructive: true},
		Input: tool.Arguments(tool.Required("path", PathSchema("Document or empty folder to delete"))),
		Output: tool.Object("",
			tool.Required("message", tool.Text("")),
			tool.Required("path", tool.Text("The deleted document, without a leading slash.")),
			tool.Optional("still_open_by", tool.List("Others who have it open, as far as is known: tell them.", tool.Text(""))),
		),
		Handle: tool.Typed(func(ctx context.Context, args documentArgs) (*tool.Answer, error) {
			clean, err := PathArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			gone, err := d.Manager.Delete(ctx, clean)
			if errors.Is(err, session.ErrFolder) {
				return nil, fmt.Errorf("%w; only empty folders are deleted: delete what is in it first", err)
			}
			if err != nil {
				return nil, Missing(err, clean)
			}
			out := DeleteResult{Message: "Successfully deleted document at " + Named(gone.Path), Path: gone.Path}
			for _, p := range gone.People {
				if out.OpenIn = append(out.OpenIn, p.Name); len(out.OpenIn) == MaxPeople {
					break
				}
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

type renameArgs struct {
	Path    string `json:"path"`
	NewPath string `json:"newPath"`
}

type RenameResult struct {
	Message string `json:"message"`
	OldPath string `json:"old_path"`
	NewPath string `json:"new_path"`
	Warning string `json:"warning,omitempty"`
}

// renameDocument makes rename_document.
func renameDocument(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "rename_document",
		Title:   "Rename a document",
		Toolset: tool.ToolsetDocument,
		Description: "Renames or moves a file, a notebook or a folder; content stays. Refuses where there is something at the new path, where its folder does not exist, and a change between .ipynb and other endings. " +
			"People who have it open go on in it under its new name, a notebook's kernel goes along, and so do your own open documents. Takes a second or two for what is open.",
		Marks: tool.Marks{Destructive: true},
		Input: tool.Arguments(
			tool.Required("path", PathSchema("Document or folder to rename")),
			tool.Required("newPath", PathSchema("New path, the name included")),
		),
		Output: tool.Object("",
			tool.Required("message", tool.Text("")),
			tool.Required("old_path", tool.Text("Without a leading slash.")),
			tool.Required("new_path", tool.Text("Without a leading slash.")),
			tool.Optional("warning", tool.Text("What of it that was open did not go along.")),
		),
		Handle: tool.Typed(func(ctx context.Context, args renameArgs) (*tool.Answer, error) {
			from, err := PathArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			to, err := PathArg("newPath", args.NewPath)
			if err != nil {
				return nil, err
			}
			if from == to {
				return nil, fmt.Errorf("path and newPath are both %s: nothing to rename", tool.Quoted(from))
			}
			done, err := d.Manager.Rename(ctx, from, to)
			if err != nil {
				return nil, Missing(PlaceError(err, to), from)
			}
			out := RenameResult{
				Message: fmt.Sprintf("Successfully renamed document from %s to %s", Named(done.From), Named(done.To)),
				OldPath: done.From, NewPath: done.To,
			}
			if len(done.Lost) > 0 {
				out.Warning = "the server did not take these open documents along, so they were closed here, and people have to open them again: " + strings.Join(done.Lost, ", ")
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

type copyArgs struct {
	Path     string `json:"path"`
	CopyPath string `json:"copyPath"`
}

type CopyResult struct {
	Message      string `json:"message"`
	OriginalPath string `json:"original_path"`
	CopyPath     string `json:"copy_path"`
}

// copyDocument makes copy_document.
func copyDocument(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "copy_document",
		Title:   "Copy a document",
		Toolset: tool.ToolsetDocument,
		Description: "Copies a file or notebook, edits that are not yet saved included. The original is not touched. Refuses where there is something at the new path, and where its folder does not exist. " +
			"Use it to keep a version before a large change. Folders are not copied.",
		Marks: tool.Marks{},
		Input: tool.Arguments(
			tool.Required("path", PathSchema("File or notebook to copy")),
			tool.Required("copyPath", PathSchema("Path of the copy, the name included")),
		),
		Output: tool.Object("",
			tool.Required("message", tool.Text("")),
			tool.Required("original_path", tool.Text("Without a leading slash.")),
			tool.Required("copy_path", tool.Text("Without a leading slash.")),
		),
		Handle: tool.Typed(func(ctx context.Context, args copyArgs) (*tool.Answer, error) {
			from, err := PathArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			to, err := PathArg("copyPath", args.CopyPath)
			if err != nil {
				return nil, err
			}
			done, err := d.Manager.Copy(ctx, from, to)
			if errors.Is(err, session.ErrFolder) {
				return nil, fmt.Errorf("path %s is a folder, and only files and notebooks are copied", tool.Quoted(from))
			}
			if err != nil {
				return nil, Missing(PlaceError(err, to), from)
			}
			return &tool.Answer{Body: CopyResult{
				fmt.Sprintf("Successfully copied document from %s to %s", Named(from), Named(done.Path)), from, done.Path,
			}}, nil
		}),
	}
}

// MaxPeople bounds how many of the others are named.
const MaxPeople = 50
