package up

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// tryAgain is how often somebody who waits for a lock looks whether it is free.
const tryAgain = 100 * time.Millisecond

// locked takes the lock of a file, which is free again when its process ends, however it ends. Where another process has
// it, busy is called once before the wait. The file stays: where it is removed, two can have the lock of its name.
func locked(ctx context.Context, name string, busy func()) (free func(), err error) {
	l := flock.New(name, flock.SetPermissions(0o600))
	mine, err := l.TryLock()
	if err == nil && !mine {
		busy()
		_, err = l.TryLockContext(ctx, tryAgain)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() { _ = l.Close() }, nil
}

// digest is a short name for a long one.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00") + "\x00"))
	return hex.EncodeToString(sum[:])[:12]
}
