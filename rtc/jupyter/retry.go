package jupyter

import (
	"context"
	"errors"
	"time"
)

// retryPause is how long after a look at a file that failed another one is.
const retryPause = 250 * time.Millisecond

// Whole reads a file by a request, again where the server could not read it: it
// writes a file in its place, and half of it may be there.
func Whole(ctx context.Context, read func() error) error {
	return Again(ctx, 4, ErrBadRequest, read)
}

// Again reads a file, so many times at most, as long as it fails for a reason
// that may pass.
func Again(ctx context.Context, tries int, passing error, read func() error) error {
	for try := 1; ; try++ {
		err := read()
		if !errors.Is(err, passing) || try == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryPause):
		}
	}
}
