package helper_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/analysis"
	"github.com/nbduet/nbduet/session/helper"
	"github.com/nbduet/nbduet/session/inspect"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A file is read where it lies, and no kernel of anybody's has to do with it.
func TestPreviewLeavesKernelsAlone(t *testing.T) {
	jupytertest.NeedsReal(t, "a preview, which is made in a kernel")
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		h, table := helper.New(m), analysis.New(m)
		notebook := s.Notebook(t, "x = 1")
		of, err := table.Create(t.Context(), "ada", analysis.Options{NotebookPath: jupyter.MustPath(notebook)})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := table.Create(t.Context(), "ada", analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.Run(t, sessiontest.Open(t, m, notebook), "c0")
		look := map[string]string{"n": "get_ipython().execution_count", "names": "sorted(globals())"}
		state := func(a *analysis.Session) (out string) {
			t.Helper()
			got, err := a.Evaluate(t.Context(), "", look)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"n", "names"} {
				out += sessiontest.Expression(t, got, name) + "\n"
			}
			return out
		}
		before, beforeAlone := state(of), state(alone)

		path := s.Write(t, s.Name(t, "")+"/in a folder/ä #1?.csv", "a,b\n1,x\n")
		p, err := h.Preview(t.Context(), jupyter.MustPath("/"+path), "", inspect.PreviewOptions{})
		if err != nil || p.Path != path || p.Size != 8 || *p.Rows != 1 || string(p.Head) != `[{"a":1,"b":"x"}]` {
			t.Errorf("%+v, %v", p, err)
		}
		id := h.KernelID()
		if id == "" || id == of.KernelID() || id == alone.KernelID() {
			t.Errorf("read by %q", id)
		}
		if others, err := m.Owners().Others(t.Context(), "ada"); err != nil || !others[id] {
			t.Errorf("it is anybody's: %v, %v", others, err)
		}
		if _, err := table.Connect(t.Context(), "ada", jupyter.Path{}, id); !errors.Is(err, analysis.ErrNoSession) {
			t.Errorf("connected: %v", err)
		}
		if state(of) != before || state(alone) != beforeAlone {
			t.Errorf("a kernel was changed:\n%s%s, it was\n%s%s", state(of), state(alone), before, beforeAlone)
		}
		if cells := sessiontest.Open(t, m, notebook).Notebook().Len(); cells != 1 {
			t.Errorf("the notebook has %d cells", cells)
		}
		// The kernel of a session tells the environment; of one for another language it is the usual one.
		for _, spec := range []string{of.KernelName(), "bash", "no such"} {
			if _, err := h.Preview(t.Context(), jupyter.MustPath(path), spec, inspect.PreviewOptions{}); err != nil || h.KernelID() != id {
				t.Errorf("%s: %v, by %s", spec, err, h.KernelID())
			}
		}

		folder := path[:strings.IndexByte(path, '/')]
		s.Write(t, folder+"/.hidden.csv", "a\n1\n")
		for name, want := range map[string]error{
			folder: helper.ErrDirectory, folder + "/none.csv": jupyter.ErrNotFound, "": helper.ErrDirectory,
			folder + "/.hidden.csv": jupyter.ErrNotFound, "a\x00.csv": jupyter.ErrBadPath,
		} {
			if _, err := h.Preview(t.Context(), jupyter.MustPath(name), "", inspect.PreviewOptions{}); !errors.Is(err, want) {
				t.Errorf("%q: %v", name, err)
			}
		}
		var refusal *inspect.Refusal
		if _, err := h.Preview(t.Context(), jupyter.MustPath(path), "", inspect.PreviewOptions{Format: "parquet"}); !errors.As(err, &refusal) || refusal.Code != inspect.NotReadable {
			t.Errorf("%v", err)
		}
		if h.KernelID() != id {
			t.Error("a file that cannot be read costs the kernel")
		}
	})
}

// Where kernels begin somewhere else than the server's root, a short file is fetched, and one of the same name is not
// taken for it. A reader that is missing is named.
func TestPreviewOutOfReach(t *testing.T) {
	elsewhere, shadow := t.TempDir(), t.TempDir()
	for _, name := range []string{"pyarrow", "openpyxl"} {
		text := "raise ModuleNotFoundError(\"No module named '" + name + "'\", name='" + name + "')"
		if err := os.WriteFile(filepath.Join(shadow, name+".py"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := jupytertest.Start(t, jupytertest.WithFlags("--MappingKernelManager.root_dir="+elsewhere), jupytertest.WithEnv("PYTHONPATH="+shadow))
	m := sessiontest.Manager(t, s, session.Config{})
	h := helper.New(m)
	s.Write(t, "a.csv", "a\n1\n")
	s.Write(t, "b.csv", "a\n1\n")
	if err := os.WriteFile(filepath.Join(elsewhere, "b.csv"), []byte("b\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if old := time.Now().Add(-time.Hour); os.Chtimes(filepath.Join(elsewhere, "b.csv"), old, old) != nil {
		t.Fatal("its time cannot be set")
	}
	for _, path := range []string{"a.csv", "b.csv"} {
		if p, err := h.Preview(t.Context(), jupyter.MustPath(path), "", inspect.PreviewOptions{}); err != nil || string(p.Head) != `[{"a":1}]` || p.Size != 4 {
			t.Errorf("%s: %+v, %v", path, p, err)
		}
	}
	s.Write(t, "most.csv", "a\n"+strings.Repeat("1\n", inspect.MaxPreviewData/2-1))
	if p, err := h.Preview(t.Context(), jupyter.MustPath("most.csv"), "", inspect.PreviewOptions{}); err != nil || p.Size != inspect.MaxPreviewData {
		t.Errorf("%+v, %v", p, err)
	}
	id := h.KernelID()
	s.Write(t, "large.csv", strings.Repeat("1\n", inspect.MaxPreviewData))
	if _, err := h.Preview(t.Context(), jupyter.MustPath("large.csv"), "", inspect.PreviewOptions{}); !errors.Is(err, helper.ErrOutOfReach) || !strings.Contains(err.Error(), "8388608") {
		t.Errorf("%v", err)
	}
	for path, name := range map[string]string{"a.parquet": "pyarrow", "a.feather": "pyarrow", "a.xlsx": "openpyxl"} {
		s.Write(t, path, "not looked at")
		var refusal *inspect.Refusal
		_, err := h.Preview(t.Context(), jupyter.MustPath(path), "", inspect.PreviewOptions{})
		if !errors.As(err, &refusal) || refusal.Code != inspect.ReaderMissing || !strings.Contains(refusal.Message, "`pip install "+name+"`") || !strings.Contains(refusal.Message, "No module named") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if h.KernelID() != id {
		t.Error("refusals cost the kernel")
	}
}
