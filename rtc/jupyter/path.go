package jupyter

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/samber/lo"
)

// maxPathBytes is the longest accepted contents path, in bytes: Linux's PATH_MAX.
const maxPathBytes = 4096

// maxNameBytes is the longest name of a file or folder, in bytes, on common file systems.
const maxNameBytes = 255

// Path is a path of the Contents API in its own form: relative to the server's root, segments separated by single
// slashes, no leading or trailing slash, no "." segment. The zero value is the root itself.
//
// [ParsePath] makes a Path from a caller's text; all others come from the server's answers or are derived from these.
// So a Path needs no further check. Paths can be compared.
type Path struct{ p string }

// ParsePath returns a caller's text, with or without a leading slash, as a path.
//
// A path with a ".." segment, a NUL byte or invalid UTF-8, one longer than 4096 bytes, or with a name longer than 255
// bytes, is refused with an error that names it and matches [ErrBadPath]. ".." is refused, not resolved, because only
// the server knows which folders are links.
func ParsePath(p string) (Path, error) {
	if len(p) > maxPathBytes {
		return Path{}, fmt.Errorf("%w: %d bytes, starting with %q: at most %d are allowed", ErrBadPath, len(p), shorten(p, 60), maxPathBytes)
	}
	if !utf8.ValidString(p) {
		return Path{}, fmt.Errorf("%w: %q is not UTF-8", ErrBadPath, p)
	}
	if strings.ContainsRune(p, 0) {
		return Path{}, fmt.Errorf("%w: %q contains a NUL byte", ErrBadPath, p)
	}
	var kept []string
	for seg := range strings.SplitSeq(p, "/") {
		switch seg {
		case "", ".":
		case "..":
			return Path{}, fmt.Errorf(`%w: %q contains "..": give the path from the server's root folder`, ErrBadPath, p)
		default:
			if len(seg) > maxNameBytes {
				return Path{}, fmt.Errorf("%w: the name %q has %d bytes, at most %d are allowed", ErrBadPath, shorten(seg, 60), len(seg), maxNameBytes)
			}
			kept = append(kept, seg)
		}
	}
	return Path{strings.Join(kept, "/")}, nil
}

// MustPath is [ParsePath] for paths in the program itself. It panics if the path is invalid.
func MustPath(p string) Path { return lo.Must(ParsePath(p)) }

// String returns the path in the form of the Contents API, "" for the root.
func (p Path) String() string { return p.p }

// MarshalText returns the path in the form of the Contents API.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.p), nil }

// UnmarshalText reads a path from a server's answer, which has this form.
func (p *Path) UnmarshalText(text []byte) error {
	p.p = strings.Trim(string(text), "/")
	return nil
}

// IsRoot reports whether the path is the server's root folder.
func (p Path) IsRoot() bool { return p.p == "" }

// Name returns the last segment of the path, "" for the root.
func (p Path) Name() string { return p.p[strings.LastIndexByte(p.p, '/')+1:] }

// Ext returns the name's extension with its dot, "" for none.
func (p Path) Ext() string { return path.Ext(p.p) }

// Folder returns the folder that contains the path; the root contains itself.
func (p Path) Folder() Path { return Path{p.p[:max(0, strings.LastIndexByte(p.p, '/'))]} }

// Join returns the path of a file or folder in the folder p. The name must not contain a slash.
func (p Path) Join(name string) Path { return Path{strings.TrimPrefix(p.p+"/"+name, "/")} }

// Under reports whether the path is folder, or inside it.
func (p Path) Under(folder Path) bool {
	return folder.p == "" || p == folder || strings.HasPrefix(p.p, folder.p+"/")
}

// Moved returns p's new path after a rename of from to to. p must be [Path.Under] from.
func (p Path) Moved(from, to Path) Path {
	if from.p == "" || p == from {
		return to
	}
	return Path{to.p + strings.TrimPrefix(p.p, from.p)}
}

// Compare orders paths as strings.
func (p Path) Compare(other Path) int { return cmp.Compare(p.p, other.p) }

// Escaped percent-encodes each segment, leaving the slashes.
func (p Path) Escaped() string {
	segs := strings.Split(p.p, "/")
	for i, s := range segs {
		segs[i] = url.PathEscape(s)
	}
	return strings.Join(segs, "/")
}
