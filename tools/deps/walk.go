package deps

import (
	"context"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// Walk calls [files.Walk] on the document server; folders may come from a cache, see package listcache. It reports progress
// to the call's client.
func (d *Deps) Walk(ctx context.Context, s files.Search) ([]jupyter.Content, files.WalkNote, error) {
	s.Tell = func(folders, found int) {
		tool.Progress(ctx, float64(folders), textfmt.Plural(folders, "folder")+" listed, "+textfmt.Plural(found, s.What)+" found")
	}
	return files.Walk(ctx, d.Manager.Servers().Lists, s)
}
