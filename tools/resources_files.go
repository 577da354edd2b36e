package tools

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addFiles makes the files of the Jupyter server resources of each analysis session of the client's, at the addresses
// that file_get names. They are not listed: file_list does that.
func addFiles(s *server.MCPServer, d *provider) {
	s.AddResourceTemplate(
		mcp.NewResourceTemplate(fileScheme+"{session_id}/files/{+path}", "file",
			mcp.WithTemplateDescription("A file on the Jupyter server, as it is on disk, of at most "+kilobytes(maxFile)+"; path is relative to the server's root folder. file_get names the addresses."),
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

const fileScheme = "jupyter://sessions/"

// fileURI is the address of a file for a session.
func fileURI(session, path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return fileScheme + session + "/files/" + strings.Join(segments, "/")
}

// parseFileURI takes such an address apart.
func parseFileURI(address string) (session, path string, err error) {
	rest, ok := strings.CutPrefix(address, fileScheme)
	session, path, found := strings.Cut(rest, "/files/")
	if !ok || !found || session == "" || strings.Contains(session, "/") {
		return "", "", fmt.Errorf("%s is not the address of a file, which is like %sabc/files/work/result.csv", quoted(address), fileScheme)
	}
	if path, err = url.PathUnescape(path); err != nil {
		return "", "", fmt.Errorf("the path in %s cannot be decoded: %w", quoted(address), err)
	}
	return session, path, nil
}

// readFile reads the file at an address. A client reads those of its own sessions only.
func (d *provider) readFile(ctx context.Context, uri string) (mcp.ResourceContents, error) {
	session, path, err := parseFileURI(uri)
	if err != nil {
		return nil, err
	}
	c, err := d.fileNotFolder(ctx, session, path)
	if err != nil {
		return nil, err
	}
	tooLarge := func(size int64) error {
		return fmt.Errorf("%s takes %s, and no more than %s are handed over", quoted(c.Path), kilobytes(int(size)), kilobytes(maxFile))
	}
	switch {
	case c.Size == nil:
		return nil, errors.New("the Jupyter server does not say how large " + quoted(c.Path) + " is")
	case *c.Size > maxFile:
		return nil, tooLarge(*c.Size)
	}
	data, mime, err := d.fileData(ctx, c.Path)
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile { // it has grown
		return nil, tooLarge(int64(len(data)))
	}
	return fileContents(uri, mime, data), nil
}

// fileContents is a whole file as a resource: as text where it is one and takes no more room so.
func fileContents(uri, mime string, data []byte) mcp.ResourceContents {
	if isTextData(data) {
		if written, err := compact(string(data)); err == nil && len(written) <= answerRoom-100_000 {
			return mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: string(data)}
		}
	}
	return mcp.BlobResourceContents{URI: uri, MIMEType: mime, Blob: base64.StdEncoding.EncodeToString(data)}
}
