package analysis

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/inspect"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/service/filepreview"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

type inspectArgs struct {
	Path string `json:"path" jsonschema:"Notebook, data file, image file, or an image's address (jupyter://…)." validate:"min=1,max=path"`
	Name string `json:"name,omitempty" jsonschema:"Variable of the notebook, such as df or model.coef_; left out: all. For a workbook the sheet, for a database the table." validate:"max=500"`
	Rows int    `json:"rows,omitempty" jsonschema:"First rows of a table to show." validate:"min=1,max=100" default:"5"`
}

// inspectData makes inspect_data, which shows the content of a notebook's kernel, a data file or an image. It needs no
// session.
func inspectData(d *inspector) tool.Tool {
	preview, picture := previewData(d.Deps), getImageResource(d.Deps)
	return tool.Tool{
		Name:        "inspect_data",
		Title:       "Inspect data",
		Toolset:     tool.ToolsetCore,
		Description: "Shows data before you write code for it: the variables of a notebook's running kernel, one of them (a table with its columns and first rows), the start of a data file (CSV, Excel, Parquet, SQLite …), or an image. Runs none of your code and changes nothing.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[map[string]any](nil),
		Call: tool.Typed(func(ctx context.Context, args inspectArgs) (*tool.Answer, error) {
			a, err := d.look(ctx, args, preview, picture)
			if err == nil {
				a.Words = tool.Words(ctx, func() plaintext.Text { return wordsOf(a.Body, args.Path) })
			}
			return a, err
		}),
	}
}

// look inspects the target of the arguments, through a tool of the set analysis where one exists.
func (d *inspector) look(ctx context.Context, args inspectArgs, preview, picture tool.Tool) (*tool.Answer, error) {
	pass := func(to tool.Tool, given map[string]any) (*tool.Answer, error) {
		var req mcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = to.Name, given
		return to.Handle(ctx, req)
	}
	switch ending := strings.ToLower(path.Ext(args.Path)); {
	case strings.HasPrefix(args.Path, target.JupyterScheme) && strings.Contains(args.Path, "/images/"):
		return pass(picture, map[string]any{"resource_uri": args.Path, "include_data": false})
	case ending == ".ipynb":
		return d.inspectNotebook(ctx, args)
	case strings.Contains(" .png .jpg .jpeg .gif .webp .bmp .svg ", " "+ending+" "):
		return d.inspectImage(ctx, args.Path)
	}
	given := map[string]any{"path": args.Path, "rows": lo.Ternary(args.Rows > 0, args.Rows, inspect.DefaultRows)}
	if args.Name != "" {
		what := lo.Ternary(strings.HasPrefix(strings.ToLower(path.Ext(args.Path)), ".xls"), "sheet", "table")
		given[what] = args.Name
	}
	return pass(preview, given)
}

// An inspectedImage is the result of inspect_data for an image file.
type inspectedImage struct {
	Path    string `json:"path"`
	MIME    string `json:"mime_type"`
	Size    *int64 `json:"size"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Message string `json:"message,omitempty"`
}

// inspectImage shows an image file.
func (d *inspector) inspectImage(ctx context.Context, name string) (*tool.Answer, error) {
	clean, err := document.PathArg("path", name)
	if err != nil {
		return nil, err
	}
	c, err := d.Manager.Servers().Documents.Contents.Get(ctx, clean, jupyter.ContentsOptions{})
	if err != nil {
		return nil, previewError(err, clean)
	}
	f := &gottenFile{FileGetResult: FileGetResult{Path: c.Path.String(), Size: c.Size}}
	switch {
	case c.Type != "file":
		return nil, previewError(filepreview.ErrDirectory, clean)
	case !f.within(images.MaxBytes):
		return nil, fmt.Errorf("%s is larger than %s, the limit for images", textfmt.Quoted(clean.String()), textfmt.Kilobytes(images.MaxBytes))
	}
	if f.data, f.MIME, err = FileData(ctx, d.Deps, c.Path); err != nil {
		return nil, err
	}
	a := &tool.Answer{}
	if !f.show(ctx, d.Deps, a) {
		return nil, fmt.Errorf("%s: %s", textfmt.Quoted(clean.String()), f.Message)
	}
	a.Body = inspectedImage{c.Path.String(), f.MIME, c.Size, f.Width, f.Height, f.Message}
	return a, nil
}

// inspectNotebook lists the variables of a notebook's kernel, or shows one.
func (d *inspector) inspectNotebook(ctx context.Context, args inspectArgs) (*tool.Answer, error) {
	at, err := target.NotebookArg("path", args.Path)
	if err != nil {
		return nil, err
	}
	a := &tool.Answer{}
	trim := func() error { return nil }
	err = d.Analyses.Look(ctx, tool.ClientOf(ctx), at, func(s *analysis.Session) error {
		done, err := d.looks.Lock(ctx, s.KernelID())
		if err != nil {
			return err
		}
		defer done()
		if args.Name == "" {
			out, err := inspect.Variables(ctx, s, inspect.ListOptions{})
			a.Body = &out
			trim = func() error {
				return a.TrimTo(len(out.Variables), func(n int) { out.Variables = out.Variables[:n] })
			}
			return err
		}
		out, err := inspect.Value(ctx, s, args.Name, inspect.DetailOptions{Table: tableArgs{Rows: args.Rows}.options(d)})
		a.Body = out
		return err
	})
	switch {
	case errors.Is(err, analysis.ErrNoSession):
		return nil, tool.Coded{Code: codeNoKernel, Message: fmt.Sprintf("the notebook %s has no running kernel, and so no variables: run its cells first", textfmt.Quoted(at.String()))}
	case err != nil:
		return nil, inspectionError(deps.AnalysisError(err))
	}
	return a, trim()
}
