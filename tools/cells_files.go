package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
)

type fileArgs struct {
	ID   string `json:"session_id"`
	Path string `json:"path"`
}

func filePathProperty(description string) property {
	return required("path", text(description+", relative to the server's root folder, such as \"work/result.csv\"; a leading slash is allowed.").length(1, 4096))
}

type listedFile struct {
	Name         string `json:"name"`
	Path         string `json:"path"`
	Type         string `json:"type"`
	Size         *int64 `json:"size"`
	LastModified string `json:"last_modified"`
}

type fileListResult struct {
	Path    string       `json:"path"`
	Files   []listedFile `json:"files"`
	Stopped bool         `json:"stopped_early"`
	Message string       `json:"message,omitempty"`
}

// fileList makes file_list.
func fileList(d *deps) tool {
	return tool{
		name:    "file_list",
		title:   "List files",
		toolset: toolsetCells,
		description: "Lists the notebooks, files and folders in a folder, as they are on disk. Use it to find data, and what an analysis has written. " +
			"Costs a request or two. Hidden files are skipped. It stops at " + thousands(maxListed) + " entries, and says so.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			sessionProperty(),
			optional("path", text("Folder, relative to the server's root folder. Left out: the root folder.").length(0, 4096).def("")),
		),
		output: object("",
			required("path", text("The folder, without a leading slash.")),
			required("files", list("Sorted by path.", object("",
				required("name", text("")),
				required("path", text("For the other tools.")),
				required("type", text("\"file\", \"directory\" or \"notebook\".")),
				required("size", integer("Bytes; null for folders.").orNull()),
				required("last_modified", text("ISO 8601 time.")),
			))),
			required("stopped_early", boolean("Whether there is more than listed.")),
			optional("message", text("Why.")),
		),
		handle: typed(func(ctx context.Context, args fileArgs) (*answer, error) {
			folder, err := d.fileOf(ctx, args.ID, args.Path)
			if err != nil {
				return nil, err
			}
			if folder.Type != "directory" {
				return nil, coded{codeNotFolder, fmt.Sprintf("%s is a %s, not a folder: give the folder that it is in", quoted(folder.Path), folder.Type)}
			}
			found, note, err := walk(ctx, d.manager.Server(), search{
				root: folder.Path, what: "file", capped: true, wants: func(jupyter.Content) bool { return true },
			})
			if err != nil {
				return nil, err
			}
			out := fileListResult{Path: folder.Path, Files: []listedFile{}, Stopped: note.stopped != "", Message: note.String()}
			for _, c := range found {
				out.Files = append(out.Files, listedFile{Name: c.Name, Path: c.Path, Type: c.Type, Size: c.Size, LastModified: stamp(c.LastModified)})
			}
			a := &answer{body: &out}
			return a, a.trim(func() bool {
				if len(out.Files) == 0 {
					return false
				}
				out.Files = out.Files[:len(out.Files)*3/4]
				out.Stopped = true
				out.Message = fmt.Sprintf("the list ends after %s entries because the answer would be too long: code in the session can look for the rest", thousands(len(out.Files)))
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

type fileReadResult struct {
	Path string `json:"path"`
	Type string `json:"type"`
	contentResult
}

// fileRead makes file_read.
func fileRead(d *deps) tool {
	return tool{
		name:    "file_read",
		title:   "Read a text file",
		toolset: toolsetCells,
		description: "Reads a text file (data, source code, Markdown, a log, …) as it is in the shared document now, what people have typed and not yet saved included. " +
			"Costs up to max_content characters; of a longer file read on from next_position. Of a notebook it returns the JSON of its file: notebook_get is better. " +
			"file_get is for images and other files that are no text.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			sessionProperty(),
			filePathProperty("Text file"),
			maxContentProperty(),
			optional("position", integer("Where to begin, "+positionUnit+".").between(0, maxPosition).def(0)),
		),
		output: object("", append([]property{
			required("path", text("The file, without a leading slash.")),
			required("type", text("\"file\" or \"notebook\".")),
			required("content", text("Its text, from position on.")),
			required("truncated", boolean("Whether there is more behind it.")),
			required("content_length", integer("Length of the whole text, "+positionUnit+".")),
			required("revision", revisionSchema("the content")),
			optional("next_position", integer("Where the rest begins, when truncated.")),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args fileReadArgs) (*answer, error) {
			file, err := d.fileNotFolder(ctx, args.ID, args.Path)
			if err != nil {
				return nil, err
			}
			open := d.manager.OpenText
			if file.Type == "notebook" {
				open = d.manager.Open
			}
			doc, err := open(ctx, file.Path)
			if errors.Is(err, session.ErrNotText) {
				err = coded{codeNotText, err.Error() + "; file_get gets it, and execute_code can read parts of it"}
			}
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			out := fileReadResult{Path: file.Path, Type: file.Type}
			shorter, err := d.readText(ctx, doc, contentArgs{Max: args.Max, Position: args.Position}, &out.contentResult)
			if err != nil {
				return nil, err
			}
			a := &answer{body: &out, doc: doc}
			return a, a.trim(shorter)
		}),
	}
}
