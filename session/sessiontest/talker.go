package sessiontest

import (
	"context"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
)

// A Talker is another participant in a chat's room.
type Talker struct {
	*chatdoc.Doc
	Room *rtc.Room
	As   chatdoc.User
	t    *testing.T
}

// Talks joins the room of a chat as another participant until the test ends.
func Talks(t *testing.T, s *jupytertest.Server, chat jupyter.Path, as awareness.User) *Talker {
	t.Helper()
	p := &Talker{chatdoc.New(), nil, chatdoc.User{User: as}, t}
	var err error
	p.Room, err = rtc.Join(t.Context(), rtc.Config{
		Server: Server(t, s), Path: chat, Format: "text", Type: "chat", Replica: p.Doc, User: as,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		p.Room.Depart(ctx)
	})
	return p
}

// Says sends a message, which is in the room when Says returns.
func (p *Talker) Says(m chatdoc.Outgoing) (id string) {
	p.t.Helper()
	id, err := p.Append(p.As, m)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.Room.Barrier(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	return id
}
