package inspect

import (
	"context"
	"encoding/json"
)

// Limits of the options, and the defaults that 0 selects.
const (
	MaxListed      = 500
	DefaultListed  = 200
	MaxChars       = 20_000
	DefaultChars   = 2_000
	MaxHeadRows    = 100
	DefaultRows    = 5
	MaxColumns     = 200
	DefaultColumns = 100
)

// ListOptions say which variables to list.
type ListOptions struct {
	Offset, Limit int
	// Everything lists modules, functions and classes too.
	Everything bool
}

// Named has an object's name and class. The jsonschema tags document it and the other answers here for the tools.
type Named struct {
	Name string `json:"name"`
	Type string `json:"type" jsonschema:"The class's name."` // without its module
}

// A Variable is one line of the list. Its size is absent if it has none, and its value if it is of another type than listed
// here.
type Variable struct {
	Named
	Size  string          `json:"size,omitempty" jsonschema:"In words, such as \"1000 rows × 5 cols\" or \"3 items\"."`
	Value json.RawMessage `json:"value,omitempty" jsonschema:"Of numbers, texts, true, false and None; long texts are cut. Numbers that JSON cannot hold exactly are text."`
}

// A Listing is a part of a kernel's variables, sorted by name.
type Listing struct {
	Variables []Variable `json:"variables"`
	Total     int        `json:"total" jsonschema:"Of all, those not listed included."`
}

// Variables lists the user's variables, without those that begin with an underscore or that the kernel defines. It runs
// none of their code. The errors are ErrBusy, ErrSlow, *LanguageError, *Refusal, or the kernel's.
func Variables(ctx context.Context, k Kernel, opt ListOptions) (Listing, error) {
	out := Listing{}
	err := ask(ctx, k, askList, listTime, map[string]any{
		"offset": max(opt.Offset, 0), "limit": bounded(opt.Limit, DefaultListed, MaxListed), "all": opt.Everything,
	}, &out)
	return out, err
}

// DetailOptions say how much of a value to show. If Table.Quiet is set, no code of the values runs, such as __repr__, and
// values that need it are reported as not shown; in R and Julia only the list of variables works without such code.
type DetailOptions struct {
	MaxChars int // of the value
	Table    TableOptions
}

// TableOptions say how much of a table to show.
type TableOptions struct {
	NoHead     bool
	Quiet      bool // see [DetailOptions]
	HeadRows   int
	MaxColumns int
}

// A Detail is one value. Types without a value in [Variable] have a shortened text as in repr, or the reason why it is
// missing.
type Detail struct {
	Variable
	Module    string `json:"module" jsonschema:"Where the class is from."`
	Truncated bool   `json:"truncated,omitempty" jsonschema:"true where the value is not all shown."`
	// Attributes are present for types that are not known otherwise.
	Attributes []Named `json:"attributes,omitempty" jsonschema:"The object's attributes, at most 50; look at one by variable_name.attribute."`
	// Frame is present instead of a value for tables and their columns.
	Frame *Table `json:"dataframe,omitempty"`
}

// Value reads one variable, or a part of it by a path. The errors are those of [Variables] and *NameError.
func Value(ctx context.Context, k Kernel, name string, opt DetailOptions) (Detail, error) {
	out := Detail{}
	if err := checkAnyName(name); err != nil {
		return out, err
	}
	question := opt.Table.question(name)
	question["max_chars"] = bounded(opt.MaxChars, DefaultChars, MaxChars)
	err := ask(ctx, k, askDetail, detailTime, question, &out)
	return out, err
}

// A Table describes a table or a column: of pandas, polars, PyArrow, Modin, cuDF, R or Julia. Data by column are an object
// in the columns' order. A missing value is null; values that JSON cannot represent, including infinity and integers beyond
// 2^53, are text.
type Table struct {
	Shape   []*int64        `json:"shape" jsonschema:"Rows and columns; null where it takes computing."`
	Columns []string        `json:"columns"`
	DTypes  json.RawMessage `json:"dtypes" jsonschema:"By column."`
	Index   json.RawMessage `json:"index,omitempty" jsonschema:"Type and names, where the rows have more than numbers."`
	Memory  *int64          `json:"memory_bytes,omitempty" jsonschema:"Roughly."`
	Head    json.RawMessage `json:"head,omitempty" jsonschema:"The first rows. Missing values are null, times and decimals text."` // a list of objects
	HeadIdx json.RawMessage `json:"head_index,omitempty" jsonschema:"The labels of those rows."`
	Missing json.RawMessage `json:"missing" jsonschema:"How many values are missing, by column."`
	Figures json.RawMessage `json:"describe" jsonschema:"By column: count, and mean, std, min, quartiles and max, or unique, top and freq."`
	Notes   []string        `json:"notes,omitempty" jsonschema:"Omitted parts, with reasons."`
}

// A Frame is a named table.
type Frame struct {
	Named
	Table
}

// DataFrame reads a table. The errors are those of [Value].
func DataFrame(ctx context.Context, k Kernel, name string, opt TableOptions) (Frame, error) {
	out := Frame{}
	if err := checkAnyName(name); err != nil {
		return out, err
	}
	err := ask(ctx, k, askFrame, frameTime, opt.question(name), &out)
	return out, err
}

func (o TableOptions) question(name string) map[string]any {
	return map[string]any{
		"name": name, "quiet": o.Quiet, "include_head": !o.NoHead,
		"head_rows": bounded(o.HeadRows, DefaultRows, MaxHeadRows), "max_columns": bounded(o.MaxColumns, DefaultColumns, MaxColumns),
	}
}

func bounded(n, standard, most int) int {
	if n <= 0 {
		return standard
	}
	return min(n, most)
}
