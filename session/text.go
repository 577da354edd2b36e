package session

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/ydoc"
)

// OpenText returns the open document of a text file; see [Manager.Open]. The error matches ErrNotText if the path is a
// notebook, a folder, or a file that is not UTF-8 text.
func (m *Manager) OpenText(ctx context.Context, path jupyter.Path) (*Document, error) {
	return m.openKind(ctx, path, textKind)
}

// Text returns the current replica of a text document, nil if the document is a notebook. It is for reading: write with
// [Document.EditText].
func (d *Document) Text() *ydoc.Text { return d.current().text }

// EditText makes one edit of a text document, as [Document.Edit] does of a notebook.
func (d *Document) EditText(ctx context.Context, name string, fn func(*ydoc.TextEditor) error) error {
	return d.WriteText(ctx, name, fn, nil)
}

// WriteText is EditText; made, if not nil, is called with the text right after the edit.
func (d *Document) WriteText(ctx context.Context, name string, fn func(*ydoc.TextEditor) error, made func(*ydoc.Text)) error {
	return d.edit(ctx, name, func(lv *live) (*ydoc.Step, error) {
		if lv.text == nil {
			return nil, fmt.Errorf("%s: %w: it is a notebook", name, ErrNotText)
		}
		step, err := lv.text.Record(name, editguard.InText(ctx, name, func() people.Company { return companyIn(d, lv) }, lv.room, lv.text.Doc, fn))
		if err == nil && made != nil {
			made(lv.text)
		}
		return step, err
	})
}

// IsOpen reports whether a path, or anything below it if it is a folder, is open in this program or being opened.
func (m *Manager) IsOpen(path jupyter.Path) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p := range m.open {
		if p.Under(path) {
			return true
		}
	}
	return false
}

// Ahead returns the content of the document's room, with all our earlier edits, if it differs from a file, the document's
// own or a copy of it; else nil.
func (d *Document) Ahead(ctx context.Context, path jupyter.Path) (*jupyter.NewContent, error) {
	if err := d.Settled(ctx); err != nil {
		return nil, err
	}
	var file jupyter.Content
	if err := jupyter.Whole(ctx, func() (err error) {
		file, err = d.m.cfg.Server.Contents.Get(ctx, path, d.current().saved().ContentOf())
		return err
	}); err != nil {
		return nil, err
	}
	return d.current().saved().Ahead(file)
}
