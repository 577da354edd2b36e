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

// Pauses between the attempts to join a lost room again.
const (
	rejoinMin = 200 * time.Millisecond
	rejoinMax = 10 * time.Second
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
	if c.ctx.Err() != nil {
		err = context.Cause(c.ctx)
	}
	c.leave(err)
	c.k.forget(c.Chat)
	c.set(nil, err)
	c.stop(err)
	select {
	case <-c.opened:
	default:
		close(c.opened)
	}
	close(c.done)
}

// set notes that the room is another one, or that the chat has ended.
func (c staying) set(lv *live, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live, c.err = lv, err
	close(c.changed)
	c.changed = make(chan struct{})
}

// leave leaves the room: with a save if people's files could lack what we wrote.
func (c staying) leave(why error) {
	lv := c.now()
	if lv == nil {
		return
	}
	ctx, stop := context.WithTimeout(c.k.ctx, leaveFor)
	defer stop()
	if c.Known() && !errors.Is(why, ErrGone) {
		if err := lv.room.Leave(ctx); err != nil {
			c.k.log.Warn("leaving a chat", "path", c.Path(), "error", err)
		}
		return
	}
	lv.room.Depart(ctx)
}

// errLost says that the room is to be joined afresh.
var errLost = errors.New("the room was lost")

// stay watches the room, and joins it afresh where it was lost for good, until the chat ends.
func (c staying) stay() error {
	for {
		err := c.watch(c.now())
		if !errors.Is(err, errLost) {
			return err
		}
		c.k.log.Warn("the chat's room was lost, joining afresh", "path", c.Path(), "error", err)
		c.set(nil, nil)
		if err := c.rejoin(); err != nil {
			return err
		}
	}
}

// watch follows one joined room until that, or the chat, has ended.
func (c staying) watch(lv *live) error {
	look := time.NewTicker(lookAt)
	defer look.Stop()
	idle := time.NewTimer(c.k.cfg.Idle)
	defer idle.Stop()
	missing := false
	for {
		select {
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		case <-lv.room.Done():
			return ended(lv.room.Err())
		case <-c.idle:
			idle.Reset(c.k.cfg.Idle)
		case <-idle.C:
			c.leaveIdle()
		case <-look.C:
			c.follow(lv)
			switch gone := c.missing(); {
			case gone && missing:
				return ErrGone
			case gone:
				// The server may not have written yet to where the file has moved.
				missing = true
				look.Reset(lookAt / 4)
			default:
				missing = false
				look.Reset(lookAt)
			}
		}
	}
}

// ended says what the end of a room means for the chat.
func ended(err error) error {
	var end *rtc.CloseError
	switch {
	case !errors.As(err, &end) || end.Action == rtc.Discard:
		return fmt.Errorf("%w: %w", errLost, err)
	case end.Code == rtc.CodeNotFound:
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return err
}

// follow gives the chat the path that the server has written into its state.
func (c staying) follow(lv *live) {
	said := lv.doc.Path()
	if said == "" || said == c.Path().String() {
		return
	}
	path, err := jupyter.ParsePath(said)
	if err != nil || path.IsRoot() {
		c.k.log.Warn("the server says that a chat has moved to an invalid path", "path", c.Path(), "error", err)
		return
	}
	c.k.moved(c.Chat, path)
}

// missing reports whether there is no file at the chat's path. The server keeps the room of one that was deleted.
func (c staying) missing() bool {
	ctx, stop := context.WithTimeout(c.ctx, lookAt/2)
	defer stop()
	_, err := c.k.cfg.Server.Contents.Get(ctx, c.Path(), jupyter.ContentsOptions{})
	return errors.Is(err, jupyter.ErrNotFound)
}

// rejoin joins with a new replica until it succeeds, the chat ends, or the error is final.
func (c staying) rejoin() error {
	for pause := rejoinMin; ; pause = min(2*pause, rejoinMax) {
		err := c.join(false)
		var end *rtc.CloseError
		switch {
		case err == nil, errors.Is(err, ErrNoChat), errors.Is(err, ErrNotChat):
			return err
		case errors.Is(err, jupyter.ErrNotFound):
			return fmt.Errorf("%w: %w", ErrGone, err)
		case errors.As(err, &end) && end.Action == rtc.GiveUp:
			return ended(err)
		}
		c.k.log.Debug("joining the chat's room afresh failed", "path", c.Path(), "error", err)
		select {
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		case <-time.After(pause):
		case <-c.k.cfg.Server.Health.Back():
		}
	}
}

// join joins the room with a new replica.
func (c staying) join(first bool) error {
	ctx, stop := context.WithTimeout(c.ctx, openFor)
	defer stop()
	if err := c.inspect(ctx); err != nil {
		return err
	}
	left := func(bool) {}
	if c.k.cfg.Alone != nil {
		left = c.k.cfg.Alone(ctx)
	}
	lv := &live{doc: chatdoc.New()}
	room, err := rtc.Join(ctx, rtc.Config{
		Server: c.k.cfg.Server, Path: c.Path(), Format: "text", Type: "chat",
		Replica: lv.doc, User: c.k.cfg.User, Logger: c.k.log, Timing: c.k.cfg.Timing,
		IsPending: func(err error) bool { return errors.Is(err, crdt.ErrPending) },
	})
	left(err == nil)
	if err != nil {
		return err
	}
	lv.room = room
	if err := c.isChat(ctx, lv); err != nil {
		away, stop := context.WithTimeout(c.k.ctx, leaveFor)
		defer stop()
		room.Depart(away)
		return err
	}
	c.enterAgain(lv)
	lv.doc.Follow(func(b chatdoc.Batch) { c.calls.put(c.ledger.enter(b.Messages, first && b.Whole)) })
	c.set(lv, nil)
	c.showWriters()
	return nil
}

// inspect checks that there is a chat at the path. It comes before any join, because the server makes a room for any path,
// and takes a file that it cannot read for an empty chat, as which it saves it.
func (c staying) inspect(ctx context.Context) error {
	var file jupyter.Content
	err := jupyter.Again(ctx, 2, jupyter.ErrUnreachable, func() (err error) {
		file, err = c.k.cfg.Server.Contents.Get(ctx, c.Path(), jupyter.ContentsOptions{Content: true, Type: "file", Format: "text"})
		return err
	})
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

// isChat waits for the id that a server with chats gives each of them.
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
