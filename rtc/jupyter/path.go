package jupyter

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// maxPathBytes is the longest contents path accepted, in bytes: Linux's PATH_MAX.
const maxPathBytes = 4096

// maxNameBytes is the longest name of a file or folder: that of the usual file systems.
const maxNameBytes = 255

// CleanPath returns p in the Contents API's own form: relative to the server's root, segments separated by single
// slashes, no leading or trailing slash, no "." segment. The root itself is "".
//
// A path with a ".." segment, a NUL byte or invalid UTF-8, one longer than 4096 bytes, or with a name longer than 255, is refused with an error that
// names it and matches [ErrBadPath]. ".." is refused, and not resolved, because only the server knows which folders are
// links.
func CleanPath(p string) (string, error) {
	if len(p) > maxPathBytes {
		return "", fmt.Errorf("%w: %d bytes, starting with %q: at most %d are allowed", ErrBadPath, len(p), shorten(p, 60), maxPathBytes)
	}
	if !utf8.ValidString(p) {
		return "", fmt.Errorf("%w: %q is not UTF-8", ErrBadPath, p)
	}
	if strings.ContainsRune(p, 0) {
		return "", fmt.Errorf("%w: %q contains a NUL byte", ErrBadPath, p)
	}
	var kept []string
	for seg := range strings.SplitSeq(p, "/") {
		switch seg {
		case "", ".":
		case "..":
			return "", fmt.Errorf(`%w: %q contains "..": give the path from the server's root folder`, ErrBadPath, p)
		default:
			if len(seg) > maxNameBytes {
				return "", fmt.Errorf("%w: the name %q has %d bytes, at most %d are allowed", ErrBadPath, shorten(seg, 60), len(seg), maxNameBytes)
			}
			kept = append(kept, seg)
		}
	}
	return strings.Join(kept, "/"), nil
}

// escapePath percent-encodes each segment of a clean path, leaving the slashes.
func escapePath(p string) string {
	segs := strings.Split(p, "/")
	for i, s := range segs {
		segs[i] = url.PathEscape(s)
	}
	return strings.Join(segs, "/")
}

// Under tells whether path is folder, or something in it.
func Under(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}
