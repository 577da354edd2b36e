package analysis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/inspect"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/tool"
)

// The codes of the errors of looking into files, besides those that inspections give.
const (
	codeFar       = "file_out_of_reach"
	codePython    = "no_python_kernel"
	codeDelimiter = "invalid_delimiter"
)

type previewArgs struct {
	Session   string `json:"session_id"`
	Path      string `json:"path"`
	Rows      int    `json:"rows"`
	Format    string `json:"format"`
	Sheet     string `json:"sheet"`
	Table     string `json:"table"`
	Delimiter string `json:"delimiter"`
	Encoding  string `json:"encoding"`
}

// previewData makes preview_data.
func previewData(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "preview_data",
		Title:   "Look into a data file",
		Toolset: tool.ToolsetAnalysis,
		Description: "Shows the beginning of a data file on the Jupyter server: columns, types, first rows, size. Reads CSV, TSV, JSON lines (these also packed by gzip, bzip2 or xz), Excel (.xlsx), Parquet, Feather and SQLite, of any size, without loading all of it. " +
			"It is read in a kernel of our own: no session is needed, and people's kernels are left alone. " +
			"Use it before writing code that loads a file. Costs one line a column and a row; the first call takes some seconds.",
		Marks: tool.Marks{ReadOnly: true, Idempotent: true},
		Input: tool.Arguments(
			tool.Required("path", tool.Text("File, relative to the server's root folder, such as \"data/sales.csv\".").Length(1, 4096)),
			tool.Optional("session_id", tool.Text("Session whose kind of kernel is to read the file, where its environment has a package that the usual one lacks. Its kernel is left alone.").Length(0, 100)),
			tool.Optional("rows", tool.Integer("How many rows to show.").Between(1, inspect.MaxHeadRows).Def(inspect.DefaultRows)),
			tool.Optional("format", tool.OneOf("Left out: by the name's ending.", inspect.PreviewFormats()...)),
			tool.Optional("sheet", tool.Text("Of an Excel workbook. Left out: the first.").Length(0, 200)),
			tool.Optional("table", tool.Text("Table or view of an SQLite database. Left out: the first.").Length(0, 1000)),
			tool.Optional("delimiter", tool.Text("Between the values of delimited text, one character. Left out: found by looking.").Length(0, 1)),
			tool.Optional("encoding", tool.Text("Of text, as Python calls it, such as cp932. Left out: UTF-8 or UTF-16, else a guess.").Length(0, 40)),
		),
		Output: tool.Object("",
			tool.Required("path", tool.Text("")),
			tool.Required("format", tool.OneOf("", inspect.PreviewFormats()...)),
			tool.Required("size_bytes", tool.Integer("Of the file.")),
			tool.Required("rows", tool.Integer("In all; null where it takes reading all of the file.").OrNull()),
			tool.Optional("rows_estimate", tool.Integer("In their place, roughly.")),
			tool.Required("shape", tool.List("Rows and columns; null for unknown.", tool.Integer("").OrNull())),
			tool.Required("columns", tool.List("", tool.Text(""))),
			tool.Required("dtypes", tool.AnyObject("By column. For text formats and Excel guessed from the first rows.")),
			tool.Required("head", tool.List("The first rows. Missing values are null, times and decimals text.", tool.AnyObject(""))),
			tool.Required("truncated", tool.Boolean("true where columns, values or names are not all shown; notes say which.")),
			tool.Optional("sheet", tool.Text("The one shown.")),
			tool.Optional("sheets", tool.List("All of the workbook.", tool.Text(""))),
			tool.Optional("table", tool.Text("The one shown.")),
			tool.Optional("tables", tool.List("All of the database, and its views.", tool.Text(""))),
			tool.Optional("delimiter", tool.Text("")),
			tool.Optional("encoding", tool.Text("")),
			tool.Optional("notes", tool.List("What was left out or guessed.", tool.Text(""))),
		),
		Handle: tool.Typed(func(ctx context.Context, args previewArgs) (*tool.Answer, error) {
			path, err := document.PathArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			if strings.ContainsAny(args.Delimiter, "\r\n\"") {
				return nil, tool.Coded{Code: codeDelimiter, Message: fmt.Sprintf("delimiter %q cannot stand between values: give a comma, a semicolon, a tab or another character", args.Delimiter)}
			}
			spec := ""
			if args.Session != "" {
				a, err := d.Analysis(ctx, args.Session)
				if err != nil {
					return nil, err
				}
				spec = a.KernelName()
			}
			out, err := d.Manager.Preview(ctx, spec, inspect.PreviewOptions{
				Path: path, Rows: args.Rows, Format: args.Format, Sheet: args.Sheet, Table: args.Table,
				Delimiter: args.Delimiter, Encoding: args.Encoding,
			})
			if err != nil {
				return nil, previewError(err, path)
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

// previewError gives an error its code, where it has one, and says what to do.
func previewError(err error, path string) error {
	var refusal *inspect.Refusal
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return tool.Coded{Code: CodeFile, Message: fmt.Sprintf("there is no file %s on the Jupyter server: paths are relative to its root folder; list_documents shows what there is", tool.Quoted(path))}
	case errors.Is(err, session.ErrDirectory):
		return tool.Coded{Code: CodeIsFolder, Message: fmt.Sprintf("%s is a folder: name a file in it; list_documents shows what there is", tool.Quoted(path))}
	case errors.Is(err, session.ErrOutOfReach):
		return tool.Coded{Code: codeFar, Message: fmt.Sprintf("%s: kernels of this server do not see its files, and more than %d MB are not fetched; look into it with code where it can be reached", err, inspect.MaxPreviewData>>20)}
	case errors.Is(err, session.ErrReaderDied):
		return tool.Coded{Code: inspect.NotReadable, Message: fmt.Sprintf("%s could not be read: the process that read it died over it, as it does of broken files and for want of memory; nobody else's kernel was concerned", tool.Quoted(path))}
	case errors.Is(err, session.ErrNoHelper):
		return tool.Coded{Code: codePython, Message: "the Jupyter server has no kernel for Python, which files are read with: read the file with execute_code"}
	case errors.Is(err, inspect.ErrSlow):
		return tool.Coded{Code: inspect.TooSlow, Message: fmt.Sprintf("%s could not be read in time; nobody else's kernel was concerned", tool.Quoted(path))}
	case errors.As(err, &refusal):
		return tool.Coded{Code: refusal.Code, Message: fmt.Sprintf("%s: %s", tool.Quoted(path), refusal.Message)}
	}
	return err
}
