package pair

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

type waitMentionArgs struct {
	Timeout *float64 `json:"timeout,omitempty" jsonschema:"Seconds to wait, at most." validate:"max=3600" default:"300"`
	Path    string   `json:"path,omitempty" jsonschema:"Only in this notebook or chat. Left out: all that are open here or that people have in front, and their chats." validate:"max=path"`
	Agents  bool     `json:"agents,omitempty" jsonschema:"Mentions by other agents too." default:"false"`
}

// A MentionResult is the answer of wait_for_mention.
type MentionResult struct {
	*MentionView
	Source   string     `json:"source,omitempty" jsonschema:"Of the cell."`
	Type     string     `json:"cell_type,omitempty"`
	Attached []Attached `json:"attached,omitempty" jsonschema:"Attachments of the message."`
	Warning  string     `json:"untrusted,omitempty"`
	Waiting  int        `json:"waiting,omitempty" jsonschema:"Further mentions waiting."`
	Revision string     `json:"revision,omitempty" jsonschema:"The notebook's."`
	Message  string     `json:"message"`

	of mentions.Mention
}

// Attached is a cell or file that is attached to a message.
type Attached struct {
	Path     string `json:"path"`
	CellID   string `json:"cell_id,omitempty"`
	Index    *int   `json:"cell_index,omitempty"`
	Selected string `json:"selected,omitempty" jsonschema:"Their selection in it."`
	Source   string `json:"source,omitempty"`
}

// NameWait is the name of the tool that waits for a mention.
const NameWait = "wait_for_mention"

// waitForMention makes wait_for_mention.
func waitForMention(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        NameWait,
		Title:       "Wait until called by name",
		Description: "Waits until a person calls you by name, \"@Duet fix the axis\", in a cell or in the chat; shows the text and its place. Then do it, and reply. Use it when asked to stay around.",
		Hints:       tool.Hints{ReadOnly: true},
		Output: tool.DocumentResultOf[MentionResult](func(f tool.Fields) { // without a mention if no person calls
			f.Optional("mention", "by", "path", "text", "seconds_ago")
		}),
		Call: tool.Typed(func(ctx context.Context, args waitMentionArgs) (*tool.Answer, error) {
			l := &listener{d: d, client: tool.ClientOf(ctx), agents: args.Agents}
			defer l.release()
			if err := l.listen(ctx, args.Path); err != nil {
				return nil, err
			}
			if len(l.docs) > 0 {
				defer d.Manager.Presence.Waiting(l.client, l.docs...)()
			}
			began := time.Now()
			m, ok, err := l.wait(ctx, d.Hold(ctx, false, waitFor(args.Timeout)))
			if err != nil {
				return nil, err
			}
			if !ok {
				out := &MentionResult{Message: fmt.Sprintf("you were not called within %.0f s; call again to keep waiting", max(1, time.Since(began).Seconds()))}
				return &tool.Answer{Body: out, Words: tool.Words(ctx, func() plaintext.Text { return plaintext.Text{First: out.Message} })}, nil
			}
			return l.answer(ctx, m)
		}),
	}
}

// listener waits for mentions in notebooks that it holds open.
type listener struct {
	d      *deps.Deps
	client string
	agents bool
	only   func(mentions.Mention) bool
	docs   []*session.Document
	chats  chats
}

func (l *listener) release() {
	l.chats.release()
	for _, doc := range l.docs {
		doc.Release()
	}
}

// maxFronts is the maximum number of notebooks that are opened because people have them in front.
const maxFronts = 5

// listen holds open the notebooks in which a person may call.
func (l *listener) listen(ctx context.Context, path string) error {
	if strings.HasSuffix(path, ".chat") {
		return l.listenInChat(ctx, path)
	}
	if path != "" {
		doc, err := l.d.Open(ctx, path)
		if err != nil {
			return err
		}
		l.docs = append(l.docs, doc)
		l.only = func(m mentions.Mention) bool { return m.Path == doc.Path() }
		return nil
	}
	l.docs = l.d.Manager.HoldUnder(func(jupyter.Path) bool { return true })
	if len(l.docs) == 0 && len(l.d.Chats.Chats()) == 0 {
		return errors.New("no notebook is open here, so you cannot be called: give the path of the notebook in which you work, or of a chat" + textfmt.Hint("; list_nbs lists them"))
	}
	fronts := 0
	for _, f := range l.d.Manager.Presence.Lobby().Fronts {
		for _, front := range f.Documents {
			at, err := jupyter.ParsePath(front)
			if err != nil || f.Agent || !strings.HasSuffix(front, ".ipynb") || l.d.Manager.IsOpen(at) || fronts == maxFronts {
				continue
			}
			fronts++
			if doc, err := l.d.Manager.Open(ctx, at); err == nil {
				l.docs = append(l.docs, doc)
			}
		}
	}
	l.listenInChats(ctx)
	return nil
}

// asks returns the listener's query to the book of mentions.
func (l *listener) asks() mentions.Asks {
	return mentions.Asks{Client: l.client, Agents: l.agents, Fits: l.only}
}

// wait waits for a mention, and takes it.
func (l *listener) wait(ctx context.Context, most time.Duration) (m mentions.Mention, ok bool, err error) {
	book := l.d.Manager.Mentions
	began := time.Now()
	over := time.NewTimer(most)
	defer over.Stop()
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		next := book.Changed() // before looking
		if m, ok = l.d.Manager.Leases.Take(ctx, l.asks()); ok {
			return m, true, nil
		}
		select {
		case <-next:
		case <-tick.C:
			tool.Progress(ctx, time.Since(began).Seconds(), "no mention yet")
		case <-over.C:
			return m, false, nil
		case <-l.chats.over():
			return m, false, l.chats.why()
		case <-ctx.Done():
			return m, false, fmt.Errorf("wait for a mention: %w", ctx.Err())
		}
	}
}

// answer shows a mention.
func (l *listener) answer(ctx context.Context, m mentions.Mention) (*tool.Answer, error) {
	v := mentionView(l.d, m)
	out := &MentionResult{MentionView: &v, Warning: warning(m), Waiting: -1, of: m}
	for _, listed := range l.d.Manager.Mentions.List(l.asks()) {
		if listed.Taken != mentions.Elsewhere {
			out.Waiting++
		}
	}
	out.Waiting = max(0, out.Waiting)
	a := &tool.Answer{Body: out}
	var roll *target.Roll
	if doc := notebookOf(ctx, l.d, m); doc != nil {
		defer doc.Release()
		a.Doc = doc
		now := target.RollOf(ctx, doc)
		v.in(now)
		out.Revision = target.Revision(target.Now(doc))
		if c, ok := doc.Notebook().Cell(m.Cell); ok {
			out.Source, out.Type = shownSource(ctx, doc, c), c.Type
			target.Touch(ctx, doc, c.ID)
		}
		if tool.InWords(ctx) {
			roll = now
		}
	}
	if m.InChat() {
		l.d.Chats.Acknowledge(l.client, m)
		out.Attached = attachedTo(ctx, l.d, m)
	}
	out.Message = "mention " + m.ID + " by " + v.by() + ", " + v.where(roll)
	a.Words = tool.Words(ctx, func() plaintext.Text { return out.words(roll) })
	if ctx.Err() != nil { // the client no longer waits for the answer
		l.d.Manager.Mentions.Release(m.ID)
		l.d.Chats.Done(m)
	}
	return a, nil
}

// words returns the mention, its text, and its cell.
func (r *MentionResult) words(roll *target.Roll) plaintext.Text {
	t := plaintext.Text{First: r.Message}
	t.Add(quoted(r.of, r.Text))
	if r.CellID != "" && roll != nil {
		c := roll.Cell(r.CellID)
		c.Type = r.Type
		roll.Show(r.CellID)
		t.Add(plaintext.Source(c, r.Source))
	}
	for _, at := range r.Attached {
		t.Add(plaintext.Block{Head: " attached: " + at.name(), Body: at.text()})
	}
	if r.More > 0 {
		where := lo.Ternary(r.of.InChat(), "chat", "cell")
		t.Note(fmt.Sprintf("%s came with it, in the same %s", textfmt.Plural(r.More, "more mention"), where))
	}
	if r.Waiting > 0 {
		t.Note(textfmt.Plural(r.Waiting, "more mention") + textfmt.Hint(": list_mentions shows them"))
	}
	t.Note(textfmt.Hint("reply answers it, in its place"))
	return t
}

// name returns the name of an attachment.
func (a Attached) name() string {
	if a.CellID == "" {
		return a.Path
	}
	c := plaintext.Cell{Index: tool.ValueOr(a.Index, -1), ID: a.CellID}
	return a.Path + " cell " + c.Name()
}

// text returns the shown text of an attachment.
func (a Attached) text() string {
	if a.Selected != "" {
		return a.Selected
	}
	return a.Source
}
