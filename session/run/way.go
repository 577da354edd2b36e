package run

// Execute says where the cells of notebooks are run.
type Execute string

// Where cells are run. On a server with jupyter-server-documents it is always that which runs them.
const (
	// ExecuteAuto is what is sound: ExecuteKernel.
	ExecuteAuto Execute = "auto"
	// ExecuteKernel has this program ask the kernel, and write what comes of it into the notebook.
	ExecuteKernel Execute = "kernel"
	// ExecuteServer has jupyter-server-nbmodel do that, so that a run goes on when this program ends.
	ExecuteServer Execute = "server"
)

// ExecuteWords are the values that there are.
func ExecuteWords() []string {
	return []string{string(ExecuteKernel), string(ExecuteServer), string(ExecuteAuto)}
}

// By is one of the ways in which a cell is run.
type By int

// The ways in which a cell is run.
const (
	Kernel    By = iota // over a connection of ours to the kernel
	Nbmodel             // by jupyter-server-nbmodel
	Documents           // by jupyter-server-documents
)

// Way is how the cells of a notebook are run: in one of the ways, or not at all.
type Way struct {
	By      By
	Refusal error // why they cannot be run in that way; nil where they can
}
