package jupyter

import (
	"context"
	"errors"
	"time"
)

// retryPause is the time between two readings of a file.
const retryPause = 250 * time.Millisecond

// Whole reads a file by a request, and repeats it if the server could not read the file, because another program may
// have written half of it.
func Whole(ctx context.Context, read func() error) error {
	return Again(ctx, 4, ErrBadRequest, read)
}

// Again reads a file, at most tries times, while the error matches passing, and the file was not read again and again
// already.
func Again(ctx context.Context, tries int, passing error, read func() error) error {
	for try := 1; ; try++ {
		err := read()
		if !errors.Is(err, passing) || errors.As(err, new(*brokenError)) || try == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryPause):
		}
	}
}
