package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/tool"
)

type fileListArgs struct {
	InSession
	Path string `json:"path,omitempty" jsonschema:"Folder, relative to the server's root folder. Left out: the root folder." validate:"max=path" default:""`
}

// A ListedFile is a notebook, file or folder in a [FileListResult].
type ListedFile struct {
	Name         string `json:"name"`
	Path         string `json:"path" jsonschema:"For the other tools."`
	Type         string `json:"type" jsonschema:"\"file\", \"directory\" or \"notebook\"."`
	Size         *int64 `json:"size" jsonschema:"Bytes; null for folders."`
	LastModified string `json:"last_modified" jsonschema:"ISO 8601 time."`
}

// A FileListResult is the answer of file_list.
type FileListResult struct {
	Path    string       `json:"path" jsonschema:"The folder, without a leading slash."`
	Files   []ListedFile `json:"files" jsonschema:"Sorted by path."`
	Stopped bool         `json:"stopped_early" jsonschema:"Whether the list is incomplete."`
	Message string       `json:"message,omitempty" jsonschema:"Why."`
}

// fileList makes file_list.
func fileList(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "file_list",
		Title: "List files",
		Description: "Lists the notebooks, files and folders in a folder, as they are on disk. Use it to find data and the files of an analysis. " +
			"Costs a request or two. Skips hidden files. Stops at " + textfmt.Thousands(files.MaxListed) + " entries, and says so.",
		Hints:  tool.Hints{ReadOnly: true, Idempotent: true},
		Output: tool.ResultOf[FileListResult](nil),
		Call: tool.Typed(func(ctx context.Context, args fileListArgs) (*tool.Answer, error) {
			folder, err := pathOf(ctx, d, args.ID, args.Path)
			if err != nil {
				return nil, err
			}
			found, note, err := d.Walk(ctx, files.Search{
				Root: folder, What: "file", Capped: true, Wants: func(jupyter.Content) bool { return true },
			})
			if err != nil {
				return nil, noFolder(ctx, d, args, err)
			}
			out := FileListResult{Path: folder.String(), Files: []ListedFile{}, Stopped: note.Stopped != "", Message: note.String()}
			for _, c := range found {
				out.Files = append(out.Files, ListedFile{Name: c.Name, Path: c.Path.String(), Type: c.Type, Size: c.Size, LastModified: tool.Stamp(c.LastModified)})
			}
			a := &tool.Answer{Body: &out}
			return a, a.TrimTo(len(out.Files), func(n int) {
				out.Files = out.Files[:n]
				out.Stopped = true
				out.Message = fmt.Sprintf("the list ends after %s entries because the answer would be too long: list the rest with code in the session", textfmt.Thousands(n))
			})
		}),
	}
}

// noFolder returns the error of a path that could not be listed as a folder: it says if the path is a file or missing.
func noFolder(ctx context.Context, d *deps.Deps, args fileListArgs, err error) error {
	switch there, look := fileOf(ctx, d, args.ID, args.Path); {
	case look != nil:
		return look
	case there.Type != "directory":
		return tool.Coded{Code: CodeNotFolder, Message: fmt.Sprintf("%s is a %s, not a folder: give its folder", textfmt.Quoted(there.Path.String()), there.Type)}
	}
	return err
}

type fileReadArgs struct {
	InSession
	Path string `json:"path" jsonschema:"Text file, relative to the server's root folder, such as \"work/result.csv\"; a leading slash is allowed." validate:"min=1,max=path"`
	document.ContentArgs
}

// A FileReadResult is the answer of file_read.
type FileReadResult struct {
	Path string `json:"path" jsonschema:"The file, without a leading slash."`
	Type string `json:"type" jsonschema:"\"file\" or \"notebook\"."`
	document.ContentResult
}

// Refine implements tool.Refiner.
func (FileReadResult) Refine(f tool.Fields) {
	f.Field("content").Say("Its text from position.")
	f.Field("content_length").Say("Length of the whole text" + tool.Characters)
	f.Field("revision").Say(tool.RevisionText("the content"))
}

// fileRead makes file_read.
func fileRead(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "file_read",
		Title:       "Read a text file",
		Description: "Reads a text file (data, source code, Markdown, a log, …) as it is in the shared document now, including people's unsaved edits. Costs up to max_content characters; continue a longer file at next_position. For a notebook it returns the JSON of its file.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.DocumentResultOf[FileReadResult](nil),
		Call: tool.Typed(func(ctx context.Context, args fileReadArgs) (*tool.Answer, error) {
			file, err := FileNotFolder(ctx, d, args.ID, args.Path)
			if err != nil {
				return nil, err
			}
			open := d.Manager.OpenText
			if file.Type == "notebook" {
				open = d.Manager.Open
			}
			doc, err := open(ctx, file.Path)
			if errors.Is(err, session.ErrNotText) {
				err = tool.Coded{Code: CodeNotText, Message: err.Error() + textfmt.Hint("; file_get returns it, and execute_code can read parts of it")}
			}
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			out := FileReadResult{Path: file.Path.String(), Type: file.Type}
			finish, err := document.ReadText(ctx, d, doc, args.ContentArgs, &out.ContentResult)
			if err != nil {
				return nil, err
			}
			a := &tool.Answer{Body: &out, Doc: doc}
			return a, finish(a)
		}),
	}
}
