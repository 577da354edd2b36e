package people

import "strings"

// maxPath is the maximum length of a path from a tab.
const maxPath = 4096

// Path returns a path from a tab in the form of the Contents API: without the drive name of older versions, and without a
// leading slash.
func Path(p string) string {
	p = strings.TrimPrefix(strings.TrimPrefix(p, "RTC:"), "/")
	if len(p) > maxPath {
		return ""
	}
	return p
}

// documentOf returns the path of the document that a tab has in front, "" if it is something else. "notebook:a.ipynb" means
// that a notebook widget shows it.
func documentOf(current string) string {
	_, path, _ := strings.Cut(current, ":")
	return Path(path)
}
