package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/ydoc"
)

// openFor bounds each wait for the server while a document is opened: it may take a minute to read and convert a large file,
// and does not answer in that time.
const openFor = 2 * time.Minute

// refusedPause is the time between two attempts to join a room that the server could not make.
const refusedPause = 250 * time.Millisecond

// again repeats join while the server cannot make the room, up to the allowed number of tries: the reason may pass.
func again(join joinFunc) joinFunc {
	return func(ctx context.Context, path jupyter.Path, k kind, tries int, heard func()) (*live, error) {
		for {
			lv, err := join(ctx, path, k, tries, heard)
			var end *rtc.CloseError
			if !errors.As(err, &end) || end.Code != rtc.CodeNotLoaded {
				return lv, err
			}
			if tries -= max(end.Refusals, 1); tries <= 0 {
				return nil, err
			}
			select {
			case <-ctx.Done():
				return nil, err
			case <-time.After(refusedPause):
			}
		}
	}
}

// joinRoom is the joinFunc of a real server.
func (j *joiner) joinRoom(ctx context.Context, path jupyter.Path, k kind, tries int, heard func()) (*live, error) {
	var doc *ydoc.Doc
	var begin func(room) *live // returns the joined room with the replica
	if k == textKind {
		text := ydoc.NewText()
		doc, begin = text.Doc, func(r room) *live { return newTextLive(r, text) }
	} else {
		nb := ydoc.NewNotebook()
		doc, begin = nb.Doc, func(r room) *live { return newLive(r, nb) }
	}
	format, typ := k.room()
	leave := j.first.enter(ctx)
	r, err := rtc.Join(ctx, rtc.Config{
		Server: j.server, Path: path, Format: format, Type: typ,
		Replica: doc, Met: j.met, Logger: j.log, Timing: j.timing,
		Heard:     heard,
		Refusals:  tries,
		IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
	})
	leave(err == nil)
	if gap := gapOf(err); gap != nil {
		return j.besideRoom(ctx, path, k, gap)
	}
	if err != nil {
		return nil, err
	}
	lv := begin(r)
	if r.Documents() {
		lv.server = serverDocuments{}
	}
	return lv, nil
}

// besideRoom reads the file of a notebook whose room lacks a part of it.
func (j *joiner) besideRoom(ctx context.Context, path jupyter.Path, k kind, gap *IncompleteError) (*live, error) {
	if k == textKind {
		return nil, gap
	}
	c, err := j.server.Contents.GetAgain(ctx, path, jupyter.ContentsOptions{Content: true, Type: "notebook"})
	if err != nil {
		return nil, fmt.Errorf("%w; its file cannot be read either: %w", gap, err)
	}
	gap.Read = time.Now()
	nb, err := nbformat.Replica(c.Content)
	if err != nil {
		return nil, fmt.Errorf("%w; its file cannot be read either: %w", gap, err)
	}
	format, typ := k.room()
	s, err := j.server.Rooms.Session(ctx, path, format, typ)
	if err != nil {
		return nil, fmt.Errorf("%w; its room cannot be asked for: %w", gap, err)
	}
	lv := newLive(&noRoom{session: s, gap: gap, done: make(chan struct{})}, nb)
	lv.gap = gap
	return lv, nil
}

// inspect checks that the file at a path is of that kind, and returns its properties, and how often its room may be joined.
// It comes before any join, because the server creates a room for any path.
func (j *joiner) inspect(ctx context.Context, path jupyter.Path, k kind) (c jupyter.Content, tries int, err error) {
	c, err = j.server.Contents.GetAgain(ctx, path, jupyter.ContentsOptions{})
	if err != nil {
		return c, 0, err
	}
	if err := k.fits(c.Type); err != nil {
		return c, 0, err
	}
	if tries, err = j.refused.Of(c); err != nil {
		return c, 0, err
	}
	if k != textKind {
		return c, tries, j.readable(ctx, c, tries)
	}
	if c.Size != nil && *c.Size > maxTextFile {
		return c, 0, fmt.Errorf("%w: the file has %d bytes, and at most %d can be edited as text", ErrNotText, *c.Size, maxTextFile)
	}
	// Only reading the file shows whether it is text. The room of a file that is not would open and then fail, for everybody in
	// it.
	read, err := j.server.Contents.GetAgain(ctx, c.Path, jupyter.ContentsOptions{Content: true, Type: "file", Format: "text"})
	if errors.Is(err, jupyter.ErrBadRequest) {
		return c, 0, fmt.Errorf("%w: the file is not UTF-8 text", ErrNotText)
	}
	if err != nil {
		return c, 0, err
	}
	read.Content = nil
	return read, tries, nil
}

// maxChecked is the maximum size of a notebook that is read before its room is opened.
const maxChecked = 8 << 20

// readable returns an error for a notebook that the server cannot read. Its room would not open, and a failing room
// sometimes ends all others of the server: people in them no longer receive each other's edits (pycrdt.websocket has one
// task group for all rooms).
func (j *joiner) readable(ctx context.Context, c jupyter.Content, tries int) error {
	if c.Size != nil && *c.Size > maxChecked {
		return nil
	}
	var read jupyter.Content
	err := jupyter.Whole(ctx, func() error {
		return jupyter.Again(ctx, tries, jupyter.ErrServer, func() (err error) {
			read, err = j.server.Contents.GetAgain(ctx, c.Path, jupyter.ContentsOptions{Content: true, Type: "notebook"})
			return err
		})
	})
	switch {
	case errors.Is(err, jupyter.ErrBadRequest):
		return &rtc.CloseError{Code: rtc.CodeInvalid, Action: rtc.GiveUp, Reason: err.Error()}
	case errors.Is(err, jupyter.ErrServer) && !errors.Is(err, jupyter.ErrDiskFull):
		return &rtc.CloseError{Code: rtc.CodeNotLoaded, Action: rtc.GiveUp, Reason: err.Error(), Refusals: tries}
	case err != nil:
		return err
	}
	if lacks := nbformat.Unloadable(read.Content); lacks != nil {
		return &rtc.CloseError{Code: rtc.CodeInvalid, Action: rtc.GiveUp, Reason: lacks.Error()}
	}
	return nil
}
