package analysis

import (
	"context"
	"errors"

	"github.com/nbduet/nbduet/session/kernel/inspect"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// The codes of errors about variables, besides those of package inspect.
const (
	codeVariable = "variable_not_found"
	codeName     = "invalid_variable_name"
	codeBusy     = "kernel_busy"
	codeSlow     = "kernel_slow"
	codeLanguage = "language_not_supported"
	codeNoKernel = "no_kernel"
)

var _ inspect.PayloadKernel = (*analysis.Session)(nil) // R needs one

// inspecting finds the session, answers with the values that look reads from its kernel, and gives an error its code. Two
// reads of one kernel would each find it busy, so one waits for the other.
func (d *inspector) inspecting(ctx context.Context, id string, look func(*analysis.Session) (any, error)) (*tool.Answer, error) {
	a, err := d.Analysis(ctx, id)
	if err != nil {
		return nil, err
	}
	done, err := d.looks.Lock(ctx, a.KernelID())
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := look(a)
	if err != nil {
		return nil, inspectionError(deps.AnalysisError(err))
	}
	return &tool.Answer{Body: out}, nil
}

func inspectionError(err error) error {
	var name *inspect.NameError
	var language *inspect.LanguageError
	var refusal *inspect.Refusal
	switch {
	case errors.Is(err, inspect.ErrBusy):
		return tool.Coded{Code: codeBusy, Message: "the kernel is running code, so its variables cannot be read; nothing was interrupted. Try again when the code has ended" + textfmt.Hint(": wait_run waits for a run") + textfmt.Hint(", session_list shows whether the kernel is idle")}
	case errors.Is(err, inspect.ErrSlow):
		return tool.Coded{Code: codeSlow, Message: "the kernel did not answer in time: reading the variable takes too long, or other code has started; try again later" + textfmt.Hint(", or read a part of it with execute_code")}
	case errors.As(err, &name):
		return tool.Coded{Code: codeName, Message: name.Error()}
	case errors.As(err, &language):
		return tool.Coded{Code: codeLanguage, Message: language.Error()}
	case errors.As(err, &refusal) && refusal.Code == codeVariable:
		return tool.Coded{Code: codeVariable, Message: refusal.Message + textfmt.Hint("; get_variables lists the variables")}
	case errors.As(err, &refusal):
		return tool.Coded{Code: refusal.Code, Message: refusal.Message}
	}
	return err
}

// variableName names a variable in a call.
type variableName struct {
	InSession
	Name string `json:"variable_name" validate:"min=1,max=500"`
}

const nameText = " A name such as df, or a dotted path such as model.coef_, in R df$price; no calls, no subscripts."

// tableArgs limit the shown part of a table.
type tableArgs struct {
	Head    *bool `json:"include_head,omitempty" jsonschema:"Whether to show a table's first rows." default:"true"`
	Rows    int   `json:"head_rows,omitempty" jsonschema:"How many first rows." validate:"min=1,max=100" default:"5"`
	Columns int   `json:"max_columns,omitempty" jsonschema:"Maximum columns." validate:"min=1,max=200" default:"100"`
}

func (t tableArgs) options(d *inspector) inspect.TableOptions {
	return inspect.TableOptions{Quiet: d.ReadOnly, NoHead: t.Head != nil && !*t.Head, HeadRows: t.Rows, MaxColumns: t.Columns}
}

// The shapes of values that an answer passes on from a kernel unchanged.
var (
	objectShape  = tool.ResultOf[map[string]any](nil)
	objectsShape = tool.ResultOf[[]map[string]any](nil)
	listShape    = tool.ResultOf[[]any](nil)
)

// refineTable adds to the schema of an inspect.Table the facts that its Go types do not show.
func refineTable(f tool.Fields) {
	f.Field("shape").Items().Null()
	for _, byColumn := range []string{"dtypes", "index", "missing", "describe"} {
		f.Field(byColumn).As(objectShape)
	}
	f.Field("head").As(objectsShape)
	f.Field("head_index").As(listShape)
}

type getVariablesArgs struct {
	InSession
	Offset int  `json:"offset,omitempty" jsonschema:"Variables to skip." validate:"max=index" default:"0"`
	Limit  int  `json:"limit,omitempty" jsonschema:"Maximum variables." validate:"min=1,max=500" default:"200"`
	All    bool `json:"include_all,omitempty" jsonschema:"Whether to list modules, functions and classes too." default:"false"`
}

// getVariables makes get_variables.
func getVariables(d *inspector) tool.Tool {
	return tool.Tool{
		Name:        "get_variables",
		Title:       "List variables",
		Description: "Lists the variables of an analysis session's kernel by name, with types, sizes and short values. Use it to see existing variables before writing code. Leaves no trace and runs none of the variables' own code. Python, R and Julia only; does not wait for a busy kernel.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[inspect.Listing](nil),
		Call: tool.Typed(func(ctx context.Context, args getVariablesArgs) (*tool.Answer, error) {
			out := inspect.Listing{}
			a, err := d.inspecting(ctx, args.ID, func(s *analysis.Session) (_ any, err error) {
				out, err = inspect.Variables(ctx, s, inspect.ListOptions{Offset: args.Offset, Limit: args.Limit, Everything: args.All})
				return &out, err
			})
			if err != nil {
				return nil, err
			}
			return a, a.TrimTo(len(out.Variables), func(n int) { out.Variables = out.Variables[:n] })
		}),
	}
}

type getVariableArgs struct {
	variableName
	MaxChars int `json:"max_chars,omitempty" jsonschema:"Maximum length of the value." validate:"min=1,max=20000" default:"2000"`
	tableArgs
}

// Refine implements tool.Refiner.
func (getVariableArgs) Refine(f tool.Fields) {
	f.Field("variable_name").Say("The variable." + nameText)
}

// getVariable makes get_variable.
func getVariable(d *inspector) tool.Tool {
	return tool.Tool{
		Name:        "get_variable",
		Title:       "Inspect a variable",
		Description: "Shows one variable of an analysis session's kernel, or an attribute of one: its shortened value and its members; for a table, columns and first rows. Use it instead of printing. Leaves no trace. Python, R and Julia only; does not wait for a busy kernel.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[inspect.Detail](func(f tool.Fields) { refineTable(f.Field("dataframe").Fields()) }),
		Call: tool.Typed(func(ctx context.Context, args getVariableArgs) (*tool.Answer, error) {
			return d.inspecting(ctx, args.ID, func(a *analysis.Session) (any, error) {
				return inspect.Value(ctx, a, args.Name, inspect.DetailOptions{MaxChars: args.MaxChars, Table: args.options(d)})
			})
		}),
	}
}

type getDataFrameArgs struct {
	variableName
	tableArgs
}

// Refine implements tool.Refiner.
func (getDataFrameArgs) Refine(f tool.Fields) { f.Field("variable_name").Say("The table." + nameText) }

// getDataFrameInfo makes get_dataframe_info.
func getDataFrameInfo(d *inspector) tool.Tool {
	return tool.Tool{
		Name:        "get_dataframe_info",
		Title:       "Inspect a DataFrame",
		Description: "Shows a DataFrame of an analysis session: shape, columns, dtypes, first rows, statistics, missing values and memory. Use it before writing code for the data. Leaves no trace in the kernel. Python, R and Julia only; does not wait for a busy kernel.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[inspect.Frame](refineTable),
		Call: tool.Typed(func(ctx context.Context, args getDataFrameArgs) (*tool.Answer, error) {
			return d.inspecting(ctx, args.ID, func(a *analysis.Session) (any, error) {
				return inspect.DataFrame(ctx, a, args.Name, args.options(d))
			})
		}),
	}
}

// An inspector reads variables of kernels, with one call at a time in each kernel.
type inspector struct {
	*deps.Deps
	looks tool.KeyedLock // by the kernel's id
}
