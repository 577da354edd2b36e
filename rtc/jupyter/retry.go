package jupyter

import (
	"context"
	"errors"
	"time"
)

// retryPause is the time between two readings of a file.
const retryPause = 250 * time.Millisecond

// Whole reads a file, and retries if the server could not read it, because another program may have written only half
// of it.
func Whole(ctx context.Context, read func() error) error {
	return Again(ctx, 4, ErrBadRequest, read)
}

// Again calls read at most tries times, while its error matches passing. It does not repeat a reading that has
// already been repeated for a broken file.
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

// GetAgain is [Contents.Get] with one retry if the connection broke.
func (c Contents) GetAgain(ctx context.Context, path Path, opt ContentsOptions) (file Content, err error) {
	err = Again(ctx, 2, ErrUnreachable, func() error {
		file, err = c.Get(ctx, path, opt)
		return err
	})
	return file, err
}

// Retry calls try until it succeeds, its error is final or the context ends, and returns the last error. The pauses
// between calls double from least to most; a pause ends early when the server answers again. s may be nil in tests.
func Retry(ctx context.Context, s *Server, least, most time.Duration, try func() (final bool, err error)) error {
	for pause := least; ; pause = min(2*pause, most) {
		final, err := try()
		if err == nil || final {
			return err
		}
		var back <-chan struct{}
		if s != nil {
			back = s.Health.Back()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		case <-back:
		}
	}
}
