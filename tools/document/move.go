package document

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

type deleteArgs struct {
	Path string `json:"path" jsonschema:"Document or empty folder to delete" validate:"min=1,max=path" ends:"path"`
}

func (a deleteArgs) path() string { return a.Path }

// A DeleteResult is the answer of delete_document.
type DeleteResult struct {
	Message string   `json:"message"`
	Path    string   `json:"path" jsonschema:"The deleted document, without a leading slash."`
	OpenIn  []string `json:"still_open_by,omitempty" jsonschema:"Others known to have it open: tell them."`
}

// deleteDocument makes delete_document.
func deleteDocument(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "delete_document",
		Title:       "Delete a document",
		Description: "Deletes a file, a notebook or an empty folder for good, even if it is open here. Use it only for content that is no longer needed. A person's open tab stays, and saving there recreates the file; still_open_by names those people. A notebook's kernel keeps running.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.ResultOf[DeleteResult](nil),
		Call: atPath(func(ctx context.Context, clean jupyter.Path, _ deleteArgs) (*tool.Answer, error) {
			gone, err := d.Files.Delete(ctx, clean)
			if errors.Is(err, files.ErrFolder) {
				return nil, fmt.Errorf("%w; only empty folders are deleted: delete its entries first", err)
			}
			if err != nil {
				return nil, Missing(err, clean)
			}
			out := DeleteResult{Message: "Successfully deleted document at " + Named(gone.Path.String()), Path: gone.Path.String()}
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
	Path    string `json:"path" jsonschema:"Document or folder to rename" validate:"min=1,max=path" ends:"path"`
	NewPath string `json:"newPath" jsonschema:"New path, the name included" validate:"min=1,max=path" ends:"path"`
}

func (a renameArgs) path() string { return a.Path }

// A RenameResult is the answer of rename_document.
type RenameResult struct {
	Message string `json:"message"`
	OldPath string `json:"old_path" jsonschema:"Without a leading slash."`
	NewPath string `json:"new_path" jsonschema:"Without a leading slash."`
	Warning string `json:"warning,omitempty" jsonschema:"Open documents that were not renamed."`
}

// renameDocument makes rename_document.
func renameDocument(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "rename_document",
		Title:       "Rename a document",
		Description: "Renames or moves a file, a notebook or a folder. Fails if the new path exists, if its folder does not, or if the extension changes to or from .ipynb. People who have it open continue under the new name, and a notebook keeps its kernel.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.ResultOf[RenameResult](nil),
		Call: atPath(func(ctx context.Context, from jupyter.Path, args renameArgs) (*tool.Answer, error) {
			to, err := PathArg("newPath", args.NewPath)
			if err != nil {
				return nil, err
			}
			if from == to {
				return nil, fmt.Errorf("path and newPath are both %s: nothing to rename", textfmt.Quoted(from.String()))
			}
			done, err := d.Files.Rename(ctx, from, to)
			if err != nil {
				return nil, Missing(PlaceError(err, to), from)
			}
			out := RenameResult{
				Message: fmt.Sprintf("Successfully renamed document from %s to %s", Named(done.From.String()), Named(done.To.String())),
				OldPath: done.From.String(), NewPath: done.To.String(),
			}
			if len(done.Lost) > 0 {
				out.Warning = "the server did not rename these open documents, so they were closed here, and people must reopen them: " + strings.Join(done.Lost, ", ")
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

type copyArgs struct {
	Path     string `json:"path" jsonschema:"File or notebook to copy" validate:"min=1,max=path" ends:"path"`
	CopyPath string `json:"copyPath" jsonschema:"Path of the copy, the name included" validate:"min=1,max=path" ends:"path"`
}

func (a copyArgs) path() string { return a.Path }

// A CopyResult is the answer of copy_document.
type CopyResult struct {
	Message      string `json:"message"`
	OriginalPath string `json:"original_path" jsonschema:"Without a leading slash."`
	CopyPath     string `json:"copy_path" jsonschema:"Without a leading slash."`
}

// copyDocument makes copy_document.
func copyDocument(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "copy_document",
		Title: "Copy a document",
		Description: "Copies a file or notebook, unsaved edits included. The original is unchanged. Fails if the new path exists or its folder does not. " +
			"Use it to keep a version before a large change. Folders are not copied.",
		Output: tool.ResultOf[CopyResult](nil),
		Call: atPath(func(ctx context.Context, from jupyter.Path, args copyArgs) (*tool.Answer, error) {
			to, err := PathArg("copyPath", args.CopyPath)
			if err != nil {
				return nil, err
			}
			done, err := d.Files.Copy(ctx, from, to)
			if errors.Is(err, files.ErrFolder) {
				return nil, fmt.Errorf("path %s is a folder: only files and notebooks can be copied", textfmt.Quoted(from.String()))
			}
			if err != nil {
				return nil, Missing(PlaceError(err, to), from)
			}
			return &tool.Answer{Body: CopyResult{
				fmt.Sprintf("Successfully copied document from %s to %s", Named(from.String()), Named(done.Path.String())), from.String(), done.Path.String(),
			}}, nil
		}),
	}
}

// MaxPeople is the maximum number of people that an answer names.
const MaxPeople = 50
