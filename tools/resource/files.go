package resource

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
)

// AddFiles makes the files of the Jupyter server resources of each analysis session of a client, at the addresses that
// file_get returns. resources/list does not list them; file_list does.
func AddFiles(s *server.MCPServer, d *Provider) {
	s.AddResourceTemplate(
		mcp.NewResourceTemplate(analysis.FileScheme+"{session_id}/files/{+path}", "file",
			mcp.WithTemplateDescription("A file on the Jupyter server, as it is on disk, of at most "+textfmt.Kilobytes(analysis.MaxFile)+"; path is relative to the server's root folder."),
		),
		func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			contents, err := d.readFile(ctx, req.Params.URI)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", server.ErrResourceNotFound, err)
			}
			return []mcp.ResourceContents{contents}, nil
		},
	)
}

// parseFileURI parses the address of a file.
func parseFileURI(address string) (session, path string, err error) {
	rest, ok := strings.CutPrefix(address, analysis.FileScheme)
	session, path, found := strings.Cut(rest, "/files/")
	if !ok || !found || session == "" || strings.Contains(session, "/") {
		return "", "", fmt.Errorf("%s is not the address of a file: give one such as %sabc/files/work/result.csv", textfmt.Quoted(address), analysis.FileScheme)
	}
	if path, err = url.PathUnescape(path); err != nil {
		return "", "", fmt.Errorf("the path in %s cannot be decoded: %w", textfmt.Quoted(address), err)
	}
	return session, path, nil
}

// readFile reads the file at an address. A client can read addresses of its own sessions only.
func (d *Provider) readFile(ctx context.Context, uri string) (mcp.ResourceContents, error) {
	session, path, err := parseFileURI(uri)
	if err != nil {
		return nil, err
	}
	c, err := analysis.FileNotFolder(ctx, d.Deps, session, path)
	if err != nil {
		return nil, err
	}
	tooLarge := func(size int64) error {
		return fmt.Errorf("%s has %s, and the limit is %s", textfmt.Quoted(c.Path.String()), textfmt.Kilobytes(int(size)), textfmt.Kilobytes(analysis.MaxFile))
	}
	switch {
	case c.Size == nil:
		return nil, errors.New("the Jupyter server does not say how large " + textfmt.Quoted(c.Path.String()) + " is")
	case *c.Size > analysis.MaxFile:
		return nil, tooLarge(*c.Size)
	}
	data, mime, err := analysis.FileData(ctx, d.Deps, c.Path)
	if err != nil {
		return nil, err
	}
	if len(data) > analysis.MaxFile { // it has grown
		return nil, tooLarge(int64(len(data)))
	}
	return analysis.FileContents(uri, mime, data), nil
}
