package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
	"github.com/nbduet/nbduet/ydoc/crdt"
)

// staying keeps a chat in its room.
type staying struct{ *Chat }

// keep opens the chat and keeps it in its room until it ends.
func (c staying) keep() {
	err := c.join(true)
	if err == nil {
		close(c.opened)
		err = c.stay()
	}
	c.stop(err) // keeps the earlier cause if the chat was already ending
	c.leave()
	c.k.forget(c.Chat)
	c.set(nil)
	close(c.done)
}

// set records the current room, nil for no room.
func (c staying) set(lv *live) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live = lv
	close(c.changed)
	c.changed = make(chan struct{})
}

// leave leaves the room, and saves it if the file could lack messages from this program.
func (c staying) leave() {
	lv := c.now()
	if lv == nil {
		return
	}
	ctx, stop := context.WithTimeout(c.k.last, leaveFor)
	defer stop()
	if !c.Known() || errors.Is(context.Cause(c.ctx), ErrGone) {
		lv.room.Depart(ctx)
	} else if err := lv.room.Leave(ctx); err != nil {
		c.k.cfg.Logger.Warn("leaving a chat", "path", c.Path(), "error", err)
	}
}

// stay watches the room, and joins it with a new replica if it was lost for good, until the chat ends.
func (c staying) stay() error {
	for {
		err := c.watch(c.now())
		if !rtc.IsLost(err) {
			return gone(err)
		}
		c.k.cfg.Logger.Warn("the chat's room was lost, rejoining", "path", c.Path(), "error", err)
		c.set(nil)
		if err := rtc.JoinAfresh(c.ctx, c.k.cfg.Server, c.rejoin, jupyter.ErrNotFound, ErrNoChat, ErrNotChat); err != nil {
			return gone(err)
		}
	}
}

// gone makes an error match ErrGone if the file does not exist.
func gone(err error) error {
	var end *rtc.CloseError
	if errors.Is(err, jupyter.ErrNotFound) || errors.As(err, &end) && end.Code == rtc.CodeNotFound {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return err
}

// watch follows one joined room until it or the chat has ended.
func (c staying) watch(lv *live) error {
	look := time.NewTimer(lookAt)
	defer look.Stop()
	idle := time.NewTimer(c.k.cfg.Idle)
	defer idle.Stop()
	missing := false
	for {
		select {
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		case <-lv.room.Done():
			return lv.room.Err()
		case <-idle.C:
			idle.Reset(c.leaveIdle())
		case <-look.C:
			c.follow(lv)
			next, before := lookAt, missing
			if missing = c.missing(); missing {
				next = lookAt / 4 // the server may not yet have written the file's new path
			}
			if missing && before {
				return ErrGone
			}
			look.Reset(next)
		}
	}
}

// follow gives the chat the path that the server has written into its state.
func (c staying) follow(lv *live) {
	said := lv.doc.Path()
	if said == "" || said == c.Path().String() {
		return
	}
	path, err := jupyter.ParsePath(said)
	if err != nil || path.IsRoot() {
		c.k.cfg.Logger.Warn("the server reports an invalid path for a moved chat", "path", c.Path(), "error", err)
		return
	}
	c.setPath(path)
}

// missing reports whether the chat's file does not exist. The server keeps the room of a deleted file.
func (c staying) missing() bool {
	ctx, stop := context.WithTimeout(c.ctx, lookAt/2)
	defer stop()
	_, err := c.k.cfg.Server.Contents.Get(ctx, c.Path(), jupyter.ContentsOptions{})
	return errors.Is(err, jupyter.ErrNotFound)
}

// rejoin is join with another replica.
func (c staying) rejoin() error {
	err := c.join(false)
	if err != nil {
		c.k.cfg.Logger.Debug("rejoining the chat's room failed", "path", c.Path(), "error", err)
	}
	return err
}

// join joins the room with a new replica.
func (c staying) join(first bool) error {
	ctx, stop := context.WithTimeout(c.ctx, openFor)
	defer stop()
	if err := c.inspect(ctx); err != nil {
		return err
	}
	left := c.k.cfg.Alone(ctx)
	lv := &live{doc: chatdoc.New()}
	room, err := rtc.Join(ctx, rtc.Config{
		Server: c.k.cfg.Server, Path: c.Path(), Format: "text", Type: "chat",
		Replica: lv.doc, User: c.k.cfg.User, Logger: c.k.cfg.Logger, Timing: c.k.cfg.Timing,
		IsPending: func(err error) bool { return errors.Is(err, crdt.ErrPending) },
	})
	left(err == nil)
	if err != nil {
		return err
	}
	lv.room = room
	if err := c.isChat(ctx, lv); err != nil {
		away, stop := context.WithTimeout(c.k.last, leaveFor)
		defer stop()
		room.Depart(away)
		return err
	}
	c.enterAgain(lv)
	lv.doc.Follow(func(b chatdoc.Batch) { c.events.put(c.ledger.enter(b.Messages, first && b.Whole)) })
	c.set(lv)
	c.showWriters()
	return nil
}

// inspect checks that the file at the path is a chat. It comes before any join, because the server creates a room for any
// path, and saves a file that it cannot read as an empty chat.
func (c staying) inspect(ctx context.Context) error {
	file, err := c.k.cfg.Server.Contents.GetAgain(ctx, c.Path(), jupyter.ContentsOptions{Content: true, Type: "file", Format: "text"})
	if errors.Is(err, jupyter.ErrBadRequest) {
		return fmt.Errorf("%w: %w", ErrNotChat, err)
	}
	if err != nil {
		return err
	}
	var body string
	var in struct {
		Messages                     []map[string]json.RawMessage
		Users, Attachments, Metadata map[string]json.RawMessage
	}
	if json.Unmarshal(file.Content, &body) != nil || strings.TrimSpace(body) != "" && json.Unmarshal([]byte(body), &in) != nil {
		return ErrNotChat
	}
	return nil
}

// isChat waits for the id that a server with jupyterlab-chat gives each chat.
func (c staying) isChat(ctx context.Context, lv *live) error {
	ctx, stop := context.WithTimeout(ctx, lookFor)
	defer stop()
	for !lv.doc.PlainText() && ctx.Err() == nil {
		if lv.doc.ID() != "" {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-lv.room.Done():
			return lv.room.Err()
		case <-ctx.Done():
		}
	}
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	c.k.without()
	return ErrNoChat
}
