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

// tryAgain is the interval at which a waiting process tries to take a lock.
const tryAgain = 100 * time.Millisecond

// locked takes the lock of a file. The system frees it when the process ends, however it ends. If another process holds it,
// busy is called once before the wait. The file is kept: if it were removed, two processes could hold a lock of that name.
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

// digest returns a short hash of its parts.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00") + "\x00"))
	return hex.EncodeToString(sum[:])[:12]
}
