package run

// Execute says where notebook cells run.
type Execute string

// Where cells run. On a server with jupyter-server-documents, that extension always runs them.
const (
	// ExecuteAuto is the safe choice: ExecuteKernel.
	ExecuteAuto Execute = "auto"
	// ExecuteKernel: this program sends the code to the kernel, and writes the outputs into the notebook.
	ExecuteKernel Execute = "kernel"
	// ExecuteServer: jupyter-server-nbmodel does that, so a run goes on when this program ends.
	ExecuteServer Execute = "server"
)

// ExecuteWords are all values of [Execute].
func ExecuteWords() []string {
	return []string{string(ExecuteKernel), string(ExecuteServer), string(ExecuteAuto)}
}

// By is one of the ways to run a cell.
type By int

// The ways to run a cell.
const (
	Kernel    By = iota // over our connection to the kernel
	Nbmodel             // by jupyter-server-nbmodel
	Documents           // by jupyter-server-documents
)

// Way is how the cells of a notebook run: in one of the ways, or not at all.
type Way struct {
	By      By
	Refusal error // why they cannot run that way; nil if they can
}
