package tools

import (
	"context"
	"errors"

	"github.com/nbduet/nbduet/session/inspect"
)

// The codes of the errors of looking at variables, besides those that inspections give.
const (
	codeVariable = "variable_not_found"
	codeName     = "invalid_variable_name"
	codeBusy     = "kernel_busy"
	codeSlow     = "kernel_slow"
	codeLanguage = "language_not_supported"
)

var _ inspect.PayloadKernel = (*Analysis)(nil) // which R needs

// inspecting finds the session and gives the error of looking into its kernel a code. Two looks at one kernel would
// find it busy, so they take turns.
func (d *deps) inspecting(ctx context.Context, id string, look func(*Analysis) error) error {
	a, err := d.analysis(ctx, id)
	if err != nil {
		return err
	}
	done, err := d.looks.take(ctx, a.KernelID())
	if err != nil {
		return err
	}
	defer done()
	return inspectionError(analysisError(look(a)))
}

func inspectionError(err error) error {
	var name *inspect.NameError
	var language *inspect.LanguageError
	var refusal *inspect.Refusal
	switch {
	case errors.Is(err, inspect.ErrBusy):
		return coded{codeBusy, "the kernel is running code, so that its variables cannot be looked at; nothing was interrupted. Try again when it has ended: wait_run waits for a run, session_list shows whether the kernel is idle"}
	case errors.Is(err, inspect.ErrSlow):
		return coded{codeSlow, "the kernel did not answer in time: a variable takes too long to be looked at, or somebody's code has begun to run; try again later, or look at a part of it with execute_code"}
	case errors.As(err, &name):
		return coded{codeName, name.Error()}
	case errors.As(err, &language):
		return coded{codeLanguage, language.Error()}
	case errors.As(err, &refusal) && refusal.Code == codeVariable:
		return coded{codeVariable, refusal.Message + "; get_variables lists those there are"}
	case errors.As(err, &refusal):
		return coded{refusal.Code, refusal.Message}
	}
	return err
}

func nameProperty(description string) property {
	return required("variable_name", text(description+" A name such as df, or a dotted path such as model.coef_, in R df$price; no calls, no subscripts.").length(1, inspect.MaxName))
}

// tableArgs are the arguments that say how much of a table is shown.
type tableArgs struct {
	Head    *bool `json:"include_head"`
	Rows    int   `json:"head_rows"`
	Columns int   `json:"max_columns"`
}

func (t tableArgs) options() inspect.TableOptions {
	return inspect.TableOptions{NoHead: t.Head != nil && !*t.Head, HeadRows: t.Rows, MaxColumns: t.Columns}
}

func tableArguments() []property {
	return []property{
		optional("include_head", boolean("Whether to show a table's first rows.").def(true)),
		optional("head_rows", integer("How many of them.").between(1, inspect.MaxHeadRows).def(inspect.DefaultRows)),
		optional("max_columns", integer("Most columns shown.").between(1, inspect.MaxColumns).def(inspect.DefaultColumns)),
	}
}

// anything is the schema of any JSON value.
func anything(description string) schema { return schema{{"description", description}} }

func variableProperties() []property {
	return []property{
		required("name", text("")),
		required("type", text("The class's name.")),
		optional("size", text("In words, such as \"1000 rows × 5 cols\" or \"3 items\".")),
		optional("value", anything("Of numbers, texts, true, false and None; long texts are cut. Numbers that JSON cannot hold exactly are text.")),
	}
}

// tableProperties describe an inspect.Table.
func tableProperties() []property {
	return []property{
		required("shape", list("Rows and columns; null where it takes computing.", integer("").orNull())),
		required("columns", list("", text(""))),
		required("dtypes", anyObject("By column.")),
		optional("index", anyObject("Type and names, where the rows have more than numbers.")),
		optional("memory_bytes", integer("Roughly.")),
		optional("head", list("The first rows. Missing values are null, times and decimals text.", anyObject(""))),
		optional("head_index", list("The labels of those rows.", anything(""))),
		required("missing", anyObject("How many values are missing, by column.")),
		required("describe", anyObject("By column: count, and mean, std, min, quartiles and max, or unique, top and freq.")),
		optional("notes", list("What was left out, and why.", text(""))),
	}
}

type getVariablesArgs struct {
	ID     string `json:"session_id"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
	All    bool   `json:"include_all"`
}

// getVariables makes get_variables.
func getVariables(d *deps) tool {
	return tool{
		name:    "get_variables",
		title:   "List variables",
		toolset: toolsetAnalysis,
		description: "Lists the variables of an analysis session's kernel in the order of their names, with types, sizes and short values. Leaves no trace in the kernel, and runs none of the variables' own code. " +
			"Use it to see what there is before writing code. Python, R and Julia only; a kernel that is busy is not waited for. Costs one line a variable.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			sessionProperty(),
			optional("offset", integer("How many to pass over.").between(0, maxIndex).def(0)),
			optional("limit", integer("Most variables listed.").between(1, inspect.MaxListed).def(inspect.DefaultListed)),
			optional("include_all", boolean("Whether to list modules, functions and classes too.").def(false)),
		),
		output: object("",
			required("variables", list("", object("", variableProperties()...))),
			required("total", integer("Of all, those not listed included.")),
		),
		handle: typed(func(ctx context.Context, args getVariablesArgs) (*answer, error) {
			out := inspect.Listing{}
			err := d.inspecting(ctx, args.ID, func(a *Analysis) (err error) {
				out, err = inspect.Variables(ctx, a, inspect.ListOptions{Offset: args.Offset, Limit: args.Limit, Everything: args.All})
				return err
			})
			if err != nil {
				return nil, err
			}
			a := &answer{body: &out}
			return a, a.trim(func() bool {
				out.Variables = out.Variables[:len(out.Variables)*3/4]
				return len(out.Variables) > 0
			})
		}),
	}
}

type getVariableArgs struct {
	tableArgs
	ID       string `json:"session_id"`
	Name     string `json:"variable_name"`
	MaxChars int    `json:"max_chars"`
}

// getVariable makes get_variable.
func getVariable(d *deps) tool {
	return tool{
		name:    "get_variable",
		title:   "Look at a variable",
		toolset: toolsetAnalysis,
		description: "Shows one variable of an analysis session's kernel, or an attribute of one: its value, shortened, and what an object has; a table is shown as get_dataframe_info does. Leaves no trace in the kernel. Properties are not run, and a repr that takes too long is ended. " +
			"Use it in place of printing. Python, R and Julia only; a kernel that is busy is not waited for. Costs up to max_chars characters, or a table's first rows and figures.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(append([]property{
			sessionProperty(),
			nameProperty("What to look at."),
			optional("max_chars", integer("Most characters of the value.").between(1, inspect.MaxChars).def(inspect.DefaultChars)),
		}, tableArguments()...)...),
		output: object("", append(variableProperties(),
			required("module", text("Where the class is from.")),
			optional("truncated", boolean("true where the value is not all shown.")),
			optional("attributes", list("What the object has, at most 50; look at one by variable_name.attribute.", object("", variableProperties()[:2]...))),
			optional("dataframe", object("", tableProperties()...)),
		)...),
		handle: typed(func(ctx context.Context, args getVariableArgs) (*answer, error) {
			out := inspect.Detail{}
			err := d.inspecting(ctx, args.ID, func(a *Analysis) (err error) {
				out, err = inspect.Value(ctx, a, args.Name, inspect.DetailOptions{MaxChars: args.MaxChars, Table: args.options()})
				return err
			})
			if err != nil {
				return nil, err
			}
			return &answer{body: out}, nil
		}),
	}
}

type getDataFrameArgs struct {
	tableArgs
	ID   string `json:"session_id"`
	Name string `json:"variable_name"`
}

// getDataFrameInfo makes get_dataframe_info.
func getDataFrameInfo(d *deps) tool {
	return tool{
		name:    "get_dataframe_info",
		title:   "Look at a DataFrame",
		toolset: toolsetAnalysis,
		description: "Shows a DataFrame of an analysis session: shape, columns, dtypes, first rows, statistics, missing values and memory. Knows pandas, polars, PyArrow, Modin, cuDF and those of R and Julia, and single columns. Leaves no trace in the kernel. " +
			"Use it before writing code for the data. Python, R and Julia only; a kernel that is busy is not waited for. Costs one line a column and a row, and at most some seconds of the kernel for millions of rows.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(append([]property{sessionProperty(), nameProperty("The table.")}, tableArguments()...)...),
		output: object("", append([]property{
			required("name", text("")),
			required("type", text("The class's name.")),
		}, tableProperties()...)...),
		handle: typed(func(ctx context.Context, args getDataFrameArgs) (*answer, error) {
			out := inspect.Frame{}
			err := d.inspecting(ctx, args.ID, func(a *Analysis) (err error) {
				out, err = inspect.DataFrame(ctx, a, args.Name, args.options())
				return err
			})
			if err != nil {
				return nil, err
			}
			return &answer{body: out}, nil
		}),
	}
}
