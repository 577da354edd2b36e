package target

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

const urlForms = "/lab/tree/PATH, /notebooks/PATH, /tree/PATH, /doc/tree/PATH, /edit/PATH, /view/PATH or /lab/workspaces/NAME/tree/PATH"

// PathInURL returns the path of the file that a page of the Jupyter server at base shows.
func PathInURL(raw, base string) (jupyter.Path, error) {
	shown := textfmt.Quoted(WithoutToken(raw))
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		// The parser's message repeats the whole address, with any token.
		return jupyter.Path{}, fmt.Errorf("url %s cannot be parsed: check its %% escapes and give it as the browser shows it", shown)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return jupyter.Path{}, fmt.Errorf("url %s is not a full URL: it must start with %s", shown, base)
	}
	b, err := url.Parse(base)
	if err != nil {
		return jupyter.Path{}, tool.Fault{Err: fmt.Errorf("parse the base URL: %w", err)}
	}
	if !jupyter.SameHost(u, b) {
		return jupyter.Path{}, fmt.Errorf("url %s belongs to another server: these tools work on %s", shown, base)
	}
	page, ok := strings.CutPrefix(u.EscapedPath(), b.EscapedPath()+"/")
	if !ok {
		return jupyter.Path{}, fmt.Errorf("url %s is outside the Jupyter server at %s: its path must start with %s/", shown, base, b.EscapedPath())
	}
	escaped, ok := afterPage(page)
	if !ok {
		return jupyter.Path{}, fmt.Errorf("url %s names no file: give %s, below %s", shown, urlForms, base)
	}
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return jupyter.Path{}, fmt.Errorf("the path in url %s cannot be decoded: %w", shown, err)
	}
	// JupyterLab puts the name of the collaborative drive before the path.
	path = strings.TrimPrefix(path, "RTC:")
	clean, err := jupyter.ParsePath(path)
	if err != nil {
		return jupyter.Path{}, fmt.Errorf("the path in url %s: %w", shown, err)
	}
	return clean, nil
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

// WithoutToken redacts the secrets of a URL: the token that Jupyter puts into links, and a password.
func WithoutToken(raw string) string {
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
