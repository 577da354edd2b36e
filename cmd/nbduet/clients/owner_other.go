//go:build !unix

package clients

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file gets its owner and permissions from its folder.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// othersRead returns false: the folder gives the permissions, and it is in the user's profile.
func othersRead(fs.FileInfo) bool { return false }
