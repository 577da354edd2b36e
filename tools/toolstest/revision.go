package toolstest

// ForeignRevision turns a revision into one of another process.
func ForeignRevision(shown string) string {
	last := len(shown) - 1
	if shown[last] == 'x' {
		return shown[:last] + "y"
	}
	return shown[:last] + "x"
}
