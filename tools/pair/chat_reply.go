package pair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/service/chatwatch"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// attachedTo returns a message's attachments, the cells with their sources.
func attachedTo(ctx context.Context, d *deps.Deps, m mentions.Mention) (all []Attached) {
	docs := map[string]*session.Document{}
	defer func() {
		for _, doc := range docs {
			if doc != nil {
				doc.Release()
			}
		}
	}()
	for _, a := range m.Attached {
		out := Attached{Path: a.Path, CellID: a.Cell, Selected: textfmt.Plain(a.Selected)}
		if a.Cell != "" {
			if _, tried := docs[a.Path]; !tried && len(docs) < maxAttachedNotebooks {
				docs[a.Path] = openAttached(ctx, d, a.Path)
			}
			if doc := docs[a.Path]; doc != nil {
				if c, ok := doc.Notebook().Cell(a.Cell); ok {
					out.Source = shownSource(ctx, doc, c)
				}
				if at, ok := doc.Notebook().Index(a.Cell); ok {
					out.Index = &at
				}
				target.Touch(ctx, doc, a.Cell)
			}
		}
		all = append(all, out)
	}
	return all
}

// maxAttachedNotebooks is the maximum number of notebooks that are opened for one message.
const maxAttachedNotebooks = 3

// openAttached opens a notebook that a message names; nil if it cannot be opened.
func openAttached(ctx context.Context, d *deps.Deps, path string) *session.Document {
	at, err := jupyter.ParsePath(path)
	if err != nil || !strings.HasSuffix(path, ".ipynb") {
		return nil
	}
	doc, _ := d.OpenAt(ctx, at)
	return doc
}

// replyInChat replies in the chat of the mention.
func replyInChat(ctx context.Context, d *deps.Deps, m mentions.Mention, args replyArgs) (*tool.Answer, error) {
	path := m.Path
	if c := d.Chats.Of(m); c != nil {
		path = c.Path()
	}
	c, err := openChat(ctx, d, path)
	if err != nil {
		if errors.Is(err, jupyter.ErrNotFound) || errors.Is(err, chat.ErrGone) {
			d.Manager.Mentions.Answered(m.ID)
			return nil, fmt.Errorf("%w; the chat in which %s called you was deleted, and so was the mention", err, m.Who.Name)
		}
		return nil, err
	}
	defer c.Release()
	attachments, err := attachmentsOf(ctx, d, m, c.Path(), args.Cells)
	if err != nil {
		return nil, err
	}
	out := &ReplyResult{Path: c.Path().String(), Message: "replied in the chat " + c.Path().String()}
	out.Posted, err = c.Send(ctx, d.Chats.User(tool.ClientOf(ctx)), chat.Outgoing{Body: textfmt.Lines(args.Text), Attachments: attachments})
	if err != nil {
		return nil, err
	}
	d.Chats.Done(m)
	return &tool.Answer{Body: out, Words: tool.Words(ctx, func() plaintext.Text {
		return plaintext.Text{First: out.Message + ", message " + out.Posted}
	})}, nil
}

// attachmentsOf finds cells in the notebooks that a reply in a chat can be about: the notebooks attached to the message, the
// one beside the chat, and the client's current one.
func attachmentsOf(ctx context.Context, d *deps.Deps, m mentions.Mention, of jupyter.Path, cells []string) (all []chat.Attachment, err error) {
	if len(cells) == 0 {
		return nil, nil
	}
	paths := slices.Compact(lo.Map(m.Attached, func(a mentions.Attached, _ int) string { return a.Path }))
	paths = paths[:min(len(paths), maxAttachedNotebooks)]
	if beside, err := chatwatch.Beside(of); err == nil {
		paths = append(paths, beside.String())
	}
	if current, ok := d.CurrentNotebook(ctx); ok {
		paths = append(paths, current.Doc.Path().String())
	}
	found := map[int]bool{}
	var looked []string
	for _, path := range paths {
		if len(found) == len(cells) || slices.Contains(looked, path) {
			continue
		}
		doc := openAttached(ctx, d, path)
		if doc == nil {
			continue
		}
		looked = append(looked, path)
		view := target.ViewOf(ctx, doc).Beside()
		a := chat.Attachment{Type: "notebook", Path: doc.Path().String()}
		for i, id := range cells {
			if found[i] {
				continue
			}
			if at, err := view.Find(id, fmt.Sprintf("cells[%d]", i)); err == nil {
				found[i] = true
				a.Cells = append(a.Cells, chat.Cell{ID: view.Now[at].ID, Type: view.Now[at].Type})
			}
		}
		doc.Release()
		if len(a.Cells) > 0 {
			all = append(all, a)
		}
	}
	for i, id := range cells {
		if !found[i] {
			in := "no notebook belongs to the message or the chat, and you have used none"
			if len(looked) > 0 {
				in = "it is not in " + textfmt.QuotedList(looked)
			}
			return nil, fmt.Errorf("cells[%d]: cell %s was not found: %s. Nothing was sent: read the notebook with that cell first, or leave cells out", i, textfmt.Quoted(id), in)
		}
	}
	return all, nil
}
