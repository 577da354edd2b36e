package kit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// claimArtifacts makes the folder of screenshots, and empties it where no other run of the tests writes there: one that
// began before in the same checkout keeps what it has, and neither takes a folder away in which the other writes.
func claimArtifacts(dir string) (release func() error, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("claim %s: %w", dir, err), folder.Close())
		}
	}()
	alone := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if alone == nil {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return nil, err
			}
		}
	} else if !errors.Is(alone, syscall.EWOULDBLOCK) {
		return nil, alone
	}
	// Until this process ends, however it does. It waits for who empties the folder just now.
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_SH); err != nil {
		return nil, err
	}
	return folder.Close, nil
}
