package resource

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Listed is the number of resources on a page of resources/list.
const Listed = 100

// A lister lists the resources of one kind for a client, in a fixed order.
type lister struct {
	name string // in cursors
	// list returns up to most resources from a position on, 0 for the beginning. next is the position of the next page, 0
	// for none.
	list func(ctx context.Context, after uint64, most int) (list []mcp.Resource, next uint64)
}

// addLists makes resources/list list the resources of the requesting client. mcp-go's own list, which is the same for all
// clients, comes first, then the lists of the listers.
func addLists(hooks *server.Hooks, listers ...lister) {
	hooks.AddBeforeListResources(func(_ context.Context, _ any, req *mcp.ListResourcesRequest) {
		if _, _, ok := placeOf(req.Params.Cursor, listers); !ok && req.Params.Cursor != "" {
			req.Params.Cursor = "?" // mcp-go refuses it
		}
	})
	hooks.AddAfterListResources(func(ctx context.Context, _ any, req *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
		at, after, ours := placeOf(req.Params.Cursor, listers)
		if ours {
			res.Resources = []mcp.Resource{}
		}
		res.NextCursor = ""
		for ; at < len(listers); at++ {
			room := Listed - len(res.Resources)
			if room <= 0 {
				res.NextCursor = cursorAt(listers[at].name, after)
				return
			}
			list, next := listers[at].list(ctx, after, room)
			res.Resources = append(res.Resources, list...)
			if after = next; next > 0 {
				res.NextCursor = cursorAt(listers[at].name, next)
				return
			}
		}
	})
}

func cursorAt(name string, after uint64) mcp.Cursor {
	return mcp.Cursor(base64.StdEncoding.EncodeToString([]byte(name + ":" + strconv.FormatUint(after, 10))))
}

// placeOf parses one of our cursors.
func placeOf(c mcp.Cursor, listers []lister) (at int, after uint64, ours bool) {
	b, err := base64.StdEncoding.DecodeString(string(c))
	if err != nil || c == "" {
		return 0, 0, false
	}
	name, number, _ := strings.Cut(string(b), ":")
	for i, l := range listers {
		if l.name == name {
			after, err = strconv.ParseUint(number, 10, 64)
			return i, after, err == nil
		}
	}
	return 0, 0, false
}

// page returns one page of a whole list.
func page(all []mcp.Resource, after uint64, most int) (list []mcp.Resource, next uint64) {
	from := int(min(after, uint64(len(all))))
	to := min(from+most, len(all))
	if to < len(all) {
		next = uint64(to)
	}
	return all[from:to], next
}
