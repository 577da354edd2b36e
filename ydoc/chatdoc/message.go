package chatdoc

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// A User is a user known in a chat.
type User struct {
	awareness.User
	// Bot is true for an agent of the server. The front end does not offer bots for mentions.
	Bot bool
}

// MentionName returns the name used after "@" to mention the user.
func (u User) MentionName() string {
	return strings.ReplaceAll(cmp.Or(u.DisplayName, u.Name, u.Username), " ", "-")
}

// Agent reports whether the user is marked as an agent: as a bot, or by [awareness.AIMark] in its name.
func (u User) Agent() bool {
	return u.Bot || strings.Contains(u.Name, awareness.AIMark) || strings.Contains(u.DisplayName, awareness.AIMark)
}

// A Message is a snapshot of a message.
type Message struct {
	ID   string
	Body string
	// Time is when it was sent: by the sender's clock while RawTime is true, then by the server's.
	Time    time.Time
	RawTime bool
	// Sender has only a Username if the sender is unknown in the chat.
	Sender User
	// Mentions are the usernames that the sender's front end found mentioned.
	Mentions    []string
	Attachments []Attachment
	// Edited is true once the text was changed, Deleted once the message was deleted: its body is then empty.
	Edited, Deleted bool
}

// An Attachment is a file or notebook that a message refers to.
type Attachment struct {
	// Type is "notebook" or "file".
	Type string
	// Path is the path in the Contents API.
	Path     string
	MIMEType string
	// Cells are the cells of a notebook that are meant; empty means all of it.
	Cells []Cell
	// Selection is the selected text of a file.
	Selection *Selection
}

// Cell is a cell that a message refers to.
type Cell struct {
	ID string
	// Type is code, markdown or raw.
	Type string
	// Selection is the selected text of the cell.
	Selection *Selection
}

// Selection is a selected text, with the line and column of its start and end.
type Selection struct {
	Start, End [2]int
	Content    string
}

// Limits on the parts read of one message, whatever others have written.
const (
	maxAttachments = 50
	maxCells       = 200
	maxMentions    = 200
)

// raw is a message with references to other parts of the document.
type raw struct {
	Message
	sender      string
	attachments []string
}

// readMessage reads a message from the values under its keys. It returns false for a malformed message.
func readMessage(get func(key string) any) (m raw, ok bool) {
	m.ID, m.sender = text(get("id")), text(get("sender"))
	body, isText := get("body").(string)
	if m.ID == "" || !isText {
		return m, false
	}
	if typ := text(get("type")); typ != "" && typ != "msg" {
		return m, false
	}
	m.Body = body
	m.Time = moment(get("time"))
	m.RawTime, _ = get("raw_time").(bool)
	m.Edited, _ = get("edited").(bool)
	m.Deleted, _ = get("deleted").(bool)
	m.Mentions = texts(get("mentions"), maxMentions)
	m.attachments = texts(get("attachments"), maxAttachments)
	return m, true
}

// readAttachment returns false for a malformed attachment.
func readAttachment(v any) (a Attachment, ok bool) {
	o := object(v)
	a = Attachment{Type: cmp.Or(text(o["type"]), "file"), Path: text(o["value"]), MIMEType: text(o["mimetype"]), Selection: selection(o["selection"])}
	cells, _ := o["cells"].([]any)
	for _, c := range cells[:min(len(cells), maxCells)] {
		o := object(c)
		if id := text(o["id"]); id != "" {
			a.Cells = append(a.Cells, Cell{ID: id, Type: text(o["input_type"]), Selection: selection(o["selection"])})
		}
	}
	return a, a.Path != ""
}

func selection(v any) *Selection {
	o := object(v)
	if o == nil {
		return nil
	}
	return &Selection{Start: place(o["start"]), End: place(o["end"]), Content: text(o["content"])}
}

func place(v any) (p [2]int) {
	l, _ := v.([]any)
	for i := range min(len(l), len(p)) {
		if n := number(l[i]); n >= 0 && n <= math.MaxInt32 {
			p[i] = int(n)
		}
	}
	return p
}

func readUser(username string, v any) User {
	o := object(v)
	u := User{User: awareness.User{
		Username: username, Name: text(o["name"]), DisplayName: text(o["display_name"]), Initials: text(o["initials"]), Color: text(o["color"]),
	}}
	if url := text(o["avatar_url"]); url != "" {
		u.AvatarURL = &url
	}
	u.Bot, _ = o["bot"].(bool)
	return u
}

// moment converts seconds since 1970 to a time, zero if absent.
func moment(v any) time.Time {
	s := number(v)
	if s <= 0 || s > 1e11 { // not a plausible date
		return time.Time{}
	}
	whole, part := math.Modf(s)
	return time.Unix(int64(whole), int64(part*1e9)).UTC()
}

func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return -1
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func texts(v any, most int) (list []string) {
	l, _ := v.([]any)
	for _, e := range l[:min(len(l), most)] {
		if s := text(e); s != "" {
			list = append(list, s)
		}
	}
	return list
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
