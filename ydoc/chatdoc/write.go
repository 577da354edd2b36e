package chatdoc

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// Outgoing is a message to send.
type Outgoing struct {
	// ID is a result of [NewID]; if empty, a new one is made.
	ID          string
	Body        string
	Attachments []Attachment
	// Mentions are the usernames that the body mentions.
	Mentions []string
}

// maxBody is the longest text written, in bytes.
const maxBody = 1 << 20

// maxDepth bounds the nesting of written values, which an attachment's selections need.
const maxDepth = 8

// Enter adds a user to the chat, who may then be mentioned there.
func (d *Doc) Enter(u User) error {
	return d.write("enter the chat", func(x *crdt.Tx) error { return d.enter(x, u) })
}

// enter writes a user with exactly the fields of the server's user class: with any other field the server could not
// read the chat. Tabs use the mention name to find and show mentions in a message.
func (d *Doc) enter(x *crdt.Tx, u User) error {
	v, err := crdt.Plain(map[string]any{
		"username": u.Username, "name": u.Name, "display_name": u.DisplayName, "initials": u.Initials, "color": u.Color,
		"avatar_url": optional(u.AvatarURL), "bot": u.Bot, "mention_name": u.MentionName(),
	}, maxDepth)
	if err != nil {
		return err
	}
	if u.Username == "" {
		return crdt.Invalidf("a user without a name")
	}
	if !crdt.EqualObjects(object(d.window.users.Get(u.Username)), object(v)) {
		x.Set(d.window.users, u.Username, v)
	}
	return nil
}

func optional(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// Append adds a message at the end, sent now by from, who is added to the chat's users if necessary, and returns its
// id.
func (d *Doc) Append(from User, m Outgoing) (id string, err error) {
	if id = m.ID; id == "" {
		id = NewID()
	}
	err = d.write("send a message", func(x *crdt.Tx) error {
		body, err := checkBody(m.Body)
		if err != nil {
			return err
		}
		refs, values, err := attached(m.Attachments)
		if err != nil {
			return err
		}
		mentions, err := crdt.Plain(m.Mentions, maxDepth)
		if err != nil {
			return err
		}
		if err := d.enter(x, from); err != nil {
			return err
		}
		for i, ref := range refs {
			if !d.window.attachments.Has(ref.(string)) {
				x.Set(d.window.attachments, ref.(string), values[i])
			}
		}
		t := x.InsertType(d.window.list, d.window.list.Len(), crdt.KindMap)
		x.Set(t, "type", "msg")
		x.Set(t, "id", id)
		x.Set(t, "body", body)
		x.Set(t, "time", float64(time.Now().UnixMicro())/1e6)
		x.Set(t, "sender", from.Username)
		x.Set(t, "raw_time", true)
		if len(m.Mentions) > 0 {
			x.Set(t, "mentions", mentions)
		}
		if len(refs) > 0 {
			x.Set(t, "attachments", refs)
		}
		return nil
	})
	return id, err
}

// ErrNoMessage means that no message has that id, or that it was deleted.
var ErrNoMessage = errors.New("no such message")

// SetBody changes the text of a message, and marks it as edited if edited is true.
func (d *Doc) SetBody(id, body string, edited bool) error {
	return d.write("edit a message", func(x *crdt.Tx) error {
		body, err := checkBody(body)
		if err != nil {
			return err
		}
		d.window.refresh()
		e := d.window.index[id]
		if e == nil || e.msg.Deleted {
			return fmt.Errorf("%w: %q", ErrNoMessage, id)
		}
		t := e.typ
		if t == nil {
			t = d.share(x, e)
		}
		if text(t.Get("body")) == body {
			return nil
		}
		x.Set(t, "body", body)
		if edited {
			x.SetChanged(t, "edited", true)
		}
		return nil
	})
}

// share replaces a plain object by a shared map. The server makes a message a plain object when it moves it.
func (d *Doc) share(x *crdt.Tx, e *entry) *crdt.Type {
	at := 0
	for t, v := range d.window.list.Entries() {
		if t == nil && crdt.EqualValues(v, e.plain) {
			break
		}
		at++
	}
	x.Remove(d.window.list, at, 1)
	t := x.InsertType(d.window.list, at, crdt.KindMap)
	for k, v := range e.plain {
		x.Set(t, k, v)
	}
	return t
}

// write runs f as one transaction. f must not write before all its checks have passed.
func (d *Doc) write(op string, f func(x *crdt.Tx) error) error {
	return d.Do(op, func() (err error) {
		d.Transact(func(x *crdt.Tx) { err = f(x) })
		if err != nil {
			return err
		}
		return d.Measure()
	})
}

func checkBody(s string) (string, error) {
	if len(s) > maxBody {
		return "", crdt.Invalidf("a message of %d bytes, at most %d are allowed", len(s), maxBody)
	}
	_, err := crdt.Plain(s, 1)
	return s, err
}

// attached returns attachments in the document's form. An id is a hash of the content, so that equal attachments are
// stored once.
func attached(list []Attachment) (refs, values []any, err error) {
	if len(list) > maxAttachments {
		return nil, nil, crdt.Invalidf("%d attachments, at most %d are allowed", len(list), maxAttachments)
	}
	for _, a := range list {
		v, err := crdt.Plain(a.value(), maxDepth)
		if err != nil {
			return nil, nil, err
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, nil, crdt.Invalidf("an attachment: %v", err)
		}
		sum := sha256.Sum256(b)
		refs, values = append(refs, uuid(sum[:16])), append(values, v)
	}
	return refs, values, nil
}

// value returns the attachment with all the fields of the server's classes, as the server writes them.
func (a Attachment) value() map[string]any {
	v := map[string]any{"type": a.Type, "value": a.Path, "mimetype": nil}
	if a.MIMEType != "" {
		v["mimetype"] = a.MIMEType
	}
	if a.Type != "notebook" {
		v["type"], v["selection"] = "file", a.Selection.value()
		return v
	}
	v["cells"] = nil
	if len(a.Cells) > 0 {
		cells := lo.Map(a.Cells, func(c Cell, _ int) any {
			return map[string]any{"id": c.ID, "input_type": cmp.Or(c.Type, "code"), "selection": c.Selection.value()}
		})
		v["cells"] = cells
	}
	return v
}

func (s *Selection) value() any {
	if s == nil {
		return nil
	}
	return map[string]any{
		"start": []any{s.Start[0], s.Start[1]}, "end": []any{s.End[0], s.End[1]}, "content": s.Content,
	}
}

// NewID makes an id for a message.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return uuid(b[:])
}

// uuid formats 16 bytes in the form of message and attachment ids.
func uuid(b []byte) string {
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
