package document

import (
	"context"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools/tool"
)

// Walk is [WalkFolders] that tells the call's client how far it is.
func Walk(ctx context.Context, srv *jupyter.Server, s Search) ([]jupyter.Content, WalkNote, error) {
	s.Tell = func(folders, found int) {
		tool.Progress(ctx, float64(folders), tool.Plural(folders, "folder")+" listed, "+tool.Plural(found, s.What)+" found")
	}
	return WalkFolders(ctx, srv, s)
}
