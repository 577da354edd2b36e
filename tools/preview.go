package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/inspect"
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
func previewData(d *deps) tool {
	return tool{
		name:    "preview_data",
		title:   "Look into a data file",
		toolset: toolsetAnalysis,
		description: "Shows the beginning of a data file on the Jupyter server: columns, types, first rows, size. Reads CSV, TSV, JSON lines (these also packed by gzip, bzip2 or xz), Excel (.xlsx), Parquet, Feather and SQLite, of any size, without loading all of it. " +
			"It is read in a kernel of our own: no session is needed, and people's kernels are left alone. " +
			"Use it before writing code that loads a file. Costs one line a column and a row; the first call takes some seconds.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			required("path", text("File, relative to the server's root folder, such as \"data/sales.csv\".").length(1, 4096)),
			optional("session_id", text("Session whose kind of kernel is to read the file, where its environment has a package that the usual one lacks. Its kernel is left alone.").length(0, 100)),
			optional("rows", integer("How many rows to show.").between(1, inspect.MaxHeadRows).def(inspect.DefaultRows)),
			optional("format", oneOf("Left out: by the name's ending.", inspect.PreviewFormats()...)),
			optional("sheet", text("Of an Excel workbook. Left out: the first.").length(0, 200)),
			optional("table", text("Table or view of an SQLite database. Left out: the first.").length(0, 1000)),
			optional("delimiter", text("Between the values of delimited text, one character. Left out: found by looking.").length(0, 1)),
			optional("encoding", text("Of text, as Python calls it, such as cp932. Left out: UTF-8 or UTF-16, else a guess.").length(0, 40)),
		),
		output: object("",
			required("path", text("")),
			required("format", oneOf("", inspect.PreviewFormats()...)),
			required("size_bytes", integer("Of the file.")),
			required("rows", integer("In all; null where it takes reading all of the file.").orNull()),
			optional("rows_estimate", integer("In their place, roughly.")),
			required("shape", list("Rows and columns; null for unknown.", integer("").orNull())),
			required("columns", list("", text(""))),
			required("dtypes", anyObject("By column. For text formats and Excel guessed from the first rows.")),
			required("head", list("The first rows. Missing values are null, times and decimals text.", anyObject(""))),
			required("truncated", boolean("true where columns, values or names are not all shown; notes say which.")),
			optional("sheet", text("The one shown.")),
			optional("sheets", list("All of the workbook.", text(""))),
			optional("table", text("The one shown.")),
			optional("tables", list("All of the database, and its views.", text(""))),
			optional("delimiter", text("")),
			optional("encoding", text("")),
			optional("notes", list("What was left out or guessed.", text(""))),
		),
		handle: typed(func(ctx context.Context, args previewArgs) (*answer, error) {
			path, err := documentArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			if strings.ContainsAny(args.Delimiter, "\r\n\"") {
				return nil, coded{codeDelimiter, fmt.Sprintf("delimiter %q cannot stand between values: give a comma, a semicolon, a tab or another character", args.Delimiter)}
			}
			spec := ""
			if args.Session != "" {
				a, err := d.analysis(ctx, args.Session)
				if err != nil {
					return nil, err
				}
				spec = a.KernelName()
			}
			out, err := d.manager.Preview(ctx, spec, inspect.PreviewOptions{
				Path: path, Rows: args.Rows, Format: args.Format, Sheet: args.Sheet, Table: args.Table,
				Delimiter: args.Delimiter, Encoding: args.Encoding,
			})
			if err != nil {
				return nil, previewError(err, path)
			}
			return &answer{body: out}, nil
		}),
	}
}

// previewError gives an error its code, where it has one, and says what to do.
func previewError(err error, path string) error {
	var refusal *inspect.Refusal
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return coded{codeFile, fmt.Sprintf("there is no file %s on the Jupyter server: paths are relative to its root folder; list_documents shows what there is", quoted(path))}
	case errors.Is(err, session.ErrDirectory):
		return coded{codeIsFolder, fmt.Sprintf("%s is a folder: name a file in it; list_documents shows what there is", quoted(path))}
	case errors.Is(err, session.ErrOutOfReach):
		return coded{codeFar, fmt.Sprintf("%s: kernels of this server do not see its files, and more than %d MB are not fetched; look into it with code where it can be reached", err, inspect.MaxPreviewData>>20)}
	case errors.Is(err, session.ErrReaderDied):
		return coded{inspect.NotReadable, fmt.Sprintf("%s could not be read: the process that read it died over it, as it does of broken files and for want of memory; nobody else's kernel was concerned", quoted(path))}
	case errors.Is(err, session.ErrNoHelper):
		return coded{codePython, "the Jupyter server has no kernel for Python, which files are read with: read the file with execute_code"}
	case errors.Is(err, inspect.ErrSlow):
		return coded{inspect.TooSlow, fmt.Sprintf("%s could not be read in time; nobody else's kernel was concerned", quoted(path))}
	case errors.As(err, &refusal):
		return coded{refusal.Code, fmt.Sprintf("%s: %s", quoted(path), refusal.Message)}
	}
	return err
}
