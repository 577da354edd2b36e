package jupyter_test

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func client(t testing.TB, url, token string) *jupyter.Server {
	t.Helper()
	s, err := jupyter.New(jupyter.Options{URL: url, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.CloseIdleConnections)
	return s
}

// The same account of a server at its root and of one under a prefix.
func onServers(t *testing.T, test func(t *testing.T, js *jupytertest.Server, s *jupyter.Server)) {
	t.Run("root", func(t *testing.T) {
		js := jupytertest.Shared(t)
		test(t, js, client(t, js.URL, js.Token))
	})
	t.Run("prefix", func(t *testing.T) {
		js := jupytertest.Start(t, jupytertest.WithBaseURL("/user/ada/x/"))
		if !strings.Contains(js.URL, "/x") {
			t.Fatalf("the server is at %s", js.URL)
		}
		test(t, js, client(t, js.URL+"/lab/tree/x.ipynb?token="+js.Token, "not this one"))
	})
}

func TestReal(t *testing.T) {
	onServers(t, func(t *testing.T, js *jupytertest.Server, s *jupyter.Server) {
		t.Run("server", func(t *testing.T) { testServer(t, s) })
		t.Run("contents", func(t *testing.T) { testContents(t, js, s) })
		t.Run("sessions", func(t *testing.T) { testSessions(t, js, s) })
		t.Run("collaboration", func(t *testing.T) { testCollaboration(t, js, s) })
	})
}

func testServer(t *testing.T, s *jupyter.Server) {
	ctx := testContext(t)
	if v, err := s.Version(ctx); err != nil || v == "" {
		t.Errorf("Version = %q, %v", v, err)
	}
	if st, err := s.Status(ctx); err != nil || st.Started.IsZero() {
		t.Errorf("Status = %+v, %v", st, err)
	}
	me, err := s.Username(ctx)
	if err != nil || me == "" {
		t.Errorf("Username = %q, %v", me, err)
	}
	if again, err := s.Username(ctx); err != nil || again != me {
		t.Errorf("another one at the second call: %q after %q, %v", again, me, err)
	}
	specs, err := s.KernelSpecs(ctx)
	if err != nil || specs.Default != "python3" || specs.Specs["python3"].Spec.Language != "python" {
		t.Errorf("KernelSpecs = %+v, %v", specs, err)
	}
}

func testContents(t *testing.T, js *jupytertest.Server, s *jupyter.Server) {
	ctx := testContext(t)
	dir := js.Name(t, "")
	if _, err := s.PutContents(ctx, jupyter.MustPath(dir), jupyter.NewContent{Type: "directory"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain.txt", "a b.txt", "50%25.txt", "100%.txt", "c#1?x=2&y.txt", "é ü 😀.txt", "semi;colon,at@+=$.txt", "x...dots.txt", "'q\".txt"} {
		p := dir + "/" + name
		put, err := s.PutContents(ctx, jupyter.MustPath(p), jupyter.NewContent{Type: "file", Format: "text", Content: "näme\n"})
		if err != nil || put.Path.String() != p {
			t.Errorf("PutContents(%q) = %+v, %v", p, put, err)
			continue
		}
		if got := js.Read(t, p); got != "näme\n" {
			t.Errorf("%q holds %q", p, got)
		}
		got, err := s.Contents(ctx, jupyter.MustPath("/"+p), jupyter.ContentsOptions{Content: true, Hash: true})
		if err != nil || got.Path.String() != p || got.Type != "file" || got.Format != "text" || string(got.Content) != `"n\u00e4me\n"` && string(got.Content) != `"näme\n"` ||
			!got.Writable || got.Size == nil || *got.Size != 6 || got.LastModified.IsZero() || got.Created.IsZero() || len(got.Hash) != 64 {
			t.Errorf("Contents(%q) = %+v, %s, %v", p, got, got.Content, err)
		}
	}
	listing, err := s.Contents(ctx, jupyter.MustPath(dir), jupyter.ContentsOptions{Content: true})
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := listing.Entries(); err != nil || len(entries) != 9 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	if root, err := s.Contents(ctx, jupyter.MustPath("/"), jupyter.ContentsOptions{Content: true}); err != nil || root.Type != "directory" {
		t.Errorf("the root: %+v, %v", root, err)
	}
	meta, err := s.Contents(ctx, jupyter.MustPath(dir+"/plain.txt"), jupyter.ContentsOptions{})
	if err != nil || len(meta.Content) != 0 && string(meta.Content) != "null" {
		t.Errorf("without content: %+v, %v", meta, err)
	}
	if _, err := meta.Entries(); err == nil {
		t.Error("a file has entries")
	}
	copied, err := s.CopyContents(ctx, jupyter.MustPath(dir+"/plain.txt"), jupyter.MustPath(dir))
	if err != nil || path.Dir(copied.Path.String()) != dir || copied.Name == "plain.txt" {
		t.Errorf("CopyContents = %+v, %v", copied, err)
	}
	moved, err := s.RenameContents(ctx, copied.Path, jupyter.MustPath(dir+"/new näme.txt"))
	if err != nil || moved.Path.String() != dir+"/new näme.txt" {
		t.Errorf("RenameContents = %+v, %v", moved, err)
	}
	if _, err := s.RenameContents(ctx, moved.Path, jupyter.MustPath(dir+"/plain.txt")); !errors.Is(err, jupyter.ErrConflict) {
		t.Errorf("renamed onto another file: %v, want ErrConflict", err)
	}
	nb, err := s.Contents(ctx, jupyter.MustPath(js.Notebook(t)), jupyter.ContentsOptions{Content: true, Type: "notebook"})
	if err != nil || !json.Valid(nb.Content) || nb.Format != "json" {
		t.Errorf("the notebook: %+v, %v", nb, err)
	}
	if err := s.DeleteContents(ctx, moved.Path); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"read":   second(s.Contents(ctx, moved.Path, jupyter.ContentsOptions{Content: true})),
		"rename": second(s.RenameContents(ctx, moved.Path, jupyter.MustPath("x"))),
		"delete": s.DeleteContents(ctx, moved.Path),
		"copy":   second(s.CopyContents(ctx, moved.Path, jupyter.MustPath(dir))),
	} {
		if !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("%s a missing file: %v, want ErrNotFound", what, err)
		}
	}
	if _, err := s.Contents(ctx, jupyter.MustPath(dir), jupyter.ContentsOptions{Type: "notebook"}); !errors.Is(err, jupyter.ErrBadRequest) {
		t.Errorf("a folder as notebook: %v, want ErrBadRequest", err)
	}
}

func second[T any](_ T, err error) error { return err }

func testSessions(t *testing.T, js *jupytertest.Server, s *jupyter.Server) {
	ctx := testContext(t)
	nb := js.Notebook(t, "1+1")
	made, err := s.CreateSession(ctx, jupyter.NewSession{Path: jupyter.MustPath(nb), Name: path.Base(nb), KernelName: "python3"})
	if err != nil || made.Path.String() != nb || made.Type != "notebook" || made.Kernel.Name != "python3" {
		t.Fatalf("CreateSession = %+v, %v", made, err)
	}
	again, err := s.CreateSession(ctx, jupyter.NewSession{Path: jupyter.MustPath("/" + nb), Name: path.Base(nb)})
	if err != nil || again.ID != made.ID || again.Kernel.ID != made.Kernel.ID {
		t.Errorf("the same path again: %+v, %v", again, err)
	}
	list, err := s.Sessions(ctx)
	if err != nil || !hasSession(list, made.ID) {
		t.Errorf("Sessions = %+v, %v", list, err)
	}
	moved, err := s.PatchSession(ctx, made.ID, jupyter.MustPath("moved/"+nb), "moved")
	if err != nil || moved.Path.String() != "moved/"+nb || moved.Name != "moved" || moved.Kernel.ID != made.Kernel.ID {
		t.Errorf("PatchSession = %+v, %v", moved, err)
	}
	k, err := s.Kernel(ctx, made.Kernel.ID)
	if err != nil || k.Name != "python3" || k.LastActivity.IsZero() {
		t.Errorf("Kernel = %+v, %v", k, err)
	}
	ws, err := s.DialKernel(ctx, k.ID, "some-session")
	if err != nil || ws.Subprotocol() != jupyter.KernelProtocol {
		t.Errorf("DialKernel: %v", err)
	} else {
		ws.Close()
	}
	if err := s.Interrupt(ctx, k.ID); err != nil {
		t.Errorf("Interrupt: %v", err)
	}
	if r, err := s.Restart(ctx, k.ID); err != nil || r.ID != k.ID {
		t.Errorf("Restart = %+v, %v", r, err)
	}
	if err := s.ShutdownKernel(ctx, k.ID); err != nil {
		t.Error(err)
	}
	free, err := s.StartKernelIn(ctx, "", jupyter.Path{})
	if err != nil || free.Name != "python3" {
		t.Fatalf("StartKernelIn = %+v, %v", free, err)
	}
	kernels, err := s.Kernels(ctx)
	if err != nil || len(kernels) == 0 {
		t.Errorf("Kernels = %+v, %v", kernels, err)
	}
	if err := s.ShutdownKernel(ctx, free.ID); err != nil {
		t.Error(err)
	}
	const none = "00000000-0000-0000-0000-000000000000"
	for what, err := range map[string]error{
		"the session's kernel": second(s.Kernel(ctx, k.ID)),
		"interrupt":            s.Interrupt(ctx, none),
		"restart":              second(s.Restart(ctx, none)),
		"shutdown":             s.ShutdownKernel(ctx, none),
		"dial":                 second(s.DialKernel(ctx, none, "x")),
		"patch":                second(s.PatchSession(ctx, none, jupyter.MustPath("x"), "")),
	} {
		if !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", what, err)
		}
	}
	if _, err := s.CreateSession(ctx, jupyter.NewSession{Path: jupyter.MustPath(js.Name(t, ".ipynb")), KernelName: "no-such-kernel"}); err == nil || !strings.Contains(err.Error(), "no-such-kernel") {
		t.Errorf("an unknown kernelspec: %v", err)
	}
}

func hasSession(list []jupyter.Session, id string) bool {
	for _, s := range list {
		if s.ID == id {
			return true
		}
	}
	return false
}

func testCollaboration(t *testing.T, js *jupytertest.Server, s *jupyter.Server) {
	ctx := testContext(t)
	nb := js.Notebook(t, "1+1")
	odd := js.Write(t, js.Name(t, " é#%?+.ipynb"), js.Read(t, nb))
	for _, p := range []string{nb, odd, "/" + nb} {
		c, err := s.CollaborationSession(ctx, jupyter.MustPath(p), "json", "notebook")
		if err != nil || c.Format != "json" || c.Type != "notebook" {
			t.Fatalf("CollaborationSession(%q) = %+v, %v", p, c, err)
		}
		if got, err := s.FilePath(ctx, c.FileID); err != nil || got.String() != strings.TrimPrefix(p, "/") {
			t.Errorf("FilePath = %q, %v, want %q", got, err, p)
		}
		ws, err := s.DialRoom(ctx, c.RoomID(), c.SessionID)
		if err != nil {
			t.Fatal(err)
		}
		// The server speaks first, and only in the room of a file that it has loaded.
		if err := ws.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, frame, err := ws.ReadMessage(); err != nil || len(frame) < 2 || frame[0] != 0 || frame[1] != 0 {
			t.Errorf("the room's first word is %v, %v", frame, err)
		}
		ws.Close()
	}
	if _, err := s.FilePath(ctx, "no-such-id"); !errors.Is(err, jupyter.ErrNotFound) {
		t.Errorf("an unknown file id: %v, want ErrNotFound", err)
	}
	if _, err := s.DialRoom(ctx, "json:notebook:no-such-id", "x"); !errors.Is(err, jupyter.ErrNotFound) {
		t.Errorf("an unknown room: %v, want ErrNotFound", err)
	}
	if _, err := s.CollaborationSession(ctx, jupyter.Path{}, "json", "notebook"); !errors.Is(err, jupyter.ErrBadPath) {
		t.Errorf("the root: %v, want ErrBadPath", err)
	}
}

// Whatever is asked for with a wrong token, or with none, the answer is what to do about the token.
func TestRealWrongToken(t *testing.T) {
	js := jupytertest.Shared(t)
	ctx := testContext(t)
	nb := js.Notebook(t, "1")
	good := client(t, js.URL, js.Token)
	room, err := good.CollaborationSession(ctx, jupyter.MustPath(nb), "json", "notebook")
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"wrong-token-0123456789", ""} {
		s := client(t, js.URL, token)
		for what, err := range map[string]error{
			"status":        second(s.Status(ctx)),
			"contents":      second(s.Contents(ctx, jupyter.MustPath(nb), jupyter.ContentsOptions{})),
			"put":           second(s.PutContents(ctx, jupyter.MustPath("x.txt"), jupyter.NewContent{Type: "file", Format: "text", Content: ""})),
			"rename":        second(s.RenameContents(ctx, jupyter.MustPath(nb), jupyter.MustPath("y"))),
			"delete":        s.DeleteContents(ctx, jupyter.MustPath(nb)),
			"sessions":      second(s.Sessions(ctx)),
			"start":         second(s.StartKernelIn(ctx, "", jupyter.Path{})),
			"kernelspecs":   second(s.KernelSpecs(ctx)),
			"collaboration": second(s.CollaborationSession(ctx, jupyter.MustPath(nb), "json", "notebook")),
			"file path":     second(s.FilePath(ctx, room.FileID)),
			"room":          second(s.DialRoom(ctx, room.RoomID(), room.SessionID)),
			"kernel":        second(s.DialKernel(ctx, "00000000-0000-0000-0000-000000000000", "y")),
		} {
			if !errors.Is(err, jupyter.ErrUnauthorized) {
				t.Errorf("%s: %v, want ErrUnauthorized", what, err)
				continue
			}
			if text := err.Error(); !strings.Contains(text, "JUPYTER_TOKEN") || strings.Contains(text, "_xsrf") || token != "" && strings.Contains(text, token) {
				t.Errorf("%s: %q", what, text)
			}
		}
	}
}

// A server without jupyter-collaboration: the error says what to install. A wrong prefix is not taken for one.
func TestRealNoCollaboration(t *testing.T) {
	js := jupytertest.Start(t, jupytertest.WithoutCollaboration())
	s, ctx := client(t, js.URL, js.Token), testContext(t)
	nb := js.Notebook(t, "1")
	_, err := s.CollaborationSession(ctx, jupyter.MustPath(nb), "json", "notebook")
	if !errors.Is(err, jupyter.ErrNoCollaboration) || !strings.Contains(err.Error(), "pip install jupyter-collaboration") {
		t.Errorf("CollaborationSession: %v", err)
	}
	if _, err := s.DialRoom(ctx, "json:notebook:x", "y"); !errors.Is(err, jupyter.ErrNoCollaboration) {
		t.Errorf("DialRoom: %v", err)
	}
	astray := client(t, js.URL+"/wrong/prefix", js.Token)
	for what, err := range map[string]error{
		"collaboration": second(astray.CollaborationSession(ctx, jupyter.MustPath(nb), "json", "notebook")),
		"contents":      second(astray.Contents(ctx, jupyter.MustPath(nb), jupyter.ContentsOptions{})),
	} {
		if !errors.Is(err, jupyter.ErrNotJupyter) || errors.Is(err, jupyter.ErrNotFound) || !strings.Contains(err.Error(), "base URL") {
			t.Errorf("%s at a wrong prefix: %v, want ErrNotJupyter", what, err)
		}
	}
}

// A server that was killed: at once, what to do.
func TestRealServerDown(t *testing.T) {
	js := jupytertest.Start(t)
	s, ctx := client(t, js.URL, js.Token), testContext(t)
	if _, err := s.Status(ctx); err != nil {
		t.Fatal(err)
	}
	js.Kill()
	for what, err := range map[string]error{
		"status": second(s.Status(ctx)),
		"put":    second(s.PutContents(ctx, jupyter.MustPath("x"), jupyter.NewContent{Type: "directory"})),
		"room":   second(s.DialRoom(ctx, "a:b:c", "d")),
		"kernel": second(s.DialKernel(ctx, "a", "d")),
	} {
		if !errors.Is(err, jupyter.ErrUnreachable) || !strings.Contains(err.Error(), js.URL) {
			t.Errorf("%s: %v, want ErrUnreachable", what, err)
		}
	}
}
