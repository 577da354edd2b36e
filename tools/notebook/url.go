package notebook

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
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
			return &tool.Answer{Body: URLResult{withoutToken(args.URL), base, path}}, nil
		}),
	}
}

const urlForms = "/lab/tree/PATH, /notebooks/PATH, /tree/PATH, /doc/tree/PATH, /edit/PATH, /view/PATH or /lab/workspaces/NAME/tree/PATH"

// notebookPath returns the notebook's path in a URL of the Jupyter server at base.
func notebookPath(raw, base string) (string, error) {
	shown := textfmt.Quoted(withoutToken(raw))
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		// The parser's message repeats the whole address, with any token.
		return "", fmt.Errorf("url %s cannot be parsed: check its %% escapes and give it as the browser shows it", shown)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return "", fmt.Errorf("url %s is not a full URL: it must start with %s", shown, base)
	}
	b, err := url.Parse(base)
	if err != nil {
		return "", tool.Fault{Err: fmt.Errorf("parse the base URL: %w", err)}
	}
	if !jupyter.SameHost(u, b) {
		return "", fmt.Errorf("url %s belongs to another server: these tools work on %s", shown, base)
	}
	page, ok := strings.CutPrefix(u.EscapedPath(), b.EscapedPath()+"/")
	if !ok {
		return "", fmt.Errorf("url %s is outside the Jupyter server at %s: its path must start with %s/", shown, base, b.EscapedPath())
	}
	escaped, ok := afterPage(page)
	if !ok {
		return "", fmt.Errorf("url %s names no file: give %s, below %s", shown, urlForms, base)
	}
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return "", fmt.Errorf("the path in url %s cannot be decoded: %w", shown, err)
	}
	// JupyterLab puts the name of the collaborative drive before the path.
	path = strings.TrimPrefix(path, "RTC:")
	clean, err := jupyter.ParsePath(path)
	if err != nil {
		return "", fmt.Errorf("the path in url %s: %w", shown, err)
	}
	if !strings.HasSuffix(clean.String(), ".ipynb") || strings.HasSuffix(path, "/") {
		return "", fmt.Errorf("url %s does not name a notebook: its path %s does not end with .ipynb", shown, textfmt.Quoted(path))
	}
	return clean.String(), nil
}

// afterPage cuts the page's name off a URL's path, and returns the file's part, still escaped.
func afterPage(page string) (string, bool) {
	first, rest, _ := strings.Cut(page, "/")
	switch first {
	case "tree", "notebooks", "edit", "view":
		return rest, rest != ""
	case "lab", "doc":
		// lab/workspaces/NAME/tree/PATH and lab/workspaces/NAME/doc/tree/PATH are pages too.
		if after, ok := strings.CutPrefix(rest, "workspaces/"); ok {
			if _, rest, ok = strings.Cut(after, "/"); !ok {
				return "", false
			}
			rest = strings.TrimPrefix(rest, "doc/")
		}
		rest, ok := strings.CutPrefix(rest, "tree/")
		return rest, ok && rest != ""
	}
	return "", false
}

// withoutToken redacts the secrets of a URL: the token that Jupyter puts into links, and a password.
func withoutToken(raw string) string {
	const redacted = "REDACTED"
	if head, rest, ok := strings.Cut(raw, "://"); ok {
		authority := rest
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			authority = rest[:i]
		}
		if i := strings.LastIndexByte(authority, '@'); i >= 0 {
			raw = head + "://" + redacted + rest[i:]
		}
	}
	// Parsed by hand, so that the rest stays as written. A token can be in the query or in the fragment.
	out, rest := "", raw
	for {
		i := strings.IndexAny(rest, "?&#;")
		if i < 0 {
			return out + rest
		}
		out, rest = out+rest[:i+1], rest[i+1:]
		name, value, ok := strings.Cut(rest, "=")
		if key, err := url.QueryUnescape(name); ok && err == nil && strings.EqualFold(key, "token") {
			end := strings.IndexAny(value, "?&#;")
			if end < 0 {
				end = len(value)
			}
			out, rest = out+name+"="+redacted, value[end:]
		}
	}
}
