package toolstest

// ForeignRevision makes, of a revision that was shown, one of another process.
func ForeignRevision(shown string) string {
	last := len(shown) - 1
	if shown[last] == 'x' {
		return shown[:last] + "y"
	}
	return shown[:last] + "x"
}
