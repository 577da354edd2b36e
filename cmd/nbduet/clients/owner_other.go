//go:build !unix

package clients

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file has the owner and the rights that its folder gives.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// othersRead is false: the rights are the folder's, and that is below the user's profile.
func othersRead(fs.FileInfo) bool { return false }
