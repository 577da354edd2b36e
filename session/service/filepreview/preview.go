package filepreview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// sameTime is the tolerance for two modification times to count as equal: the Contents API rounds them.
const sameTime = time.Millisecond

// Preview shows the beginning of a data file, which the helper kernel reads in place. Preview sets opt.Path; kernelName is
// the kernelspec whose environment reads the file, "" for the default.
//
// The errors are ErrDirectory, jupyter.ErrNotFound, ErrOutOfReach, ErrReaderDied, ErrNoHelper, inspect.ErrSlow,
// *inspect.Refusal, or the server's.
func (h *Helper) Preview(ctx context.Context, path jupyter.Path, kernelName string, opt inspect.PreviewOptions) (inspect.Preview, error) {
	opt.Path = path.String()
	// The server must see the file too: files that it hides, such as links out of the root, must stay hidden.
	before, err := h.dataFile(ctx, path)
	if err != nil {
		return inspect.Preview{}, err
	}
	var out inspect.Preview
	err = h.use(ctx, kernelName, isAnswer, func(ctx context.Context, k *process) (err error) {
		out, err = h.preview(ctx, k, before, opt)
		return err
	})
	if errors.Is(err, kernel.ErrKernelDead) || errors.Is(err, kernel.ErrKernelRestarted) {
		err = fmt.Errorf("%w: %w", ErrReaderDied, err)
	}
	if err != nil {
		return inspect.Preview{}, fmt.Errorf("preview %s: %w", path, err)
	}
	return out, nil
}

// isAnswer reports whether an error is a proper answer of a healthy kernel.
func isAnswer(err error) bool {
	var refusal *inspect.Refusal
	return errors.Is(err, ErrOutOfReach) || errors.As(err, &refusal) && refusal.Code != "interrupted" && refusal.Code != inspect.TooLarge
}

// preview lets the kernel read the file, or sends it the file if the kernel does not see the same one as the server.
func (h *Helper) preview(ctx context.Context, k *process, before jupyter.Content, opt inspect.PreviewOptions) (inspect.Preview, error) {
	if h.servers.Apart() { // the kernel has another file at that path
		return h.previewFetched(ctx, k, before.Path, opt)
	}
	out, seen, err := inspect.File(ctx, k, opt)
	if refusal, ok := errors.AsType[*inspect.Refusal](err); ok && refusal.Code == inspect.NotHere {
		return h.previewFetched(ctx, k, before.Path, opt)
	} else if err != nil {
		return out, err
	}
	if couldBe(seen, before, before) {
		return out, nil
	}
	// Another program may be writing to it.
	after, err := h.dataFile(ctx, before.Path)
	if err != nil {
		return out, err
	}
	if couldBe(seen, before, after) {
		return out, nil
	}
	return h.previewFetched(ctx, k, before.Path, opt)
}

// couldBe reports whether the file that the kernel saw can be the one that the server saw before and after.
func couldBe(seen inspect.Seen, before, after jupyter.Content) bool {
	if before.Size == nil || after.Size == nil {
		return false
	}
	return seen.Size >= min(*before.Size, *after.Size) && seen.Size <= max(*before.Size, *after.Size) &&
		!seen.Modified.Before(before.LastModified.Add(-sameTime)) && !seen.Modified.After(after.LastModified.Add(sameTime))
}

// previewFetched sends the file to the kernel with the request.
func (h *Helper) previewFetched(ctx context.Context, k *process, path jupyter.Path, opt inspect.PreviewOptions) (inspect.Preview, error) {
	c, err := h.dataFile(ctx, path)
	if err != nil {
		return inspect.Preview{}, err
	}
	if c.Size == nil || *c.Size > inspect.MaxPreviewData {
		size := "of unknown size"
		if c.Size != nil {
			size = fmt.Sprintf("of %d bytes", *c.Size)
		}
		return inspect.Preview{}, fmt.Errorf("%w: %q, %s", ErrOutOfReach, opt.Path, size)
	}
	c, err = h.servers.Documents.Contents.Get(ctx, c.Path, jupyter.ContentsOptions{Content: true, Type: "file", Format: "base64"})
	if err != nil {
		return inspect.Preview{}, err
	}
	if err := json.Unmarshal(c.Content, &opt.Data); err != nil {
		return inspect.Preview{}, fmt.Errorf("read %q: %w", opt.Path, err)
	}
	if len(opt.Data) > inspect.MaxPreviewData { // it has grown
		return inspect.Preview{}, fmt.Errorf("%w: %q, of %d bytes", ErrOutOfReach, opt.Path, len(opt.Data))
	}
	out, _, err := inspect.File(ctx, k, opt)
	return out, err
}

// dataFile queries the server for a file's properties.
func (h *Helper) dataFile(ctx context.Context, path jupyter.Path) (jupyter.Content, error) {
	c, err := h.servers.Documents.Contents.Get(ctx, path, jupyter.ContentsOptions{})
	if err == nil && c.Type == "directory" {
		err = fmt.Errorf("%q: %w", path, ErrDirectory)
	}
	return c, err
}
