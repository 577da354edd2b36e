package faults

// Codes returns the codes of all faults, in the order of the table.
func Codes() []Code {
	codes := make([]Code, len(table))
	for i, r := range table {
		codes[i] = r.code
	}
	return codes
}
