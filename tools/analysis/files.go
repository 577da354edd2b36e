package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/tool"
)

type fileArgs struct {
	ID   string `json:"session_id"`
	Path string `json:"path"`
}

func filePathProperty(description string) tool.Property {
	return tool.Required("path", tool.Text(description+", relative to the server's root folder, such as \"work/result.csv\"; a leading slash is allowed.").Length(1, 4096))
}

type ListedFile struct {
	Name         string `json:"name"`
	Path         string `json:"path"`
	Type         string `json:"type"`
	Size         *int64 `json:"size"`
	LastModified string `json:"last_modified"`
}

type FileListResult struct {
	Path    string       `json:"path"`
	Files   []ListedFile `json:"files"`
	Stopped bool         `json:"stopped_early"`
	Message string       `json:"message,omitempty"`
}

// fileList makes file_list.
func fileList(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "file_list",
		Title:   "List files",
		Toolset: tool.ToolsetCells,
		Description: "Lists the notebooks, files and folders in a folder, as they are on disk. Use it to find data, and what an analysis has written. " +
			"Costs a request or two. Hidden files are skipped. It stops at " + tool.Thousands(document.MaxListed) + " entries, and says so.",
		Marks: tool.Marks{ReadOnly: true, Idempotent: true},
		Input: tool.Arguments(
			sessionProperty(),
			tool.Optional("path", tool.Text("Folder, relative to the server's root folder. Left out: the root folder.").Length(0, 4096).Def("")),
		),
		Output: tool.Object("",
			tool.Required("path", tool.Text("The folder, without a leading slash.")),
			tool.Required("files", tool.List("Sorted by path.", tool.Object("",
				tool.Required("name", tool.Text("")),
				tool.Required("path", tool.Text("For the other tools.")),
				tool.Required("type", tool.Text("\"file\", \"directory\" or \"notebook\".")),
				tool.Required("size", tool.Integer("Bytes; null for folders.").OrNull()),
				tool.Required("last_modified", tool.Text("ISO 8601 time.")),
			))),
			tool.Required("stopped_early", tool.Boolean("Whether there is more than listed.")),
			tool.Optional("message", tool.Text("Why.")),
		),
		Handle: tool.Typed(func(ctx context.Context, args fileArgs) (*tool.Answer, error) {
			folder, err := fileOf(ctx, d, args.ID, args.Path)
			if err != nil {
				return nil, err
			}
			if folder.Type != "directory" {
				return nil, tool.Coded{Code: CodeNotFolder, Message: fmt.Sprintf("%s is a %s, not a folder: give the folder that it is in", tool.Quoted(folder.Path), folder.Type)}
			}
			found, note, err := document.Walk(ctx, d.Manager.Server(), document.Search{
				Root: folder.Path, What: "file", Capped: true, Wants: func(jupyter.Content) bool { return true },
			})
			if err != nil {
				return nil, err
			}
			out := FileListResult{Path: folder.Path, Files: []ListedFile{}, Stopped: note.Stopped != "", Message: note.String()}
			for _, c := range found {
				out.Files = append(out.Files, ListedFile{Name: c.Name, Path: c.Path, Type: c.Type, Size: c.Size, LastModified: tool.Stamp(c.LastModified)})
			}
			a := &tool.Answer{Body: &out}
			return a, a.Trim(func() bool {
				if len(out.Files) == 0 {
					return false
				}
				out.Files = out.Files[:len(out.Files)*3/4]
				out.Stopped = true
				out.Message = fmt.Sprintf("the list ends after %s entries because the answer would be too long: code in the session can look for the rest", tool.Thousands(len(out.Files)))
				return true
			})
		}),
	}
}

type fileReadArgs struct {
	fileArgs
	Max      *int `json:"max_content"`
	Position int  `json:"position"`
}

type FileReadResult struct {
	Path string `json:"path"`
	Type string `json:"type"`
	document.ContentResult
}

// fileRead makes file_read.
func fileRead(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "file_read",
		Title:   "Read a text file",
		Toolset: tool.ToolsetCells,
		Description: "Reads a text file (data, source code, Markdown, a log, …) as it is in the shared document now, what people have typed and not yet saved included. " +
			"Costs up to max_content characters; of a longer file read on from next_position. Of a notebook it returns the JSON of its file: notebook_get is better. " +
			"file_get is for images and other files that are no text.",
		Marks: tool.Marks{ReadOnly: true, Idempotent: true},
		Input: tool.Arguments(
			sessionProperty(),
			filePathProperty("Text file"),
			document.MaxContentProperty(),
			tool.Optional("position", tool.Integer("Where to begin, "+document.PositionUnit+".").Between(0, document.MaxPosition).Def(0)),
		),
		Output: tool.Object("", append([]tool.Property{
			tool.Required("path", tool.Text("The file, without a leading slash.")),
			tool.Required("type", tool.Text("\"file\" or \"notebook\".")),
			tool.Required("content", tool.Text("Its text, from position on.")),
			tool.Required("truncated", tool.Boolean("Whether there is more behind it.")),
			tool.Required("content_length", tool.Integer("Length of the whole text, "+document.PositionUnit+".")),
			tool.Required("revision", desk.RevisionSchema("the content")),
			tool.Optional("next_position", tool.Integer("Where the rest begins, when truncated.")),
		}, tool.SavedProperties()...)...),
		Handle: tool.Typed(func(ctx context.Context, args fileReadArgs) (*tool.Answer, error) {
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
				err = tool.Coded{Code: CodeNotText, Message: err.Error() + "; file_get gets it, and execute_code can read parts of it"}
			}
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			out := FileReadResult{Path: file.Path, Type: file.Type}
			shorter, err := document.ReadText(ctx, d, doc, document.ContentArgs{Max: args.Max, Position: args.Position}, &out.ContentResult)
			if err != nil {
				return nil, err
			}
			a := &tool.Answer{Body: &out, Doc: doc}
			return a, a.Trim(shorter)
		}),
	}
}
