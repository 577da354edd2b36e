package resource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// The addresses of resources about the project and about sessions.
const (
	ContextScheme  = "context://"
	URIOverview    = ContextScheme + "project/overview"
	URIModule      = ContextScheme + "module/"
	URICurrentWork = ContextScheme + "session/current"
	URIRecent      = ContextScheme + "sessions/recent"
)

const (
	recentDefault = 10
	recentMost    = 100
)

const markdown = "text/markdown"

// AddContext adds the resources about the project and about this client's work.
func AddContext(s *server.MCPServer, d *Provider) {
	fixed := func(uri, name, title, description string, read func(context.Context, string) (string, error)) {
		s.AddResource(mcp.NewResource(uri, name, mcp.WithResourceTitle(title), mcp.WithResourceDescription(description), mcp.WithMIMEType(markdown)), markdownReader(read))
	}
	d.modules = true
	fixed(URIOverview, "Project Overview", "Project Overview", "High-level project information, tech stack, and architecture", d.readOverview)
	fixed(URICurrentWork, "Current Session", "Current Session", "Active session information and activity", d.readCurrent)
	fixed(URIRecent, "Recent Sessions", "Recent Sessions", "List of recent coding sessions", d.readRecent)
	template := func(uri, name, title, description string, read func(context.Context, string) (string, error)) {
		s.AddResourceTemplate(mcp.NewResourceTemplate(uri, name, mcp.WithTemplateTitle(title), mcp.WithTemplateDescription(description), mcp.WithTemplateMIMEType(markdown)),
			server.ResourceTemplateHandlerFunc(markdownReader(read)))
	}
	template(URIModule+"{name}", "Module Detail", "Module Detail", "Detailed module information including patterns, rules, and issues", d.readModule)
	template(URIRecent+"{?limit}", "Recent Sessions", "Recent Sessions", "List of recent coding sessions, at most limit of them, up to "+strconv.Itoa(recentMost), d.readRecent)
}

func markdownReader(read func(context.Context, string) (string, error)) server.ResourceHandlerFunc {
	return func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		uri := req.Params.URI
		text, err := read(ctx, uri)
		if err != nil {
			return nil, contextError(uri, err)
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: markdown, Text: text}}, nil
	}
}

// contextError gives an error the code that the resources' contract defines for it.
func contextError(uri string, err error) error {
	var known *requestError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, jupyter.ErrNotFound):
		return &requestError{mcp.INTERNAL_ERROR, "Project file not found", uri, err.Error() + ": create the file, or name another with --project"}
	case errors.Is(err, errProject):
		return &requestError{mcp.INTERNAL_ERROR, err.Error(), uri, "correct the project file, then read again"}
	default:
		return &requestError{mcp.INTERNAL_ERROR, "Failed to read resource", uri, err.Error()}
	}
}

func (d *Provider) readOverview(ctx context.Context, _ string) (string, error) {
	p, err := d.Project.load(ctx)
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return noOverviewPage(d.Project.Path.String()), nil
	case err != nil:
		return "", err
	}
	return overviewPage(p), nil
}

// listTimeout is how long a list of resources waits for the project file.
const listTimeout = 3 * time.Second

// listModules lists the project's modules as resources.
func (d *Provider) listModules(ctx context.Context, after uint64, most int) (list []mcp.Resource, next uint64) {
	if !d.modules {
		return nil, 0
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	p, err := d.Project.load(ctx)
	if err != nil {
		return nil, 0 // reading the overview says why
	}
	var all []mcp.Resource
	for _, m := range p.Modules {
		about, _ := textfmt.Cut(oneLine(m.Description), maxModuleAbout)
		about = cmp.Or(about, "Detailed module information including patterns, rules, and issues")
		all = append(all, mcp.NewResource(moduleURI(m.Name), "Module: "+m.Name, mcp.WithResourceTitle("Module Detail"), mcp.WithResourceDescription(about), mcp.WithMIMEType(markdown)))
	}
	return page(all, after, most)
}

// maxModuleAbout is the maximum length of a module's description in a list, in characters.
const maxModuleAbout = 200

// moduleURI returns the address of a module.
func moduleURI(name string) string { return URIModule + url.PathEscape(name) }

func (d *Provider) readModule(ctx context.Context, uri string) (string, error) {
	name, err := url.PathUnescape(strings.TrimPrefix(uri, URIModule))
	if err != nil || name == "" {
		return "", &requestError{mcp.INVALID_PARAMS, "Module not found: " + name, uri, "no module in the address: give one such as " + URIModule + "auth"}
	}
	p, err := d.Project.load(ctx)
	if err != nil {
		return "", err
	}
	m, ok := p.Module(name)
	if !ok {
		return "", &requestError{
			mcp.INVALID_PARAMS, "Module not found: " + name, uri,
			fmt.Sprintf("Module '%s' not found in %s; known: %s", name, d.Project.Path, commaList(p.Names(), "none")),
		}
	}
	return modulePage(m), nil
}

func (d *Provider) readCurrent(ctx context.Context, _ string) (string, error) {
	s, ok := d.Activity.Current(tool.ClientOf(ctx))
	if !ok {
		return noCurrentPage(), nil
	}
	return currentPage(s, time.Now()), nil
}

func (d *Provider) readRecent(ctx context.Context, uri string) (string, error) {
	limit, err := recentLimit(uri)
	if err != nil {
		return "", err
	}
	list, err := d.Activity.Recent(ctx, activityClient(ctx).Owner, limit)
	if err != nil {
		return "", err
	}
	return recentPage(list, time.Now()), nil
}

// recentLimit parses ?limit=n in an address.
func recentLimit(uri string) (int, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return 0, &requestError{mcp.INVALID_PARAMS, "Invalid limit", uri, err.Error()}
	}
	text, given := u.Query().Get("limit"), u.Query().Has("limit")
	if !given {
		return recentDefault, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > recentMost {
		return 0, &requestError{mcp.INVALID_PARAMS, "Invalid limit: " + text, uri, fmt.Sprintf("limit must be from 1 to %d", recentMost)}
	}
	return limit, nil
}

// completeContext returns the values for a variable in an address of context://.
func (d *Provider) completeContext(ctx context.Context, name string) []string {
	switch name {
	case "name":
		if d.Activity == nil {
			return nil
		}
		p, err := d.Project.load(ctx)
		if err != nil {
			return nil // no values; reading says why
		}
		return p.Names()
	case "limit":
		return []string{"5", strconv.Itoa(recentDefault), "20", "50", strconv.Itoa(recentMost)}
	}
	return nil
}
