package session_test

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
	"github.com/nbduet/nbduet/session/inspect"
)

// A file is read where it lies, and no kernel of anybody's has to do with it.
func TestPreviewLeavesKernelsAlone(t *testing.T) {
	s := jupytertest.Shared(t)
	m := manager(t, s, session.Config{})
	notebook := s.Notebook(t, "x = 1")
	of, err := m.CreateAnalysis(t.Context(), "ada", session.AnalysisOptions{NotebookPath: notebook})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := m.CreateAnalysis(t.Context(), "ada", session.AnalysisOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run(t, open(t, m, notebook), "c0")
	look := map[string]string{"n": "get_ipython().execution_count", "names": "sorted(globals())"}
	state := func(a *session.Analysis) (out string) {
		t.Helper()
		got, err := a.Evaluate(t.Context(), "", look)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"n", "names"} {
			out += plainText(t, got, name) + "\n"
		}
		return out
	}
	before, beforeAlone := state(of), state(alone)

	path := s.Write(t, s.Name(t, "")+"/in a folder/ä #1?.csv", "a,b\n1,x\n")
	p, err := m.Preview(t.Context(), "", inspect.PreviewOptions{Path: "/" + path})
	if err != nil || p.Path != path || p.Size != 8 || *p.Rows != 1 || string(p.Head) != `[{"a":1,"b":"x"}]` {
		t.Errorf("%+v, %v", p, err)
	}
	id := m.HelperKernel()
	if id == "" || id == of.KernelID() || id == alone.KernelID() {
		t.Errorf("read by %q", id)
	}
	if others, err := m.OthersKernels(t.Context(), "ada"); err != nil || !others[id] {
		t.Errorf("it is anybody's: %v, %v", others, err)
	}
	if _, err := m.ConnectAnalysis(t.Context(), "ada", "", id); !errors.Is(err, session.ErrNoAnalysis) {
		t.Errorf("connected: %v", err)
	}
	if state(of) != before || state(alone) != beforeAlone {
		t.Errorf("a kernel was changed:\n%s%s, it was\n%s%s", state(of), state(alone), before, beforeAlone)
	}
	if cells := open(t, m, notebook).Notebook().Len(); cells != 1 {
		t.Errorf("the notebook has %d cells", cells)
	}
	// The kernel of a session tells the environment; of one for another language it is the usual one.
	for _, spec := range []string{of.KernelName(), "bash", "no such"} {
		if _, err := m.Preview(t.Context(), spec, inspect.PreviewOptions{Path: path}); err != nil || m.HelperKernel() != id {
			t.Errorf("%s: %v, by %s", spec, err, m.HelperKernel())
		}
	}

	folder := path[:strings.IndexByte(path, '/')]
	s.Write(t, folder+"/.hidden.csv", "a\n1\n")
	for name, want := range map[string]error{
		folder: session.ErrDirectory, folder + "/none.csv": jupyter.ErrNotFound, "../x.csv": jupyter.ErrBadPath, "": session.ErrDirectory,
		folder + "/.hidden.csv": jupyter.ErrNotFound, "a\x00.csv": jupyter.ErrBadPath,
	} {
		if _, err := m.Preview(t.Context(), "", inspect.PreviewOptions{Path: name}); !errors.Is(err, want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	var refusal *inspect.Refusal
	if _, err := m.Preview(t.Context(), "", inspect.PreviewOptions{Path: path, Format: "parquet"}); !errors.As(err, &refusal) || refusal.Code != inspect.NotReadable {
		t.Errorf("%v", err)
	}
	if m.HelperKernel() != id {
		t.Error("a file that cannot be read costs the kernel")
	}
}

// Where kernels begin somewhere else than the server's root, a short file is
// fetched, and one of the same name is not taken for it. A reader that is
// missing is named.
func TestPreviewOutOfReach(t *testing.T) {
	elsewhere, shadow := t.TempDir(), t.TempDir()
	for _, name := range []string{"pyarrow", "openpyxl"} {
		text := "raise ModuleNotFoundError(\"No module named '" + name + "'\", name='" + name + "')"
		if err := os.WriteFile(filepath.Join(shadow, name+".py"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := jupytertest.Start(t, jupytertest.WithFlags("--MappingKernelManager.root_dir="+elsewhere), jupytertest.WithEnv("PYTHONPATH="+shadow))
	m := manager(t, s, session.Config{})
	s.Write(t, "a.csv", "a\n1\n")
	s.Write(t, "b.csv", "a\n1\n")
	if err := os.WriteFile(filepath.Join(elsewhere, "b.csv"), []byte("b\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if old := time.Now().Add(-time.Hour); os.Chtimes(filepath.Join(elsewhere, "b.csv"), old, old) != nil {
		t.Fatal("its time cannot be set")
	}
	for _, path := range []string{"a.csv", "b.csv"} {
		if p, err := m.Preview(t.Context(), "", inspect.PreviewOptions{Path: path}); err != nil || string(p.Head) != `[{"a":1}]` || p.Size != 4 {
			t.Errorf("%s: %+v, %v", path, p, err)
		}
	}
	s.Write(t, "most.csv", "a\n"+strings.Repeat("1\n", inspect.MaxPreviewData/2-1))
	if p, err := m.Preview(t.Context(), "", inspect.PreviewOptions{Path: "most.csv"}); err != nil || p.Size != inspect.MaxPreviewData {
		t.Errorf("%+v, %v", p, err)
	}
	id := m.HelperKernel()
	s.Write(t, "large.csv", strings.Repeat("1\n", inspect.MaxPreviewData))
	if _, err := m.Preview(t.Context(), "", inspect.PreviewOptions{Path: "large.csv"}); !errors.Is(err, session.ErrOutOfReach) || !strings.Contains(err.Error(), "8388608") {
		t.Errorf("%v", err)
	}
	for path, name := range map[string]string{"a.parquet": "pyarrow", "a.feather": "pyarrow", "a.xlsx": "openpyxl"} {
		s.Write(t, path, "not looked at")
		var refusal *inspect.Refusal
		_, err := m.Preview(t.Context(), "", inspect.PreviewOptions{Path: path})
		if !errors.As(err, &refusal) || refusal.Code != inspect.ReaderMissing || !strings.Contains(refusal.Message, "`pip install "+name+"`") || !strings.Contains(refusal.Message, "No module named") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if m.HelperKernel() != id {
		t.Error("refusals cost the kernel")
	}
}
