package kit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// claimArtifacts makes the folder of screenshots, and empties it unless another run of the tests writes there: an
// earlier run in the same checkout keeps its files, and neither removes a folder while the other writes there.
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
	// Held until this process ends. It waits while another process empties the folder.
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_SH); err != nil {
		return nil, err
	}
	return folder.Close, nil
}
