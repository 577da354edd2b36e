package tools

import (
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// instructions is the text that the model reads once, before any tool. It begins with when to use the tools, because hosts
// that hide tools show only their names and this text, up to 2,048 characters. Every conversation pays for it: e2e/listing
// counts it.
const instructions = `Use these tools whenever a notebook (an .ipynb file) is read, edited or run; do not edit the file itself. People may have it open in JupyterLab: every edit and output appears live in their tabs, and you read their unsaved typing.
Paths are relative to the Jupyter server's root folder, such as "work/analysis.ipynb". Cell indexes count from 0 and refer to the cells as last shown to you, with your own changes since; a call for a deleted cell is refused. Ids stay.
A cell change is merged with text that people type meanwhile; if both changed the same words, nothing is written and you see both changes.`

// instructionsForWords describes how cells look in answers in words.
const instructionsForWords = `
In answers "@@3 4f2a [5]" begins a cell: index, id prefix (calls accept it as the id), execution count. Its source follows verbatim, its outputs under "@@ out". An image comes beside the text, which has its address.`

// The workflow of an analysis: by cells of a notebook, and by a session with a kernel.
var (
	cellsGuide = textfmt.Hint("Start an analysis with create_document.") + textfmt.Hint(" Load and analyse data with insert_nb_cells.") +
		textfmt.Hint(" Look at variables and tables with inspect_data before continuing, and regularly in long work.") +
		textfmt.Hint(" Record findings in cells; delete your scratch cells at the end with delete_nb_cells.")
	sessionsGuide = textfmt.Hint("Start an analysis with session_create.") + textfmt.Hint(" Load and analyse data with execute_code.") +
		textfmt.Hint(" Look at its structure with get_variables and get_dataframe_info before continuing, and with get_variables regularly in long work.") +
		textfmt.Hint(" Record findings with notebook_add_cell.") + textfmt.Hint(" Clean up at the end with session_delete.")
)

// picturesGuide says how far a model can trust its view of images.
var picturesGuide = "Look at the picture of each plot" + textfmt.Hint(", with get_image_resource if it is not shown") +
	", describe it, and check it against the code. Pictures show trends, outliers and comparisons; reading exact numbers off them is unreliable: print those beside the plot."

// An introduction has the values that the instructions depend on.
type introduction struct {
	words    bool                // the set "core" answers in words
	sessions bool                // tools for analysis sessions are listed
	notebook string              // the notebook to work in if no other is named
	apart    bool                // kernels run on another server than the files
	settle   func(string) string // words hints
}

// text returns the instructions.
func (i introduction) text() string {
	text := instructions
	if i.words {
		text += instructionsForWords
	}
	guide := lo.Ternary(i.sessions, sessionsGuide, cellsGuide)
	if guide = strings.TrimSpace(i.settle(guide)); guide != "" {
		text += "\n" + guide
	}
	text += "\n" + i.settle(picturesGuide)
	if i.notebook != "" {
		text += fmt.Sprintf("\nIf no other notebook is named, work in %q.", i.notebook)
	}
	if i.apart {
		text += "\nKernels do not run on the server of the notebooks and files: code does not see the files that these tools show, and the tools do not see the files that code writes."
	}
	return text
}
