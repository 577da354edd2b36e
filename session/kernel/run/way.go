package run

// By is one of the ways to run a cell.
type By int

// The ways to run a cell.
const (
	Kernel    By = iota // over our connection to the kernel
	Documents           // by jupyter-server-documents
)

// Way is how the cells of a notebook run, or why they cannot.
type Way struct {
	By      By
	Refusal error // why they cannot run that way, or nil
}
