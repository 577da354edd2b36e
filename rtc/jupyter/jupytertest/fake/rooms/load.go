package rooms

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/ydocs"
)

// load fills the document if necessary: from its history if that matches the file, from the history with the file's
// content on top if not, and from the file alone without a history.
func (r *room) load() (err error) {
	if r.ready {
		return nil
	}
	content, err := r.file.load(r.format, r.typ)
	if err != nil {
		return err
	}
	r.quietly(func() {
		if err = r.fill(content); err == nil {
			err = r.keep()
		}
		r.fresh, r.changed = nil, false // the room has no client yet, and the history has it
	})
	if err != nil {
		r.doc, r.loading = r.newDocument(), nil
		return err
	}
	r.ready = true
	r.settle()
	if len(r.loading) > 0 {
		r.progress.Reset(cellDelay)
	}
	r.emit("INFO", "initialize", "Room initialized")
	return nil
}

// fill fills the document.
func (r *room) fill(content any) error {
	path := r.path()
	if err := r.doc.SetState("path", path); err != nil {
		return err
	}
	known := r.record.all()
	if len(known) == 0 {
		r.emit("INFO", "load", "Content loaded from disk.")
		return r.build(content)
	}
	for _, u := range known {
		_ = r.doc.Apply(u) // each was applied before
	}
	r.emit("INFO", "load", "Content loaded from the store SQLiteYStore")
	if r.doc.State()["path"] != path {
		if err := r.doc.SetState("path", path); err != nil {
			return err
		}
	}
	is, err := r.doc.Content()
	if err != nil {
		return err
	}
	if ydocs.Equal(is, content) {
		return nil
	}
	r.emit("INFO", "initialize", "The file is out-of-sync with the ystore.")
	r.emit("INFO", "load", "Content loaded from disk.")
	return r.doc.SetContent(content)
}

// keep adds the whole document to the history.
func (r *room) keep() error {
	whole, err := r.doc.Diff(nil)
	if err == nil {
		r.record.add(whole)
	}
	return err
}

// build makes the document of a file's content, as client 0, so that the same content has the same history. With
// progressive loading it makes only the beginning.
func (r *room) build(content any) error {
	source := ydocs.New(r.typ, ydocs.Options{Source: true, Chats: r.t.cfg.Chat, Update: func(u []byte) {
		_ = r.doc.Apply(u) // our own update fits
	}})
	if !r.t.cfg.Progressive {
		return source.SetContent(content)
	}
	steps := source.Steps(content)
	r.loading = steps[1:]
	if len(r.loading) > 0 {
		r.loading = append(r.loading, func() error { return r.loaded(content) })
	}
	return steps[0]()
}

// cellDelay is the time between two cells in progressive loading.
const cellDelay = time.Millisecond

// loadMore loads the next cell.
func (r *room) loadMore() {
	step := r.loading[0]
	err := step()
	r.settle() // still loading, so that nothing is saved
	if r.loading = r.loading[1:]; err != nil {
		r.emit("ERROR", "", r.errorLoading(err))
		r.loading = nil
	}
	if len(r.loading) > 0 {
		r.progress.Reset(cellDelay)
	}
}

// loaded is the last step: it saves people's changes made meanwhile.
func (r *room) loaded(content any) error {
	is, err := r.doc.Content()
	if err != nil {
		return err
	}
	if !ydocs.Equal(is, content) {
		r.runSave(r.startSave(nil))
	}
	return r.keep()
}

func (r *room) errorLoading(err error) string {
	return fmt.Sprintf("Error loading content from file: %s\n%v", r.path(), err)
}

// refuse ends the connection of a client whose document could not be loaded. A room without clients then ends.
func (r *room) refuse(c *client, err error) {
	var status *HTTPError
	if errors.As(err, &status) {
		code := 4500
		switch status.Status {
		case http.StatusNotFound:
			code = 4404
		case http.StatusBadRequest:
			code = 4400
		}
		c.end(code, fmt.Sprintf("Error initializing: %s.", r.path()))
	} else {
		c.end(websocket.CloseUnsupportedData,
			fmt.Sprintf(`{"reason": "initialization_error", "reloadable": false, "errorReason": %s}`, quote(err.Error())))
	}
	r.emit("INFO", "initialize", "New client connected.")
	if len(r.clients) == 0 {
		r.clean()
	}
}

// reload writes the file's content into the document, because another program changed the file.
func (r *room) reload() {
	content, err := r.file.load(r.format, r.typ)
	if err != nil {
		r.emit("ERROR", "", r.errorLoading(err))
		return
	}
	r.quietly(func() {
		// Malformed content in the document stops this, as on the real server.
		if is, err := r.doc.Content(); err == nil {
			if !ydocs.Equal(is, content) {
				err = r.doc.SetContent(content)
			}
			if err == nil {
				_ = r.doc.SetState("dirty", false) // fails only with a broken document
			}
		}
	})
}
