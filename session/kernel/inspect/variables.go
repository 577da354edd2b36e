package inspect

import (
	"context"
	"encoding/json"
)

// Limits of the options, and the values that 0 stands for.
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

// Named is what something is called, and its class. What tools say of it and of the other answers here is in the
// jsonschema tags.
type Named struct {
	Name string `json:"name"`
	Type string `json:"type" jsonschema:"The class's name."` // without its module
}

// A Variable is one line of the list. Its size is absent where there is nothing to say, and its value where it is none
// of these.
type Variable struct {
	Named
	Size  string          `json:"size,omitempty" jsonschema:"In words, such as \"1000 rows × 5 cols\" or \"3 items\"."`
	Value json.RawMessage `json:"value,omitempty" jsonschema:"Of numbers, texts, true, false and None; long texts are cut. Numbers that JSON cannot hold exactly are text."`
}

// A Listing is a part of a kernel's variables, in the order of their names.
type Listing struct {
	Variables []Variable `json:"variables"`
	Total     int        `json:"total" jsonschema:"Of all, those not listed included."`
}

// Variables lists the user's variables, without those that begin with an underscore or that the kernel puts there. Of
// their own code none is run. The errors are ErrBusy, ErrSlow, *LanguageError, *Refusal, or the kernel's.
func Variables(ctx context.Context, k Kernel, opt ListOptions) (Listing, error) {
	out := Listing{}
	err := ask(ctx, k, askList, listTime, map[string]any{
		"offset": max(opt.Offset, 0), "limit": bounded(opt.Limit, DefaultListed, MaxListed), "all": opt.Everything,
	}, &out)
	return out, err
}

// DetailOptions say how much of a value to show. Where Table.Quiet is set, nothing of the values' own is run, such as
// __repr__, and what cannot be shown without says so; in R and Julia only the list of variables can be had without.
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

// A Detail is one value, for types that have none as in [Variable] a text as repr has it, shortened, or why there is
// none.
type Detail struct {
	Variable
	Module    string `json:"module" jsonschema:"Where the class is from."`
	Truncated bool   `json:"truncated,omitempty" jsonschema:"true where the value is not all shown."`
	// Attributes are there for types that are not known otherwise.
	Attributes []Named `json:"attributes,omitempty" jsonschema:"What the object has, at most 50; look at one by variable_name.attribute."`
	// Frame is there instead of a value for tables and columns of one.
	Frame *Table `json:"dataframe,omitempty"`
}

// Value looks at one variable, or at a part of it by a path. The errors are those of [Variables] and *NameError.
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

// A Table is what is known of a table or a column: of pandas, polars, PyArrow, Modin, cuDF, R or Julia. What is kept by
// column is an object in the columns' order. A missing value is null; what JSON has no form of, infinity and integers
// beyond 2^53 included, is text.
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
	Notes   []string        `json:"notes,omitempty" jsonschema:"What was left out, and why."`
}

// A Frame is a table by its name.
type Frame struct {
	Named
	Table
}

// DataFrame looks at a table. The errors are those of [Value].
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
