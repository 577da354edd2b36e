package analysis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/inspect"
	"github.com/nbduet/nbduet/session/service/filepreview"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/tool"
)

// The codes of errors about data files, besides those of package inspect.
const (
	codeOutOfReach = "file_out_of_reach"
	codePython     = "no_python_kernel"
	codeDelimiter  = "invalid_delimiter"
	codeReadOnly   = "read_only"
)

type previewArgs struct {
	Path      string `json:"path" jsonschema:"File, relative to the server's root folder, such as \"data/sales.csv\"." validate:"min=1,max=path"`
	Session   string `json:"session_id,omitempty" jsonschema:"Session whose kernel type reads the file, if its environment has a package that the default lacks. Its own kernel is not used." validate:"max=100"`
	Rows      int    `json:"rows,omitempty" jsonschema:"How many rows to show." validate:"min=1,max=100" default:"5"`
	Format    string `json:"format,omitempty" jsonschema:"Left out: by file extension."`
	Sheet     string `json:"sheet,omitempty" jsonschema:"Of an Excel workbook. Left out: the first." validate:"max=200"`
	Table     string `json:"table,omitempty" jsonschema:"Table or view of an SQLite database. Left out: the first." validate:"max=1000"`
	Delimiter string `json:"delimiter,omitempty" jsonschema:"Character that separates values. Left out: detected." validate:"max=1"`
	Encoding  string `json:"encoding,omitempty" jsonschema:"Python's name of the encoding, such as cp932. Left out: UTF-8, UTF-16 or a guess." validate:"max=40"`
}

// Refine implements tool.Refiner.
func (previewArgs) Refine(f tool.Fields) {
	f.Field("format").OneOf(inspect.PreviewFormats()...)
}

// refinePreview adds to the schema of an inspect.Preview the facts that its Go types do not show.
func refinePreview(f tool.Fields) {
	f.Field("format").OneOf(inspect.PreviewFormats()...)
	f.Field("shape").Items().Null()
	f.Field("dtypes").As(objectShape)
	f.Field("head").As(objectsShape)
	f.Field("missing").As(objectShape)
	f.Field("describe").As(objectShape)
}

// previewData makes preview_data.
func previewData(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "preview_data",
		Title:       "Preview a data file",
		Description: "Previews a data file: columns, types, first rows, size. Use it before writing code that loads the file. Reads CSV, TSV, JSON lines, Excel, Parquet, Feather and SQLite of any size, in a separate kernel. The first call takes a few seconds.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[inspect.Preview](refinePreview),
		Call: tool.Typed(func(ctx context.Context, args previewArgs) (*tool.Answer, error) {
			path, err := document.PathArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			if strings.ContainsAny(args.Delimiter, "\r\n\"") {
				return nil, tool.Coded{Code: codeDelimiter, Message: fmt.Sprintf("delimiter %q cannot separate values: give a comma, a semicolon, a tab or another character", args.Delimiter)}
			}
			if d.ReadOnly && d.Helper.KernelID() == "" {
				return nil, tool.Coded{Code: codeReadOnly, Message: "a preview needs a kernel, and none is started with --read-only" + textfmt.Hint(": file_read reads the text of a file")}
			}
			spec := ""
			if args.Session != "" {
				a, err := d.Analysis(ctx, args.Session)
				if err != nil {
					return nil, err
				}
				spec = a.KernelName()
			}
			out, err := d.Helper.Preview(ctx, path, spec, inspect.PreviewOptions{
				Rows: args.Rows, Format: args.Format, Sheet: args.Sheet, Table: args.Table,
				Delimiter: args.Delimiter, Encoding: args.Encoding,
			})
			if err != nil {
				return nil, previewError(err, path)
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

// previewError gives a known error its code, and says what to do.
func previewError(err error, path jupyter.Path) error {
	var refusal *inspect.Refusal
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return tool.Coded{Code: CodeFile, Message: fmt.Sprintf("there is no file %s on the Jupyter server: paths are relative to its root folder"+textfmt.Hint("; list_documents lists the files"), textfmt.Quoted(path.String()))}
	case errors.Is(err, filepreview.ErrDirectory):
		return tool.Coded{Code: CodeIsFolder, Message: fmt.Sprintf("%s is a folder: name a file in it"+textfmt.Hint("; list_documents lists the files"), textfmt.Quoted(path.String()))}
	case errors.Is(err, filepreview.ErrOutOfReach):
		return tool.Coded{Code: codeOutOfReach, Message: fmt.Sprintf("%s: this server's kernels cannot access its files, and files above %d MB are not fetched: read it with code that can", err, inspect.MaxPreviewData>>20)}
	case errors.Is(err, filepreview.ErrReaderDied):
		return tool.Coded{Code: inspect.NotReadable, Message: fmt.Sprintf("%s could not be read: the reading process died, probably because the file is damaged or memory ran out; no other kernel was affected", textfmt.Quoted(path.String()))}
	case errors.Is(err, filepreview.ErrNoHelper):
		return tool.Coded{Code: codePython, Message: "the Jupyter server has no Python kernel, which previews need" + textfmt.Hint(": read the file with execute_code")}
	case errors.Is(err, inspect.ErrSlow):
		return tool.Coded{Code: inspect.TooSlow, Message: fmt.Sprintf("%s could not be read in time; no other kernel was affected", textfmt.Quoted(path.String()))}
	case errors.As(err, &refusal):
		return tool.Coded{Code: refusal.Code, Message: fmt.Sprintf("%s: %s", textfmt.Quoted(path.String()), refusal.Message)}
	}
	return err
}
