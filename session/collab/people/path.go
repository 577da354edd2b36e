package people

import "strings"

// maxPath is the longest path that is taken from a tab.
const maxPath = 4096

// Path is a path that a tab names as the Contents API has it: without the name of the drive of older versions, and
// without a slash before it.
func Path(p string) string {
	p = strings.TrimPrefix(strings.TrimPrefix(p, "RTC:"), "/")
	if len(p) > maxPath {
		return ""
	}
	return p
}

// documentOf is the path of the document that a tab has in front, "" if that is none: "notebook:a.ipynb" says that a
// widget of the notebooks' shows it.
func documentOf(current string) string {
	_, path, _ := strings.Cut(current, ":")
	return Path(path)
}
