package inspect

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"
)

// askPreview is the inspection of a file.
const askPreview = "preview"

// previewTime bounds a preview inside the kernel.
const previewTime = 12 * time.Second

// MaxPreviewData bounds the bytes of a file that are sent to the kernel with the question.
const MaxPreviewData = 4 << 20

// Codes of the refusals of [File], besides "failed" and "interrupted"; NotHere means that the kernel does not see the file.
const (
	NotHere           = "not_here"
	NotReadable       = "not_readable"
	ReaderMissing     = "reader_missing"
	UnsupportedFormat = "unsupported_format"
	TooLarge          = "too_large"
	TooSlow           = "too_slow"
)

// PreviewFormats are the formats of files.
func PreviewFormats() []string {
	return []string{"csv", "tsv", "excel", "parquet", "jsonl", "feather", "sqlite"}
}

// PreviewOptions say what to show of a file.
type PreviewOptions struct {
	// Path is the file's path from the kernel's working folder, with slashes.
	Path string
	// Data is the file's content, at most MaxPreviewData bytes, if the kernel cannot read the file; nil if it can.
	Data []byte
	// Format is one of PreviewFormats; "" means by the name's extension.
	Format string
	// Rows is how many rows are shown.
	Rows int
	// Sheet and Table select those of a workbook or a database; "" for the first.
	Sheet, Table string
	// Delimiter is one character, and Encoding a name known to Python; "" for a guess.
	Delimiter, Encoding string
}

// A Preview is the beginning of a data file. See [Table] for the form of its content.
type Preview struct {
	Path   string `json:"path"`
	Format string `json:"format"` // one of PreviewFormats
	Size   int64  `json:"size_bytes" jsonschema:"Of the file."`

	Rows     *int64          `json:"rows" jsonschema:"In all; null where it takes reading all of the file."`
	Estimate *int64          `json:"rows_estimate,omitempty" jsonschema:"In their place, roughly."`
	Shape    []*int64        `json:"shape" jsonschema:"Rows and columns; null for unknown."`
	Columns  []string        `json:"columns"`
	DTypes   json.RawMessage `json:"dtypes" jsonschema:"By column. For text formats and Excel guessed from the first rows."`
	Head     json.RawMessage `json:"head" jsonschema:"The first rows. Missing values are null, times and decimals text."` // a list of objects
	// Missing and Figures are of the rows that were read for them, at most 100,000: see Notes.
	Missing json.RawMessage `json:"missing,omitempty" jsonschema:"How many values are missing, by column."`
	Figures json.RawMessage `json:"describe,omitempty" jsonschema:"By column, as of a data frame: count, unique (distinct values), and min, mean and max or top and freq."`
	// Truncated does not count missing rows: Rows does.
	Truncated bool     `json:"truncated" jsonschema:"true where columns, values or names are not all shown; notes say which."`
	Sheet     string   `json:"sheet,omitempty" jsonschema:"The one shown."`
	Sheets    []string `json:"sheets,omitempty" jsonschema:"All of the workbook."`
	Table     string   `json:"table,omitempty" jsonschema:"The one shown."`
	Tables    []string `json:"tables,omitempty" jsonschema:"All of the database, and its views."`
	Delimiter string   `json:"delimiter,omitempty"`
	Encoding  string   `json:"encoding,omitempty"`
	Notes     []string `json:"notes,omitempty" jsonschema:"Omitted or guessed parts."`
}

// Seen describes the file that the kernel found.
type Seen struct {
	Size     int64
	Modified time.Time
}

// File reads the beginning of a file with a dedicated kernel: its memory is limited from then on, and its sys.path loses
// the working folder. The errors are those of [Variables].
func File(ctx context.Context, k Kernel, opt PreviewOptions) (Preview, Seen, error) {
	question := map[string]any{
		"path": opt.Path, "format": opt.Format, "sheet": opt.Sheet, "table": opt.Table, "delimiter": opt.Delimiter,
		"encoding": opt.Encoding, "head_rows": bounded(opt.Rows, DefaultRows, MaxHeadRows), "max_columns": MaxColumns,
	}
	if opt.Data != nil {
		question["data"] = base64.StdEncoding.EncodeToString(opt.Data)
	}
	var out struct {
		Preview
		Seen struct {
			Size     int64   `json:"size"`
			Modified float64 `json:"modified"`
		} `json:"seen"`
	}
	if err := ask(ctx, k, askPreview, previewTime, question, &out); err != nil {
		return Preview{}, Seen{}, err
	}
	out.Path = opt.Path
	return out.Preview, Seen{out.Seen.Size, time.UnixMicro(int64(out.Seen.Modified * 1e6))}, nil
}
