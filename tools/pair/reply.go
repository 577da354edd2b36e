package pair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
)

type replyArgs struct {
	Mention string   `json:"mention" jsonschema:"Its id." validate:"min=1,max=40"`
	Text    string   `json:"text" jsonschema:"Markdown." validate:"min=1,max=source"`
	Cells   []string `json:"cells,omitempty" jsonschema:"Ids of cells that the reply is about: the person gets links to them." validate:"max=20,dive,min=1,max=id,cellid"`
}

// A ReplyResult is the answer of reply.
type ReplyResult struct {
	Message string `json:"message"`
	Path    string `json:"path"`
	CellID  string `json:"cell_id,omitempty" jsonschema:"The cell with the reply."`
	Index   *int   `json:"cell_index,omitempty"`
	Posted  string `json:"message_id,omitempty" jsonschema:"The message of the chat with the reply."`
}

// reply makes reply.
func reply(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "reply",
		Title:       "Reply to a mention",
		Description: "Answers a mention in its place: in the chat, or as a Markdown cell below the person's cell.",
		Output:      tool.DocumentResultOf[ReplyResult](nil),
		Call: tool.Typed(func(ctx context.Context, args replyArgs) (*tool.Answer, error) {
			if strings.TrimSpace(args.Text) == "" {
				return nil, errors.New("text is blank: write a reply")
			}
			if textfmt.Marked(args.Text) {
				return nil, errors.New("text " + tool.MarkedWhy)
			}
			m, err := d.Manager.Leases.Of(ctx, tool.ClientOf(ctx), args.Mention)
			if errors.Is(err, mentions.ErrUnknown) {
				return nil, fmt.Errorf("%w"+textfmt.Hint("; list_mentions lists the unanswered ones"), err)
			}
			if err != nil {
				return nil, err
			}
			a, err := replyIn(ctx, d, m, args)
			if err == nil {
				d.Manager.Mentions.Answered(m.ID)
			}
			return a, err
		}),
	}
}

// replyIn replies in the chat, or in a cell beneath the mention's.
func replyIn(ctx context.Context, d *deps.Deps, m mentions.Mention, args replyArgs) (*tool.Answer, error) {
	if m.InChat() {
		return replyInChat(ctx, d, m, args)
	}
	doc, err := d.OpenAt(ctx, m.Path)
	if err != nil {
		return nil, err
	}
	defer doc.Release()
	if _, ok := doc.Notebook().Cell(m.Cell); !ok {
		d.Manager.Mentions.Answered(m.ID)
		return nil, fmt.Errorf("the cell in which %s called you was deleted, and so was the mention: nothing was written"+textfmt.Hint("; insert_nb_cells adds a cell elsewhere"), m.Who.Name)
	}
	view := target.ViewOf(ctx, doc).Beside()
	links := make([]string, len(args.Cells))
	for i, id := range args.Cells {
		at, err := view.Find(id, fmt.Sprintf("cells[%d]", i))
		if err != nil {
			return nil, err
		}
		number := at + 1 // as JupyterLab counts
		if place, ok := beneath(view.Now, m.Cell); ok && at >= place {
			number++ // the reply comes before it
		}
		links[i] = fmt.Sprintf("[cell %d](#cell-id=%s)", number, view.Now[at].ID)
	}
	text := textfmt.Lines(args.Text)
	if len(links) > 0 {
		text += "\n\n" + strings.Join(links, " · ")
	}
	about := map[string]any{"reply_to": m.Cell, "mention": m.ID}
	if m.Who.Username != "" {
		about["to"] = m.Who.Username
	}
	cell := ydoc.NewCell{Type: ydoc.Markdown, Source: text, Metadata: map[string]any{metaKey: about}}
	var gone error
	ids, err := notebook.InsertAt(ctx, doc, []ydoc.NewCell{cell}, func(e *ydoc.Editor) int {
		at, ok := beneath(cellsIn(e), m.Cell)
		if !ok {
			gone = errors.New("the cell in which you were called was just deleted")
		}
		return at
	})
	if err = errors.Join(gone, err); err != nil {
		return nil, err
	}
	out := &ReplyResult{Path: doc.Path().String(), CellID: ids[0]}
	if at, ok := doc.Notebook().Index(ids[0]); ok {
		out.Index = &at
	}
	out.Message = "replied in a cell below " + m.Who.Name + "'s"
	return &tool.Answer{Body: out, Doc: doc, Words: target.CellWords(ctx, doc, func(roll *target.Roll) plaintext.Text {
		return plaintext.Text{First: out.Message + ": " + roll.Names(out.CellID)}
	})}, nil
}

// metaKey is the key in a cell's metadata that marks it as a reply to a mention.
const metaKey = "nbduet"

// beneath returns the index beneath a cell and the replies to it.
func beneath(cells []ydoc.Cell, cell string) (at int, ok bool) {
	at = slices.IndexFunc(cells, func(c ydoc.Cell) bool { return c.ID == cell })
	if at < 0 {
		return len(cells), false
	}
	for at++; at < len(cells); at++ {
		if about, _ := cells[at].Metadata[metaKey].(map[string]any); about["reply_to"] != cell {
			break
		}
	}
	return at, true
}

// cellsIn returns the cells as they are within an edit.
func cellsIn(e *ydoc.Editor) []ydoc.Cell {
	return lo.Times(e.Len(), func(i int) ydoc.Cell { return lo.T2(e.CellAt(i)).A })
}
