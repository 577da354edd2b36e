package analysis

import (
	"context"
	"errors"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/inspect"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

// The codes of the errors of looking at variables, besides those that inspections give.
const (
	codeVariable = "variable_not_found"
	codeName     = "invalid_variable_name"
	codeBusy     = "kernel_busy"
	codeSlow     = "kernel_slow"
	codeLanguage = "language_not_supported"
)

var _ inspect.PayloadKernel = (*session.Analysis)(nil) // which R needs

// inspecting finds the session and gives the error of looking into its kernel a code. Two looks at one kernel would
// find it busy, so they take turns.
func (d *inspector) inspecting(ctx context.Context, id string, look func(*session.Analysis) error) error {
	a, err := d.Analysis(ctx, id)
	if err != nil {
		return err
	}
	done, err := d.looks.Take(ctx, a.KernelID())
	if err != nil {
		return err
	}
	defer done()
	return inspectionError(desk.AnalysisError(look(a)))
}

func inspectionError(err error) error {
	var name *inspect.NameError
	var language *inspect.LanguageError
	var refusal *inspect.Refusal
	switch {
	case errors.Is(err, inspect.ErrBusy):
		return tool.Coded{Code: codeBusy, Message: "the kernel is running code, so that its variables cannot be looked at; nothing was interrupted. Try again when it has ended: wait_run waits for a run, session_list shows whether the kernel is idle"}
	case errors.Is(err, inspect.ErrSlow):
		return tool.Coded{Code: codeSlow, Message: "the kernel did not answer in time: a variable takes too long to be looked at, or somebody's code has begun to run; try again later, or look at a part of it with execute_code"}
	case errors.As(err, &name):
		return tool.Coded{Code: codeName, Message: name.Error()}
	case errors.As(err, &language):
		return tool.Coded{Code: codeLanguage, Message: language.Error()}
	case errors.As(err, &refusal) && refusal.Code == codeVariable:
		return tool.Coded{Code: codeVariable, Message: refusal.Message + "; get_variables lists those there are"}
	case errors.As(err, &refusal):
		return tool.Coded{Code: refusal.Code, Message: refusal.Message}
	}
	return err
}

func nameProperty(description string) tool.Property {
	return tool.Required("variable_name", tool.Text(description+" A name such as df, or a dotted path such as model.coef_, in R df$price; no calls, no subscripts.").Length(1, inspect.MaxName))
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

func tableArguments() []tool.Property {
	return []tool.Property{
		tool.Optional("include_head", tool.Boolean("Whether to show a table's first rows.").Def(true)),
		tool.Optional("head_rows", tool.Integer("How many of them.").Between(1, inspect.MaxHeadRows).Def(inspect.DefaultRows)),
		tool.Optional("max_columns", tool.Integer("Most columns shown.").Between(1, inspect.MaxColumns).Def(inspect.DefaultColumns)),
	}
}

// anything is the schema of any JSON value.
func anything(description string) tool.OldSchema {
	return tool.OldSchema{{Name: "description", Value: description}}
}

func variableProperties() []tool.Property {
	return []tool.Property{
		tool.Required("name", tool.Text("")),
		tool.Required("type", tool.Text("The class's name.")),
		tool.Optional("size", tool.Text("In words, such as \"1000 rows × 5 cols\" or \"3 items\".")),
		tool.Optional("value", anything("Of numbers, texts, true, false and None; long texts are cut. Numbers that JSON cannot hold exactly are text.")),
	}
}

// tableProperties describe an inspect.Table.
func tableProperties() []tool.Property {
	return []tool.Property{
		tool.Required("shape", tool.List("Rows and columns; null where it takes computing.", tool.Integer("").OrNull())),
		tool.Required("columns", tool.List("", tool.Text(""))),
		tool.Required("dtypes", tool.AnyObject("By column.")),
		tool.Optional("index", tool.AnyObject("Type and names, where the rows have more than numbers.")),
		tool.Optional("memory_bytes", tool.Integer("Roughly.")),
		tool.Optional("head", tool.List("The first rows. Missing values are null, times and decimals text.", tool.AnyObject(""))),
		tool.Optional("head_index", tool.List("The labels of those rows.", anything(""))),
		tool.Required("missing", tool.AnyObject("How many values are missing, by column.")),
		tool.Required("describe", tool.AnyObject("By column: count, and mean, std, min, quartiles and max, or unique, top and freq.")),
		tool.Optional("notes", tool.List("What was left out, and why.", tool.Text(""))),
	}
}

type getVariablesArgs struct {
	ID     string `json:"session_id"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
	All    bool   `json:"include_all"`
}

// getVariables makes get_variables.
func getVariables(d *inspector) tool.Tool {
	return tool.Tool{
		Name:    "get_variables",
		Title:   "List variables",
		Toolset: tool.ToolsetAnalysis,
		Description: "Lists the variables of an analysis session's kernel in the order of their names, with types, sizes and short values. Leaves no trace in the kernel, and runs none of the variables' own code. " +
			"Use it to see what there is before writing code. Python, R and Julia only; a kernel that is busy is not waited for. Costs one line a variable.",
		Marks: tool.Marks{ReadOnly: true, Idempotent: true},
		Input: tool.Arguments(
			sessionProperty(),
			tool.Optional("offset", tool.Integer("How many to pass over.").Between(0, tool.MaxIndex).Def(0)),
			tool.Optional("limit", tool.Integer("Most variables listed.").Between(1, inspect.MaxListed).Def(inspect.DefaultListed)),
			tool.Optional("include_all", tool.Boolean("Whether to list modules, functions and classes too.").Def(false)),
		),
		Output: tool.Object("",
			tool.Required("variables", tool.List("", tool.Object("", variableProperties()...))),
			tool.Required("total", tool.Integer("Of all, those not listed included.")),
		),
		Handle: tool.Typed(func(ctx context.Context, args getVariablesArgs) (*tool.Answer, error) {
			out := inspect.Listing{}
			err := d.inspecting(ctx, args.ID, func(a *session.Analysis) (err error) {
				out, err = inspect.Variables(ctx, a, inspect.ListOptions{Offset: args.Offset, Limit: args.Limit, Everything: args.All})
				return err
			})
			if err != nil {
				return nil, err
			}
			a := &tool.Answer{Body: &out}
			return a, a.Trim(func() bool {
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
func getVariable(d *inspector) tool.Tool {
	return tool.Tool{
		Name:    "get_variable",
		Title:   "Look at a variable",
		Toolset: tool.ToolsetAnalysis,
		Description: "Shows one variable of an analysis session's kernel, or an attribute of one: its value, shortened, and what an object has; a table is shown as get_dataframe_info does. Leaves no trace in the kernel. Properties are not run, and a repr that takes too long is ended. " +
			"Use it in place of printing. Python, R and Julia only; a kernel that is busy is not waited for. Costs up to max_chars characters, or a table's first rows and figures.",
		Marks: tool.Marks{ReadOnly: true, Idempotent: true},
		Input: tool.Arguments(append([]tool.Property{
			sessionProperty(),
			nameProperty("What to look at."),
			tool.Optional("max_chars", tool.Integer("Most characters of the value.").Between(1, inspect.MaxChars).Def(inspect.DefaultChars)),
		}, tableArguments()...)...),
		Output: tool.Object("", append(variableProperties(),
			tool.Required("module", tool.Text("Where the class is from.")),
			tool.Optional("truncated", tool.Boolean("true where the value is not all shown.")),
			tool.Optional("attributes", tool.List("What the object has, at most 50; look at one by variable_name.attribute.", tool.Object("", variableProperties()[:2]...))),
			tool.Optional("dataframe", tool.Object("", tableProperties()...)),
		)...),
		Handle: tool.Typed(func(ctx context.Context, args getVariableArgs) (*tool.Answer, error) {
			out := inspect.Detail{}
			err := d.inspecting(ctx, args.ID, func(a *session.Analysis) (err error) {
				out, err = inspect.Value(ctx, a, args.Name, inspect.DetailOptions{MaxChars: args.MaxChars, Table: args.options()})
				return err
			})
			if err != nil {
				return nil, err
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

type getDataFrameArgs struct {
	tableArgs
	ID   string `json:"session_id"`
	Name string `json:"variable_name"`
}

// getDataFrameInfo makes get_dataframe_info.
func getDataFrameInfo(d *inspector) tool.Tool {
	return tool.Tool{
		Name:    "get_dataframe_info",
		Title:   "Look at a DataFrame",
		Toolset: tool.ToolsetAnalysis,
		Description: "Shows a DataFrame of an analysis session: shape, columns, dtypes, first rows, statistics, missing values and memory. Knows pandas, polars, PyArrow, Modin, cuDF and those of R and Julia, and single columns. Leaves no trace in the kernel. " +
			"Use it before writing code for the data. Python, R and Julia only; a kernel that is busy is not waited for. Costs one line a column and a row, and at most some seconds of the kernel for millions of rows.",
		Marks: tool.Marks{ReadOnly: true, Idempotent: true},
		Input: tool.Arguments(append([]tool.Property{sessionProperty(), nameProperty("The table.")}, tableArguments()...)...),
		Output: tool.Object("", append([]tool.Property{
			tool.Required("name", tool.Text("")),
			tool.Required("type", tool.Text("The class's name.")),
		}, tableProperties()...)...),
		Handle: tool.Typed(func(ctx context.Context, args getDataFrameArgs) (*tool.Answer, error) {
			out := inspect.Frame{}
			err := d.inspecting(ctx, args.ID, func(a *session.Analysis) (err error) {
				out, err = inspect.DataFrame(ctx, a, args.Name, args.options())
				return err
			})
			if err != nil {
				return nil, err
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

// An inspector looks into kernels, one call at a time in each: they would find each other's work in their way.
type inspector struct {
	*desk.Desk
	looks tool.Turns // by the kernel's id
}
