package jupyter_test

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

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

// onServers runs a test with a server at its root and with one under a prefix.
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
	if v, err := s.Health.Version(ctx); err != nil || v == "" {
		t.Errorf("Version = %q, %v", v, err)
	}
	if st, err := s.Health.Status(ctx); err != nil || st.Started.IsZero() {
		t.Errorf("Status = %+v, %v", st, err)
	}
	me, err := s.Username(ctx)
	must.NoError(t, err)
	test.NotEq(t, "", me)
	again, err := s.Username(ctx)
	must.NoError(t, err, must.Sprint("another one at the second call"))
	test.Eq(t, me, again, test.Sprint("another one at the second call"))
	specs, err := s.Kernels.Specs(ctx)
	must.NoError(t, err)
	test.Eq(t, "python3", specs.Default)
	test.Eq(t, "python", specs.Specs["python3"].Spec.Language)
}

func testContents(t *testing.T, js *jupytertest.Server, s *jupyter.Server) {
	ctx := testContext(t)
	dir := js.Name(t, "")
	if _, err := s.Contents.Put(ctx, jupyter.MustPath(dir), jupyter.NewContent{Type: "directory"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain.txt", "a b.txt", "50%25.txt", "100%.txt", "c#1?x=2&y.txt", "é ü 😀.txt", "semi;colon,at@+=$.txt", "x...dots.txt", "'q\".txt"} {
		p := dir + "/" + name
		put, err := s.Contents.Put(ctx, jupyter.MustPath(p), jupyter.NewContent{Type: "file", Format: "text", Content: "näme\n"})
		if err != nil || put.Path.String() != p {
			t.Errorf("PutContents(%q) = %+v, %v", p, put, err)
			continue
		}
		if got := js.Read(t, p); got != "näme\n" {
			t.Errorf("%q holds %q", p, got)
		}
		got, err := s.Contents.Get(ctx, jupyter.MustPath("/"+p), jupyter.ContentsOptions{Content: true, Hash: true})
		must.NoError(t, err)
		test.Eq(t, p, got.Path.String())
		test.Eq(t, "file", got.Type)
		test.Eq(t, "text", got.Format)
		test.False(t, string(got.Content) != `"n\u00e4me\n"` && string(got.Content) != `"näme\n"`)
		test.True(t, got.Writable)
		must.NotNil(t, got.Size)
		test.Eq(t, 6, *got.Size)
		test.False(t, got.LastModified.IsZero())
		test.False(t, got.Created.IsZero())
		test.Eq(t, 64, len(got.Hash))
	}
	listing, err := s.Contents.Get(ctx, jupyter.MustPath(dir), jupyter.ContentsOptions{Content: true})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := listing.Entries()
	must.NoError(t, err)
	test.SliceLen(t, 9, entries)
	root, err := s.Contents.Get(ctx, jupyter.MustPath("/"), jupyter.ContentsOptions{Content: true})
	must.NoError(t, err, must.Sprint("the root"))
	test.Eq(t, "directory", root.Type, test.Sprint("the root"))
	meta, err := s.Contents.Get(ctx, jupyter.MustPath(dir+"/plain.txt"), jupyter.ContentsOptions{})
	must.NoError(t, err, must.Sprint("without content"))
	test.False(t, len(meta.Content) != 0 && string(meta.Content) != "null", test.Sprint("without content"))
	if _, err := meta.Entries(); err == nil {
		t.Error("a file has entries")
	}
	copied, err := s.Contents.Copy(ctx, jupyter.MustPath(dir+"/plain.txt"), jupyter.MustPath(dir))
	must.NoError(t, err)
	test.Eq(t, dir, path.Dir(copied.Path.String()))
	test.NotEq(t, "plain.txt", copied.Name)
	moved, err := s.Contents.Rename(ctx, copied.Path, jupyter.MustPath(dir+"/new näme.txt"))
	must.NoError(t, err)
	test.Eq(t, dir+"/new näme.txt", moved.Path.String())
	if _, err := s.Contents.Rename(ctx, moved.Path, jupyter.MustPath(dir+"/plain.txt")); !errors.Is(err, jupyter.ErrConflict) {
		t.Errorf("renamed onto another file: %v, want ErrConflict", err)
	}
	nb, err := s.Contents.Get(ctx, jupyter.MustPath(js.Notebook(t)), jupyter.ContentsOptions{Content: true, Type: "notebook"})
	must.NoError(t, err, must.Sprint("the notebook"))
	test.True(t, json.Valid(nb.Content), test.Sprint("the notebook"))
	test.Eq(t, "json", nb.Format, test.Sprint("the notebook"))
	if err := s.Contents.Delete(ctx, moved.Path); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"read":   second(s.Contents.Get(ctx, moved.Path, jupyter.ContentsOptions{Content: true})),
		"rename": second(s.Contents.Rename(ctx, moved.Path, jupyter.MustPath("x"))),
		"delete": s.Contents.Delete(ctx, moved.Path),
		"copy":   second(s.Contents.Copy(ctx, moved.Path, jupyter.MustPath(dir))),
	} {
		if !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("%s a missing file: %v, want ErrNotFound", what, err)
		}
	}
	if _, err := s.Contents.Get(ctx, jupyter.MustPath(dir), jupyter.ContentsOptions{Type: "notebook"}); !errors.Is(err, jupyter.ErrBadRequest) {
		t.Errorf("a folder as notebook: %v, want ErrBadRequest", err)
	}
}

func second[T any](_ T, err error) error { return err }

func testSessions(t *testing.T, js *jupytertest.Server, s *jupyter.Server) {
	ctx := testContext(t)
	nb := js.Notebook(t, "1+1")
	made, err := s.Sessions.Create(ctx, jupyter.NewSession{Path: jupyter.MustPath(nb), Name: path.Base(nb), KernelName: "python3"})
	must.NoError(t, err)
	must.Eq(t, nb, made.Path.String())
	must.Eq(t, "notebook", made.Type)
	must.Eq(t, "python3", made.Kernel.Name)
	again, err := s.Sessions.Create(ctx, jupyter.NewSession{Path: jupyter.MustPath("/" + nb), Name: path.Base(nb)})
	must.NoError(t, err, must.Sprint("the same path again"))
	test.Eq(t, made.ID, again.ID, test.Sprint("the same path again"))
	test.Eq(t, made.Kernel.ID, again.Kernel.ID, test.Sprint("the same path again"))
	list, err := s.Sessions.List(ctx)
	must.NoError(t, err)
	test.True(t, hasSession(list, made.ID))
	moved, err := s.Sessions.Patch(ctx, made.ID, jupyter.MustPath("moved/"+nb), "moved")
	must.NoError(t, err)
	test.Eq(t, "moved/"+nb, moved.Path.String())
	test.Eq(t, "moved", moved.Name)
	test.Eq(t, made.Kernel.ID, moved.Kernel.ID)
	k, err := s.Kernels.Get(ctx, made.Kernel.ID)
	must.NoError(t, err)
	test.Eq(t, "python3", k.Name)
	test.False(t, k.LastActivity.IsZero())
	ws, err := s.Kernels.Dial(ctx, k.ID, "some-session")
	if err != nil || ws.Subprotocol() != jupyter.KernelProtocol {
		t.Errorf("DialKernel: %v", err)
	} else {
		ws.Close()
	}
	if err := s.Kernels.Interrupt(ctx, k.ID); err != nil {
		t.Errorf("Interrupt: %v", err)
	}
	r, err := s.Kernels.Restart(ctx, k.ID)
	must.NoError(t, err)
	test.Eq(t, k.ID, r.ID)
	if err := s.Kernels.Shutdown(ctx, k.ID); err != nil {
		t.Error(err)
	}
	free, err := s.Kernels.Start(ctx, "", jupyter.Path{})
	must.NoError(t, err)
	must.Eq(t, "python3", free.Name)
	kernels, err := s.Kernels.List(ctx)
	must.NoError(t, err)
	test.SliceNotEmpty(t, kernels)
	if err := s.Kernels.Shutdown(ctx, free.ID); err != nil {
		t.Error(err)
	}
	const none = "00000000-0000-0000-0000-000000000000"
	for what, err := range map[string]error{
		"the session's kernel": second(s.Kernels.Get(ctx, k.ID)),
		"interrupt":            s.Kernels.Interrupt(ctx, none),
		"restart":              second(s.Kernels.Restart(ctx, none)),
		"shutdown":             s.Kernels.Shutdown(ctx, none),
		"dial":                 second(s.Kernels.Dial(ctx, none, "x")),
		"patch":                second(s.Sessions.Patch(ctx, none, jupyter.MustPath("x"), "")),
	} {
		if !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", what, err)
		}
	}
	_, err = s.Sessions.Create(ctx, jupyter.NewSession{Path: jupyter.MustPath(js.Name(t, ".ipynb")), KernelName: "no-such-kernel"})
	must.Error(t, err, must.Sprint("an unknown kernelspec"))
	test.StrContains(t, err.Error(), "no-such-kernel", test.Sprint("an unknown kernelspec"))
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
		c, err := s.Rooms.Session(ctx, jupyter.MustPath(p), "json", "notebook")
		must.NoError(t, err, must.Sprint(p))
		must.Eq(t, "json", c.Format, must.Sprint(p))
		must.Eq(t, "notebook", c.Type, must.Sprint(p))
		got, err := s.Rooms.FilePath(ctx, c.FileID)
		must.NoError(t, err)
		test.Eq(t, strings.TrimPrefix(p, "/"), got.String())
		ws, err := s.Rooms.Dial(ctx, c.RoomID(), c.SessionID)
		if err != nil {
			t.Fatal(err)
		}
		// The server sends first, and only in the room of a file that it has loaded.
		if err := ws.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
		_, frame, err := ws.ReadMessage()
		must.NoError(t, err)
		must.GreaterEq(t, 2, len(frame))
		test.Eq(t, 0, frame[0])
		test.Eq(t, 0, frame[1])
		ws.Close()
	}
	if _, err := s.Rooms.FilePath(ctx, "no-such-id"); !errors.Is(err, jupyter.ErrNotFound) {
		t.Errorf("an unknown file id: %v, want ErrNotFound", err)
	}
	if _, err := s.Rooms.Dial(ctx, "json:notebook:no-such-id", "x"); !errors.Is(err, jupyter.ErrNotFound) {
		t.Errorf("an unknown room: %v, want ErrNotFound", err)
	}
	if _, err := s.Rooms.Session(ctx, jupyter.Path{}, "json", "notebook"); !errors.Is(err, jupyter.ErrBadPath) {
		t.Errorf("the root: %v, want ErrBadPath", err)
	}
}

// With a wrong token, or without one, every error says what to do about the token.
func TestRealWrongToken(t *testing.T) {
	js := jupytertest.Shared(t)
	ctx := testContext(t)
	nb := js.Notebook(t, "1")
	good := client(t, js.URL, js.Token)
	room, err := good.Rooms.Session(ctx, jupyter.MustPath(nb), "json", "notebook")
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"wrong-token-0123456789", ""} {
		s := client(t, js.URL, token)
		for what, err := range map[string]error{
			"status":        second(s.Health.Status(ctx)),
			"contents":      second(s.Contents.Get(ctx, jupyter.MustPath(nb), jupyter.ContentsOptions{})),
			"put":           second(s.Contents.Put(ctx, jupyter.MustPath("x.txt"), jupyter.NewContent{Type: "file", Format: "text", Content: ""})),
			"rename":        second(s.Contents.Rename(ctx, jupyter.MustPath(nb), jupyter.MustPath("y"))),
			"delete":        s.Contents.Delete(ctx, jupyter.MustPath(nb)),
			"sessions":      second(s.Sessions.List(ctx)),
			"start":         second(s.Kernels.Start(ctx, "", jupyter.Path{})),
			"kernelspecs":   second(s.Kernels.Specs(ctx)),
			"collaboration": second(s.Rooms.Session(ctx, jupyter.MustPath(nb), "json", "notebook")),
			"file path":     second(s.Rooms.FilePath(ctx, room.FileID)),
			"room":          second(s.Rooms.Dial(ctx, room.RoomID(), room.SessionID)),
			"kernel":        second(s.Kernels.Dial(ctx, "00000000-0000-0000-0000-000000000000", "y")),
		} {
			if !errors.Is(err, jupyter.ErrUnauthorized) {
				t.Errorf("%s: %v, want ErrUnauthorized", what, err)
				continue
			}
			text := err.Error()
			test.StrContains(t, text, "JUPYTER_TOKEN", test.Sprint(what))
			test.StrNotContains(t, text, "_xsrf", test.Sprint(what))
			test.False(t, token != "" && strings.Contains(text, token), test.Sprint(what))
		}
	}
}

// The error for a server without jupyter-collaboration says what to install. A wrong prefix is not reported like
// this.
func TestRealNoCollaboration(t *testing.T) {
	js := jupytertest.Start(t, jupytertest.WithoutCollaboration())
	s, ctx := client(t, js.URL, js.Token), testContext(t)
	nb := js.Notebook(t, "1")
	_, err := s.Rooms.Session(ctx, jupyter.MustPath(nb), "json", "notebook")
	test.ErrorIs(t, err, jupyter.ErrNoCollaboration, test.Sprint("CollaborationSession"))
	test.StrContains(t, err.Error(), "pip install jupyter-collaboration", test.Sprint("CollaborationSession"))
	if _, err := s.Rooms.Dial(ctx, "json:notebook:x", "y"); !errors.Is(err, jupyter.ErrNoCollaboration) {
		t.Errorf("DialRoom: %v", err)
	}
	astray := client(t, js.URL+"/wrong/prefix", js.Token)
	for what, err := range map[string]error{
		"collaboration": second(astray.Rooms.Session(ctx, jupyter.MustPath(nb), "json", "notebook")),
		"contents":      second(astray.Contents.Get(ctx, jupyter.MustPath(nb), jupyter.ContentsOptions{})),
	} {
		test.ErrorIs(t, err, jupyter.ErrNotJupyter, test.Sprint(what))
		test.False(t, errors.Is(err, jupyter.ErrNotFound), test.Sprint(what))
		test.StrContains(t, err.Error(), "base URL", test.Sprint(what))
	}
}

// The error for a killed server comes at once and says what to do.
func TestRealServerDown(t *testing.T) {
	js := jupytertest.Start(t)
	s, ctx := client(t, js.URL, js.Token), testContext(t)
	if _, err := s.Health.Status(ctx); err != nil {
		t.Fatal(err)
	}
	js.Kill()
	for what, err := range map[string]error{
		"status": second(s.Health.Status(ctx)),
		"put":    second(s.Contents.Put(ctx, jupyter.MustPath("x"), jupyter.NewContent{Type: "directory"})),
		"room":   second(s.Rooms.Dial(ctx, "a:b:c", "d")),
		"kernel": second(s.Kernels.Dial(ctx, "a", "d")),
	} {
		test.ErrorIs(t, err, jupyter.ErrUnreachable, test.Sprint(what))
		test.StrContains(t, err.Error(), js.URL, test.Sprint(what))
	}
}
