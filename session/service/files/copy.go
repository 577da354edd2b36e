package files

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
)

// Copy copies a file with the content of its room, saved or not, if it is open in a room. Otherwise it opens no room. It
// does not save the open document, and overwrites nothing. The error matches ErrFolder, ErrExists, ErrNoFolder or
// ErrOtherKind if the copy is refused.
func (f *Files) Copy(ctx context.Context, from, to jupyter.Path) (jupyter.Content, error) {
	c, err := f.srv.Contents.Get(ctx, from, jupyter.ContentsOptions{})
	switch {
	case err != nil:
		return c, err
	case c.Type == "directory":
		return c, fmt.Errorf("copy %s: %w", c.Path, ErrFolder)
	case c.Type != "notebook" && notebookName(to):
		return c, fmt.Errorf("copy %s to %s: %w: only a notebook can have a name that ends in .ipynb", c.Path, to, ErrOtherKind)
	}
	if err := f.vacant(ctx, to); err != nil {
		return c, err
	}
	_, apart := f.apart(ctx, c.Path, c.Type)
	var d *session.Document
	if !apart {
		if d, err = f.room(ctx, c); err != nil {
			return c, fmt.Errorf("copy %s: %w", c.Path, err)
		}
	}
	if d != nil {
		defer d.Release()
		fresh, err := d.Ahead(ctx, d.Path())
		if err != nil {
			return c, fmt.Errorf("copy %s: %w", c.Path, err)
		}
		if fresh != nil && (c.Type == "notebook") == notebookName(to) {
			return f.Create(ctx, to, *fresh)
		}
	}
	copied, err := f.copyFile(ctx, c, to.Folder(), apart)
	if err != nil {
		return c, err
	}
	if _, still := f.apart(ctx, c.Path, c.Type); apart && !still {
		// The file was opened meanwhile, and may have edits already.
		if d, err = f.room(ctx, c); err != nil {
			return f.publish(ctx, copied.Path, to)
		}
		if d != nil {
			defer d.Release()
		}
	}
	if fresh := torn(ctx, d, copied); fresh != nil && (c.Type == "notebook") == notebookName(to) {
		if err := f.srv.Contents.Delete(ctx, copied.Path); err != nil {
			return c, fmt.Errorf("delete an incomplete copy of %s: %w", c.Path, err)
		}
		return f.Create(ctx, to, *fresh)
	}
	return f.publish(ctx, copied.Path, to)
}

// copyTries bounds the copies of a file that another program is writing.
const copyTries = 4

// copyFile copies a file into a folder, under a name that the server picks. If whole is set, the copy of a file other than
// a notebook, which the server does not check, must have the same bytes.
func (f *Files) copyFile(ctx context.Context, c jupyter.Content, folder jupyter.Path, whole bool) (copied jupyter.Content, err error) {
	for range copyTries {
		if err := jupyter.Whole(ctx, func() (err error) {
			copied, err = f.srv.Contents.Copy(ctx, c.Path, folder)
			return err
		}); err != nil || !whole || c.Type == "notebook" {
			return copied, err
		}
		same, err := f.sameFile(ctx, c.Path, copied.Path)
		if same {
			return copied, nil
		}
		f.discard(ctx, copied.Path)
		if err != nil {
			return copied, err
		}
	}
	return copied, fmt.Errorf("copy %s: another program keeps writing it, try again", c.Path)
}

// sameFile reports whether two files have the same bytes, or the server has no hashes.
func (f *Files) sameFile(ctx context.Context, a, b jupyter.Path) (bool, error) {
	one, err := f.srv.Contents.Get(ctx, a, jupyter.ContentsOptions{Hash: true})
	if err != nil {
		return false, err
	}
	other, err := f.srv.Contents.Get(ctx, b, jupyter.ContentsOptions{Hash: true})
	return err == nil && one.Hash == other.Hash, err
}

// torn returns the content of a room, or nil, if the copy of its file differs: the server empties a file before it fills
// it, and may have copied it in between. A copy that cannot be read, or is of another kind, stays unchanged.
func torn(ctx context.Context, d *session.Document, copied jupyter.Content) *jupyter.NewContent {
	if d == nil {
		return nil
	}
	fresh, _ := d.Ahead(ctx, copied.Path)
	return fresh
}
