//go:build !unix

package fake

import "os"

// writable reports whether the server may write a file.
func writable(full string) bool {
	info, err := os.Lstat(full)
	return err == nil && info.Mode().Perm()&0o200 != 0
}
