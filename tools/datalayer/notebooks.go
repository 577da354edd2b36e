package datalayer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type useArgs struct {
	Name     string `json:"notebook_name" jsonschema:"Name for the notebook." validate:"min=1,max=200"`
	Path     string `json:"notebook_path,omitempty" jsonschema:"Notebook, relative to the server's root folder. Optional for a name already in use." validate:"max=path,null"`
	Mode     string `json:"mode,omitempty" jsonschema:"Open an existing notebook, or create one." validate:"oneof=connect create" default:"connect"`
	KernelID string `json:"kernel_id,omitempty" jsonschema:"Running kernel for the notebook; \"NEW\" starts one now. Left out: the kernel it has, else one started when first needed." validate:"max=200,null"`
}

// modeCreate is the mode that makes a notebook.
const modeCreate = "create"

// newKernel, given as a kernel's id, requests a new kernel.
const newKernel = "NEW"

// useNotebook makes use_notebook.
func useNotebook(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:        "use_notebook",
		Title:       "Use a notebook",
		Description: "Names a notebook and makes it the current one, which the cell tools use by default; returns an overview of its first cells. Use it before them. mode \"create\" creates the notebook. Each client has its own current notebook.",
		Hints:       tool.Hints{Idempotent: true},
		Output:      tool.DocumentResultOf[useResult](nil),
		Call: tool.Typed(func(ctx context.Context, args useArgs) (*tool.Answer, error) {
			said, doc, err := d.useNotebook(ctx, args)
			if err != nil || doc == nil {
				return (&useResult{textResult{Kind: "notebook.use", Result: said}, ""}).answer(nil), err
			}
			defer doc.Release()
			revision := target.Now(doc) // read first, because a revision that is too old is harmless
			cells := doc.Notebook().Cells()
			const most = 20
			out := &useResult{textResult{Kind: "notebook.use"}, target.Revision(revision)}
			out.Result = fmt.Sprintf("%s\n\nNotebook has %d cells.\nShowing first %d cells:\n\n%s", said, len(cells), min(most, len(cells)), overview(cells, 0, most))
			noteOverview(ctx, doc, cells, 0, most)
			return out.answer(doc), nil
		}),
	})
}

// useNotebook carries out use_notebook, and returns its result in words. It returns no document if the answer has no
// overview.
func (d *Toolset) useNotebook(ctx context.Context, args useArgs) (string, *session.Document, error) {
	var known bool
	var had jupyter.Path
	var current string
	var names []string
	d.using(ctx, func(u *userNotebooks) {
		had, known = u.path(args.Name)
		current, names = u.current, u.names()
	})
	create := args.Mode == modeCreate
	clean := had
	if args.Path == "" && !known {
		return "", nil, fmt.Errorf("%w; give notebook_path to connect it", notConnected(args.Name, names))
	} else if args.Path != "" {
		var err error
		if clean, err = target.NotebookArg("notebook_path", args.Path); err != nil {
			return "", nil, err
		}
	}
	switch {
	case known && create && had == clean:
		return "", nil, fmt.Errorf("notebook '%s' (path: %s) is already created: use it with mode \"connect\"", args.Name, clean)
	case known && had != clean:
		return "", nil, fmt.Errorf("the name '%s' is already used for %s: choose another notebook_name for %s"+textfmt.Hint(", or call unuse_notebook first"), args.Name, textfmt.Quoted(had.String()), textfmt.Quoted(clean.String()))
	}
	if create {
		if err := d.createUsed(ctx, clean); err != nil {
			return "", nil, err
		}
	}
	doc, err := d.openNamed(ctx, clean)
	if err != nil {
		if errors.Is(err, jupyter.ErrNotFound) {
			err = fmt.Errorf("'%s' not found in jupyter server"+textfmt.Hint(": list_files lists the files")+"; mode \"create\" creates it", clean)
		}
		return "", nil, err
	}
	says, err := d.kernelFor(ctx, doc, args.KernelID)
	if err == nil {
		err = d.use(ctx, args.Name, clean)
	}
	if err != nil {
		doc.Release()
		return "", nil, err
	}
	switch {
	case known && current == args.Name:
		doc.Release()
		return fmt.Sprintf("Notebook '%s' is already connected and activated"+textfmt.Hint(": no need to call use_notebook again")+". %s", args.Name, says), nil, nil
	case known && current != "":
		return fmt.Sprintf("[INFO] Reactivating notebook '%s' and deactivating '%s'.", args.Name, current), doc, nil
	}
	return fmt.Sprintf("[INFO] %s\n[INFO] Successfully activate notebook '%s'.", says, args.Name), doc, nil
}

// createUsed makes a new notebook with one Markdown cell, a placeholder.
func (d *Toolset) createUsed(ctx context.Context, p jupyter.Path) error {
	if err := document.FitsType(p, document.TypeNotebook); err != nil {
		return err
	}
	file := nbformat.Notebook{Cells: []ydoc.Cell{{Type: ydoc.Markdown, Source: "New notebook"}}, Metadata: document.KernelMetadata(ctx, d.Deps, "")}
	_, err := d.Files.Create(ctx, p, jupyter.NewContent{Type: "notebook", Format: "json", Content: file.Content()})
	switch {
	case errors.Is(err, files.ErrExists):
		return fmt.Errorf("'%s' already exists in jupyter server: choose another path, or mode \"connect\" to open it", p)
	case errors.Is(err, files.ErrNoFolder):
		return fmt.Errorf("the folder of '%s' not found in jupyter server: give a path in a folder that exists", p)
	}
	return err
}

// kernelFor gives a notebook without a kernel the requested kernel, and says which kernel the notebook has.
func (d *Toolset) kernelFor(ctx context.Context, doc *session.Document, wanted string) (string, error) {
	k, running, err := d.Manager.Kernel(ctx, doc.Path())
	switch {
	case err != nil:
		return "", err
	case wanted == "" && running, wanted == k.ID && running:
		return fmt.Sprintf("Connected to kernel '%s'.", k.ID), nil
	case wanted == "":
		return "The notebook has no kernel yet; the first execution starts one.", nil
	case running && wanted == newKernel:
		return "", fmt.Errorf("%s already has kernel '%s', which is shared with all who have it open"+textfmt.Hint(": restart_notebook clears it; call use_notebook without kernel_id"), doc.Path(), k.ID)
	case running:
		return "", fmt.Errorf("kernel '%s' was not used: %s already has kernel '%s', which is shared with all who have it open"+textfmt.Hint("; call use_notebook without kernel_id; execute_code with kernel_id runs code in the other one"),
			wanted, doc.Path(), k.ID)
	case wanted == newKernel:
		if k, err = doc.Kernel().Start(ctx); err != nil {
			return "", err
		}
		return fmt.Sprintf("Started kernel '%s'.", k.ID), nil
	}
	kernels, err := d.VisibleKernels(ctx, d.Manager.Servers().Runtime.Kernels.List)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(kernels, func(k jupyter.Kernel) bool { return k.ID == wanted }) {
		return "", fmt.Errorf("kernel '%s' not found in jupyter server"+textfmt.Hint(": list_kernels shows the running ones"), wanted)
	}
	if k, err = doc.Kernel().Take(ctx, wanted); err != nil {
		return "", err
	}
	return fmt.Sprintf("Connected to kernel '%s'.", k.ID), nil
}

// listNotebooks makes list_notebooks.
func listNotebooks(d *Toolset) tool.Tool {
	columns := []string{"Name", "Path", "Kernel_ID", "Kernel_Status", "Activate"}
	return ofToday(tool.Tool{
		Name:        "list_notebooks",
		Title:       "List the notebooks in use",
		Description: "Lists the notebooks that you named, their kernels, and which one is current (✓). Use it to see the known names. Costs one request.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tableSchema(columns...),
		Call: tool.Typed(func(ctx context.Context, _ struct{}) (*tool.Answer, error) {
			rows, err := d.usedRows(ctx)
			if err != nil {
				return nil, err
			}
			return tableAnswer("notebooks.list", "", "No managed notebooks."+textfmt.Hint(" Call use_notebook to use one."), columns, rows, leftOutRows)
		}),
	})
}

func leftOutRows(n int) string {
	return "[" + textfmt.Plural(n, "row") + " left out: the answer would be too long]"
}

// usedRows returns a row for each notebook of the client of ctx: name, path, kernel, its status, ✓ for the current one.
func (d *Toolset) usedRows(ctx context.Context) ([][]string, error) {
	var all []usedNotebook
	current := ""
	d.using(ctx, func(u *userNotebooks) { all, current = slices.Clone(u.all), u.current })
	if len(all) == 0 {
		return nil, nil
	}
	sessions, err := d.Manager.Servers().Lists.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b usedNotebook) int { return cmp.Compare(a.name, b.name) })
	var rows [][]string
	for _, n := range all {
		id, status, mark := "-", "not_initialized", ""
		for _, s := range sessions {
			if s.Path == n.path {
				id, status = s.Kernel.ID, "alive"
				if s.Kernel.ExecutionState == kernel.StateDead {
					status = "dead"
				}
			}
		}
		if n.name == current {
			mark = "✓"
		}
		rows = append(rows, []string{n.name, n.path.String(), id, status, mark})
	}
	return rows, nil
}

type usedNameArgs struct {
	Name string `json:"notebook_name" jsonschema:"The notebook's name." validate:"min=1,max=200"`
}

type restartUsedArgs struct {
	Name string `json:"notebook_name" jsonschema:"The notebook's name." validate:"min=1,max=path"`
}

// restartNotebook makes restart_notebook.
func restartNotebook(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:        "restart_notebook",
		Title:       "Restart a notebook's kernel",
		Description: "Restarts the kernel of a notebook in use: variables and imports are lost for all who have it open, running code is stopped and queued code cancelled. Use it for a clean state or a kernel that hangs. Without a kernel, one is started. Takes a few seconds.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[textResult](nil),
		Call: tool.Typed(func(ctx context.Context, args restartUsedArgs) (*tool.Answer, error) {
			doc, name, err := d.openUsed(ctx, args.Name)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			change, err := doc.Kernel().Restart(ctx, "", false)
			if err != nil {
				return nil, fmt.Errorf("failed to restart notebook '%s': %w", name, err)
			}
			out := &textResult{Kind: "notebook.restart"}
			out.Result = fmt.Sprintf("Notebook '%s' kernel restarted successfully. Memory state and imported packages have been cleared.", name)
			if change.Started {
				out.Result += fmt.Sprintf(" No kernel was running, so one was started (kernel '%s').", change.Kernel.ID)
			}
			return out.answer(nil), nil
		}),
	})
}

// unuseNotebook makes unuse_notebook.
func unuseNotebook(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:  "unuse_notebook",
		Title: "Stop using a notebook",
		Description: "Forgets the name of a notebook; if it was the current one, another one in use becomes current. " +
			"The notebook, its kernel and people's tabs are not affected; its collaboration session closes after some minutes without use. Costs nothing.",
		Output: tool.DocumentResultOf[textResult](nil),
		Call: tool.Typed(func(ctx context.Context, args usedNameArgs) (*tool.Answer, error) {
			current, switched, err := d.unuse(ctx, args.Name)
			if err != nil {
				return nil, err
			}
			out := &textResult{Kind: "notebook.unuse", Result: fmt.Sprintf("Notebook '%s' unused successfully.", args.Name)}
			switch {
			case switched && current != "":
				out.Result += fmt.Sprintf(" Current notebook switched to '%s'.", current)
			case switched:
				out.Result += " No notebooks remaining."
			}
			return out.answer(nil), nil
		}),
	})
}
