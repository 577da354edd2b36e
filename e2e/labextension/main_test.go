// Package labextension_test tests the extension of JupyterLab in a browser, beside agents and people.
package labextension_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nbduet/nbduet/cmd/nbduet/labextension"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// NBDUET_TAB names what the tests use instead of JupyterLab: Jupyter Notebook 7, or JupyterLab with a single document.
var (
	notebook7 = os.Getenv("NBDUET_TAB") == "notebook"
	single    = os.Getenv("NBDUET_TAB") == "doc"
)

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "nbduet-labextension-")
	if err == nil {
		err = labextension.Write(filepath.Join(folder, "labextensions"), "0.0.0")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	kit.AtEnd(func() error { return os.RemoveAll(folder) })
	if notebook7 {
		program, err := lab.Program()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		kit.LabOptions.Command = []string{program, "notebook"}
		kit.LabOptions.Args = []string{"--JupyterNotebookApp.expose_app_in_browser=True"}
	}
	kit.LabOptions.Env = []string{"JUPYTER_PATH=" + folder}
	kit.Main(m)
}
