package inspect

import (
	"context"
	"encoding/json"
)

// Limits of the questions' parameters, and what they are where they are 0.
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

// ListOptions say which variables are listed.
type ListOptions struct {
	Offset, Limit int
	// Everything lists modules, functions and classes too.
	Everything bool
}

// A Variable is one line of the list.
type Variable struct {
	Name string `json:"name"`
	Type string `json:"type"` // the class's name without its module
	// Size is in words: "1000 rows × 5 cols", "3 items"; absent where there is nothing to say.
	Size string `json:"size,omitempty"`
	// Value is that of a number, a truth value, None or a text, whose end may be cut; absent for others.
	Value json.RawMessage `json:"value,omitempty"`
}

// A Listing is a part of a kernel's variables, in the order of their names.
type Listing struct {
	Variables []Variable `json:"variables"`
	Total     int        `json:"total"` // of all, those left out included
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

// DetailOptions say how much of a value is shown.
type DetailOptions struct {
	MaxChars int // of the value
	Table    TableOptions
}

// TableOptions say how much of a table is shown.
type TableOptions struct {
	NoHead     bool
	HeadRows   int
	MaxColumns int
}

// A Detail is one value.
type Detail struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Module string `json:"module"`
	Size   string `json:"size,omitempty"`
	// Value is as in [Variable], and for other types a text as repr has it, shortened, or why there is none.
	Value     json.RawMessage `json:"value,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`
	// Attributes are what the object itself has, at most 50, for types that are not known otherwise.
	Attributes []Variable `json:"attributes,omitempty"`
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

// A Table is what is known of a table or a column: of pandas, polars, PyArrow, Modin, cuDF, R or Julia. What is kept by column is
// an object in the columns' order. A missing value is null; what JSON has no form of, infinity and integers beyond 2^53
// included, is text.
type Table struct {
	Shape   []*int64        `json:"shape"` // rows and columns; null where it is not known without computing
	Columns []string        `json:"columns"`
	DTypes  json.RawMessage `json:"dtypes"`
	Index   json.RawMessage `json:"index,omitempty"` // type and names, where it is not just the rows' numbers
	Memory  *int64          `json:"memory_bytes,omitempty"`
	Head    json.RawMessage `json:"head,omitempty"`       // a list of objects
	HeadIdx json.RawMessage `json:"head_index,omitempty"` // the rows' labels
	Missing json.RawMessage `json:"missing"`
	Figures json.RawMessage `json:"describe"`
	Notes   []string        `json:"notes,omitempty"` // what is left out or told apart
}

// A Frame is a table by its name.
type Frame struct {
	Name string `json:"name"`
	Type string `json:"type"`
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
		"name": name, "include_head": !o.NoHead,
		"head_rows": bounded(o.HeadRows, DefaultRows, MaxHeadRows), "max_columns": bounded(o.MaxColumns, DefaultColumns, MaxColumns),
	}
}

func bounded(n, standard, most int) int {
	if n <= 0 {
		return standard
	}
	return min(n, most)
}
