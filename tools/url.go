package tools

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

type baseURLResult struct {
	BaseURL    string `json:"base_url"`
	RuntimeURL string `json:"runtime_url,omitempty"`
}

// getBaseURL makes get_base_url.
func getBaseURL(d *deps) tool {
	return tool{
		name:    "get_base_url",
		title:   "Get the Jupyter address",
		toolset: toolsetNotebook,
		description: "Returns the address of the Jupyter server that these tools work on, without a token. " +
			"Use it to build links for people. Costs nothing: the server is not asked.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(),
		output: object("",
			required("base_url", text("The server's address with its path prefix, without a trailing slash.")),
			optional("runtime_url", text("That of the server that has the kernels, where it is another one.")),
		),
		handle: typed(func(context.Context, struct{}) (*answer, error) {
			out := baseURLResult{BaseURL: d.manager.Server().BaseURL()}
			if d.manager.Apart() {
				out.RuntimeURL = d.manager.KernelServer().BaseURL()
			}
			return &answer{body: out}, nil
		}),
	}
}

type notebookURLArgs struct {
	URL string `json:"url"`
}

type notebookURLResult struct {
	OriginalURL  string `json:"original_url"`
	BaseURL      string `json:"base_url"`
	NotebookPath string `json:"notebook_path"`
}

// nbPathFromURL makes nb_path_from_url.
func nbPathFromURL(d *deps) tool {
	return tool{
		name:    "nb_path_from_url",
		title:   "Notebook path from a URL",
		toolset: toolsetNotebook,
		description: "Turns the address of a notebook in the browser (/lab/tree/…, /notebooks/…, /tree/…, /doc/tree/…, /edit/…, /view/…, workspaces too) " +
			"into the path that the other tools take. Use it when a person pastes a link. " +
			"Refuses links to other servers and to files that are no notebooks. Costs nothing: the server is not asked, so the notebook need not exist.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			required("url", text("Full JupyterLab URL of a notebook, as the browser shows it.").length(1, 16384)),
		),
		output: object("",
			required("original_url", text("The URL as given; a token in it is blotted out.")),
			required("base_url", text("The address of the Jupyter server.")),
			required("notebook_path", text("The decoded path, without a leading slash.")),
		),
		handle: typed(func(_ context.Context, args notebookURLArgs) (*answer, error) {
			base := d.manager.Server().BaseURL()
			path, err := notebookPath(args.URL, base)
			if err != nil {
				return nil, err
			}
			return &answer{body: notebookURLResult{withoutToken(args.URL), base, path}}, nil
		}),
	}
}

const urlForms = "/lab/tree/PATH, /notebooks/PATH, /tree/PATH, /doc/tree/PATH, /edit/PATH, /view/PATH or /lab/workspaces/NAME/tree/PATH"

// notebookPath takes the notebook's path out of a URL of the Jupyter server at base.
func notebookPath(raw, base string) (string, error) {
	shown := quoted(withoutToken(raw))
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		// The parser's own words repeat the whole address, a token included.
		return "", fmt.Errorf("url %s cannot be parsed: check its %% escapes and give it as the browser shows it", shown)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return "", fmt.Errorf("url %s is not a full URL: it has to start with %s", shown, base)
	}
	b, err := url.Parse(base)
	if err != nil {
		return "", fault{fmt.Errorf("parse our own base URL: %w", err)}
	}
	if !sameServer(u, b) {
		return "", fmt.Errorf("url %s belongs to another server: these tools work on %s", shown, base)
	}
	page, ok := strings.CutPrefix(u.EscapedPath(), b.EscapedPath()+"/")
	if !ok {
		return "", fmt.Errorf("url %s is outside the Jupyter server at %s: its path has to start with %s/", shown, base, b.EscapedPath())
	}
	escaped, ok := afterPage(page)
	if !ok {
		return "", fmt.Errorf("url %s names no file: known are %s, below %s", shown, urlForms, base)
	}
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return "", fmt.Errorf("the path in url %s cannot be decoded: %w", shown, err)
	}
	// JupyterLab names a file of the collaborative drive with the drive in front.
	path = strings.TrimPrefix(path, "RTC:")
	clean, err := jupyter.CleanPath(path)
	if err != nil {
		return "", fmt.Errorf("the path in url %s: %w", shown, err)
	}
	if !strings.HasSuffix(clean, ".ipynb") || strings.HasSuffix(path, "/") {
		return "", fmt.Errorf("url %s does not lead to a notebook: the path in it, %s, does not end with .ipynb", shown, quoted(path))
	}
	return clean, nil
}

// afterPage cuts off the part of a URL's path that names the page, and returns the file's part, still escaped.
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

// sameServer tells whether both URLs lead to one server. The names of this machine's own address are the same.
func sameServer(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && port(a) == port(b) && host(a) == host(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

func host(u *url.URL) string {
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip := net.ParseIP(name); name == "localhost" || (ip != nil && ip.IsLoopback()) {
		return "loopback"
	}
	return name
}

// withoutToken blots out what may be secret in a URL: the token that Jupyter puts into links, and a password.
func withoutToken(raw string) string {
	const blot = "REDACTED"
	if head, rest, ok := strings.Cut(raw, "://"); ok {
		authority := rest
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			authority = rest[:i]
		}
		if i := strings.LastIndexByte(authority, '@'); i >= 0 {
			raw = head + "://" + blot + rest[i:]
		}
	}
	// By hand, so that the rest stays as it was written. A token can stand in the query or in the fragment.
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
			out, rest = out+name+"="+blot, value[end:]
		}
	}
}

// pageURL is the address at which a person opens a document of the Contents API's type.
func pageURL(base, typ, path string) string {
	page := "/edit"
	switch typ {
	case "notebook":
		page = "/notebooks"
	case "directory":
		page = "/tree"
	}
	if path == "" {
		return base + page
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return base + page + "/" + strings.Join(segments, "/")
}

// notebookArg checks a path argument that has to name a file.
func notebookArg(name, path string) (string, error) {
	clean, err := jupyter.CleanPath(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if clean == "" {
		return "", errors.New(name + " " + quoted(path) + " names the server's root folder, not a notebook: give a path such as \"work/analysis.ipynb\"; list_nbs lists them")
	}
	return clean, nil
}

// pathSchema describes a path argument that has to name a notebook.
func pathSchema() schema {
	return text("Notebook, relative to the server's root folder, such as \"work/analysis.ipynb\"; a leading slash is allowed.").length(1, 4096)
}

// SameServer tells whether two addresses are of one server: scheme, host, port and path prefix, where the names of this
// machine's own address count as the same.
func SameServer(a, b string) bool {
	u, err := url.Parse(a)
	if err != nil {
		return false
	}
	v, err := url.Parse(b)
	if err != nil {
		return false
	}
	return sameServer(u, v) && strings.TrimRight(u.EscapedPath(), "/") == strings.TrimRight(v.EscapedPath(), "/")
}
