package filepreview_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/inspect"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/service/filepreview"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A file is read in place, without any of the users' kernels.
func TestPreviewLeavesKernelsAlone(t *testing.T) {
	jupytertest.NeedsReal(t, "a preview, which is made in a kernel")
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		h, table := filepreview.New(m), analysis.New(m)
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
		must.NoError(t, err)
		test.Eq(t, path, p.Path)
		test.Eq(t, 8, p.Size)
		test.Eq(t, 1, *p.Rows)
		test.Eq(t, `[{"a":1,"b":"x"}]`, string(p.Head))
		id := h.KernelID()
		test.NotEq(t, "", id)
		test.NotEq(t, of.KernelID(), id)
		test.NotEq(t, alone.KernelID(), id)
		others, err := m.Owners().Others(t.Context(), "ada")
		must.NoError(t, err, must.Sprint("it is anybody's"))
		test.True(t, others[id], test.Sprint("it is anybody's"))
		if _, err := table.Connect(t.Context(), "ada", jupyter.Path{}, id); !errors.Is(err, analysis.ErrNoSession) {
			t.Errorf("connected: %v", err)
		}
		test.Eq(t, before, state(of), test.Sprint("a kernel was changed"))
		test.Eq(t, beforeAlone, state(alone), test.Sprint("a kernel was changed"))
		if cells := sessiontest.Open(t, m, notebook).Notebook().Len(); cells != 1 {
			t.Errorf("the notebook has %d cells", cells)
		}
		// A session's kernel determines the environment; for another language it is the usual one.
		for _, spec := range []string{of.KernelName(), "bash", "no such"} {
			_, err := h.Preview(t.Context(), jupyter.MustPath(path), spec, inspect.PreviewOptions{})
			must.NoError(t, err, must.Sprint(spec))
			test.Eq(t, id, h.KernelID(), test.Sprint(spec))
		}

		folder := path[:strings.IndexByte(path, '/')]
		s.Write(t, folder+"/.hidden.csv", "a\n1\n")
		for name, want := range map[string]error{
			folder: filepreview.ErrDirectory, folder + "/none.csv": jupyter.ErrNotFound, "": filepreview.ErrDirectory,
			folder + "/.hidden.csv": jupyter.ErrNotFound,
		} {
			if _, err := h.Preview(t.Context(), jupyter.MustPath(name), "", inspect.PreviewOptions{}); !errors.Is(err, want) {
				t.Errorf("%q: %v", name, err)
			}
		}
		_, err = jupyter.ParsePath("a\x00.csv")
		must.ErrorIs(t, err, jupyter.ErrBadPath)
		var refusal *inspect.Refusal
		_, err = h.Preview(t.Context(), jupyter.MustPath(path), "", inspect.PreviewOptions{Format: "parquet"})
		must.True(t, errors.As(err, &refusal))
		test.Eq(t, inspect.NotReadable, refusal.Code)
		if h.KernelID() != id {
			t.Error("a file that cannot be read costs the kernel")
		}
	})
}

// If kernels do not start in the server's root, a short file is fetched, and another file of the same name is not used
// instead. A missing reader is named.
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
	h := filepreview.New(m)
	s.Write(t, "a.csv", "a\n1\n")
	s.Write(t, "b.csv", "a\n1\n")
	if err := os.WriteFile(filepath.Join(elsewhere, "b.csv"), []byte("b\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if old := time.Now().Add(-time.Hour); os.Chtimes(filepath.Join(elsewhere, "b.csv"), old, old) != nil {
		t.Fatal("its time cannot be set")
	}
	for _, path := range []string{"a.csv", "b.csv"} {
		p, err := h.Preview(t.Context(), jupyter.MustPath(path), "", inspect.PreviewOptions{})
		must.NoError(t, err, must.Sprint(path))
		test.Eq(t, `[{"a":1}]`, string(p.Head), test.Sprint(path))
		test.Eq(t, 4, p.Size, test.Sprint(path))
	}
	s.Write(t, "most.csv", "a\n"+strings.Repeat("1\n", inspect.MaxPreviewData/2-1))
	p, err := h.Preview(t.Context(), jupyter.MustPath("most.csv"), "", inspect.PreviewOptions{})
	must.NoError(t, err)
	test.Eq(t, inspect.MaxPreviewData, p.Size)
	id := h.KernelID()
	s.Write(t, "large.csv", strings.Repeat("1\n", inspect.MaxPreviewData))
	_, err = h.Preview(t.Context(), jupyter.MustPath("large.csv"), "", inspect.PreviewOptions{})
	test.ErrorIs(t, err, filepreview.ErrOutOfReach)
	test.StrContains(t, err.Error(), "8388608")
	for path, name := range map[string]string{"a.parquet": "pyarrow", "a.feather": "pyarrow", "a.xlsx": "openpyxl"} {
		s.Write(t, path, "not looked at")
		var refusal *inspect.Refusal
		_, err := h.Preview(t.Context(), jupyter.MustPath(path), "", inspect.PreviewOptions{})
		must.True(t, errors.As(err, &refusal), must.Sprint(path))
		test.Eq(t, inspect.ReaderMissing, refusal.Code, test.Sprint(path))
		test.StrContains(t, refusal.Message, "`pip install "+name+"`", test.Sprint(path))
		test.StrContains(t, refusal.Message, "No module named", test.Sprint(path))
	}
	if h.KernelID() != id {
		t.Error("refusals cost the kernel")
	}
}
