package notebook

import (
	"context"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// A BaseURLResult is the answer of get_base_url.
type BaseURLResult struct {
	BaseURL    string `json:"base_url" jsonschema:"The server's address with its path prefix, without a trailing slash."`
	RuntimeURL string `json:"runtime_url,omitempty" jsonschema:"The address of the kernels' server, if it is another one."`
}

// getBaseURL makes get_base_url.
func getBaseURL(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "get_base_url",
		Title: "Get the Jupyter address",
		Description: "Returns the address of the Jupyter server that these tools use, without a token. " +
			"Use it to build links for people. Costs nothing: no request is sent.",
		Hints:  tool.Hints{ReadOnly: true, Idempotent: true},
		Output: tool.ResultOf[BaseURLResult](nil),
		Call: tool.Typed(func(ctx context.Context, _ struct{}) (*tool.Answer, error) {
			if err := d.Manager.Servers().Find(ctx); err != nil {
				return nil, err
			}
			out := BaseURLResult{BaseURL: d.Manager.Servers().Documents.BaseURL()}
			if d.Manager.Servers().Apart() {
				out.RuntimeURL = d.Manager.Servers().Runtime.BaseURL()
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

type notebookURLArgs struct {
	URL string `json:"url" jsonschema:"Full JupyterLab URL of a notebook, as the browser shows it." validate:"min=1,max=16384"`
}

// A URLResult is the answer of nb_path_from_url.
type URLResult struct {
	OriginalURL  string `json:"original_url" jsonschema:"The URL as given, with any token redacted."`
	BaseURL      string `json:"base_url" jsonschema:"The address of the Jupyter server."`
	NotebookPath string `json:"notebook_path" jsonschema:"The decoded path, without a leading slash."`
}

// nbPathFromURL makes nb_path_from_url.
func nbPathFromURL(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "nb_path_from_url",
		Title:       "Notebook path from a URL",
		Description: "Converts a notebook's URL in the browser (/lab/tree/…, /notebooks/… and the like) to the path that the other tools take. Use it when a person pastes a link. Refuses links to other servers and to files that are not notebooks. No request is sent.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[URLResult](nil),
		Call: tool.Typed(func(ctx context.Context, args notebookURLArgs) (*tool.Answer, error) {
			if err := d.Manager.Servers().Documents.Find(ctx); err != nil {
				return nil, err
			}
			base := d.Manager.Servers().Documents.BaseURL()
			path, err := notebookPath(args.URL, base)
			if err != nil {
				return nil, err
			}
			return &tool.Answer{Body: URLResult{target.WithoutToken(args.URL), base, path}}, nil
		}),
	}
}

// notebookPath returns the notebook's path in a URL of the Jupyter server at base.
func notebookPath(raw, base string) (string, error) {
	path, err := target.PathInURL(raw, base)
	if err == nil && (!strings.HasSuffix(path.String(), ".ipynb") || strings.HasSuffix(raw, "/")) {
		err = fmt.Errorf("url %s does not name a notebook: its path %s does not end with .ipynb", textfmt.Quoted(target.WithoutToken(raw)), textfmt.Quoted(path.String()))
	}
	return path.String(), err
}
