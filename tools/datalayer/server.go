package datalayer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// clock formats a time as their tables do, "" for none.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// unknown fills a table's field that the server does not report.
const unknown = "unknown"

// listKernels makes list_kernels.
func listKernels(d *Toolset) tool.Tool {
	columns := []string{"ID", "Name", "Display_Name", "Language", "State", "Connections", "Last_Activity", "Environment"}
	return ofToday(tool.Tool{
		Name:        "list_kernels",
		Title:       "List the running kernels",
		Description: "Lists the running kernels of the Jupyter server, with their ids, their states, and how many clients are connected to each. Use it to find a kernel for kernel_id. Costs three requests.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tableSchema(columns...),
		Call: tool.Typed(func(ctx context.Context, _ struct{}) (*tool.Answer, error) {
			lists := d.Manager.Servers().Lists
			kernels, err := d.VisibleKernels(ctx, lists.Kernels)
			if err != nil {
				return nil, err
			}
			specs, err := lists.KernelSpecs(ctx)
			if err != nil {
				return nil, err
			}
			slices.SortFunc(kernels, func(a, b jupyter.Kernel) int { return cmp.Compare(a.ID, b.ID) })
			var rows [][]string
			for _, k := range kernels {
				display, language, env := unknown, unknown, unknown
				if s, ok := specs.Specs[k.Name]; ok {
					display, language = cmp.Or(s.Spec.DisplayName, unknown), cmp.Or(s.Spec.Language, unknown)
					if len(s.Spec.Env) > 0 {
						env = environment(s.Spec.Env)
					}
				}
				rows = append(rows, []string{
					k.ID, k.Name, display, language, cmp.Or(k.ExecutionState, unknown), strconv.Itoa(k.Connections), cmp.Or(clock(k.LastActivity), unknown), env,
				})
			}
			return tableAnswer("kernels.list", "", "No kernels found on the Jupyter server.", columns, rows, leftOutRows)
		}),
	})
}

// environment returns the names of the variables that a kernelspec sets in a kernel's environment, shortened. Their values
// can be secrets.
func environment(env map[string]string) string {
	const most = 100
	out := []rune(strings.Join(slices.Sorted(maps.Keys(env)), "; "))
	if len(out) > most {
		return string(out[:most]) + "..."
	}
	return string(out)
}

type connectToArgs struct {
	URL      string `json:"jupyter_url" jsonschema:"Address of the Jupyter server, such as http://localhost:8888." validate:"min=1,max=4096"`
	Token    string `json:"jupyter_token,omitempty" jsonschema:"Not used: the program has its own." validate:"max=4096,null"`
	Provider string `json:"document_provider,omitempty" jsonschema:"Only \"jupyter\"." validate:"max=100,null" default:"jupyter"`
}

const (
	jupyterProvider = "jupyter"
	// ownServer names the program's own server.
	ownServer = "local"
)

// connectToJupyter makes connect_to_jupyter.
func connectToJupyter(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:  "connect_to_jupyter",
		Title: "Connect to the Jupyter server",
		Description: "Checks that an address belongs to the Jupyter server of these tools, and that the server answers. The tools use one server and its token while the program runs: " +
			"another address is refused, and no token is sent there. Use it if a prompt asks for it. Costs one request.",
		Hints:  tool.Hints{ReadOnly: true, Idempotent: true},
		Output: tool.DocumentResultOf[textResult](nil),
		Call: tool.Typed(func(ctx context.Context, args connectToArgs) (*tool.Answer, error) {
			srv := d.Manager.Servers().Documents
			if err := srv.Find(ctx); err != nil {
				return nil, err
			}
			address, _, _ := strings.Cut(args.URL, "?") // the query may contain a token
			switch {
			case args.Provider != "" && args.Provider != jupyterProvider:
				return nil, fmt.Errorf("document_provider is %s: only %q is supported", textfmt.Quoted(args.Provider), jupyterProvider)
			case args.URL != ownServer && !jupyter.SameServer(strings.TrimRight(address, "/"), srv.BaseURL()):
				return nil, errors.New("this is not the Jupyter server of these tools, which is " + srv.BaseURL() +
					": they use only that server, and no token is sent anywhere else. For another server, restart the program with --jupyter-url")
			}
			if _, err := srv.Health.Status(ctx); err != nil {
				return nil, fmt.Errorf("failed to connect to Jupyter server %s: %w", srv.BaseURL(), err)
			}
			authentication := lo.Ternary(srv.HasToken(), "Token-based", "None (anonymous)")
			out := &textResult{Kind: "jupyter.connect"}
			out.Result = fmt.Sprintf("Successfully connected to Jupyter server: %s\nDocumentProvider: %s\nAuthentication: %s", srv.BaseURL(), jupyterProvider, authentication)
			if args.Token != "" {
				out.Result += "\nThe given token is not used: the program has its own."
			}
			return out.answer(nil), nil
		}),
	})
}
