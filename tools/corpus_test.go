package tools

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/tools/deps"
)

// wishes are tasks with the tool that does them, "" if none does.
var wishes = []struct{ query, tool string }{
	{"duplicate this notebook as a backup", "copy_document"},
	{"rename or move a file", "rename_document"},
	{"move a notebook into another folder", "rename_document"},
	{"give the notebook another name", "rename_document"},
	{"delete a file", "delete_document"},
	{"remove an old notebook from disk", "delete_document"},
	{"list all files in a folder", "list_documents"},
	{"show the data files in the directory", "list_documents"},
	{"size and modification time of a file", "get_document_info"},
	{"read a Markdown file", "get_document_content"},
	{"replace the whole content of a text file", "overwrite_document"},
	{"insert text into a document at a position", "insert_document_text"},
	{"which kernels are installed", "list_available_kernels"},
	{"languages that I can start", "list_available_kernels"},
	{"use another kernel for a notebook", "assign_nb_kernel"},
	{"move cells to another place", "move_nb_cells"},
	{"reorder the cells", "move_nb_cells"},
	{"state of the notebook's kernel and who has it open", "get_nb_stat"},
	{"convert a browser URL to a path", "nb_path_from_url"},
	{"answer the input that the code asks for", "answer_input"},
	{"respond to input() prompt", "answer_input"},
	{"redo an undone edit", "redo_agent"},
	{"bring back cells that were lost", "restore_notebook"},
	{"reply to a person who mentioned me", "reply"},
	{"list unanswered mentions", "list_mentions"},
	{"wait until a colleague has changed something", "wait_for_change"},
	{"close the notebook's session", "end_nb_session"},
	{"make a notebook from a template", "notebook_from_template"},
	{"import a srcbook", "notebook_import"},
	{"address of the Jupyter server", "get_base_url"},
	{"note a finding for later sessions", "record_context"},
	{"which of my cells are still running", "watch_runs"},
	// listed tools
	{"search text without reading all cells", "search"},
	{"find where a function is defined", "search"},
	{"interrupt a running cell", "cancel_run"},
	{"undo my last change", "undo_agent"},
	{"run code without adding a cell", "run_code"},
	{"restart the kernel", "restart_nb_kernel"},
	{"split a cell in two", "modify_nb_cells"},
	{"preview a CSV file", "inspect_data"},
	{"change the kernel of a notebook to R", "restart_nb_kernel"},
	// none
	{"save the notebook", ""},
	{"install a package with pip", ""},
	{"export the notebook as PDF", ""},
	{"convert to HTML slides", ""},
	{"commit to git", ""},
	{"push to GitHub", ""},
	{"open a terminal", ""},
	{"send an email", ""},
	{"format code with black", ""},
	{"debug with breakpoints", ""},
	{"share the notebook with a colleague by link permissions", ""},
	{"take a screenshot of the browser", ""},
	{"schedule a nightly job", ""},
	{"download from the internet", ""},
	{"translate to French", ""},
	{"zip the folder", ""},
	{"collapse the headings", ""},
	{"change the theme to dark", ""},
	{"Notizbuch als PDF speichern", ""},
	{"ノートブックを保存する", ""},
}

// Of 60 tasks, find_tools answers at least 55 with the right tool, or with none.
func TestWishes(t *testing.T) {
	cfg := Config{Activity: &activity.Store{}}
	o := newOffer(registry(&parts{Deps: &deps.Deps{}}), cfg)
	right := 0
	for _, w := range wishes {
		got := o.search(w.query)
		var first []string
		for _, f := range got.Tools {
			first = append(first, f.Name)
		}
		fit := fitting(w.query, o.tools())
		if (w.tool == "") == (len(first) == 0) && (w.tool == "" || first[0] == w.tool) {
			right++
		} else {
			t.Logf("%q: %s, not %q; %s; best %s %.2f", w.query, strings.Join(first, " "), w.tool, got.Message, fit[0].Name, fit[0].score)
		}
	}
	t.Logf("%d of %d are right", right, len(wishes))
	if right < len(wishes)*55/60 {
		t.Error("too few")
	}
}
