package listcache_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/listcache"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// A repeated list costs nothing, and a caller's changes to its list do not show in the next.
func TestAskedAgain(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t)
		first, n := r.walk()
		if n != 6 {
			t.Errorf("%d requests for six folders", n)
		}
		again, n := r.walk()
		test.Eq(t, first, again)
		test.Eq(t, 0, n)
		for _, want := range []int32{3, 0} { // the folder is cached
			before := r.asked.Load()
			specs, err := r.lists.KernelSpecs(t.Context())
			_, ok := specs.Specs["python3"]
			must.NoError(t, err, must.Sprint(specs))
			must.True(t, ok, must.Sprint(specs))
			delete(specs.Specs, "python3")
			if _, err := r.lists.Kernels(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := r.lists.Sessions(t.Context()); err != nil {
				t.Fatal(err)
			}
			list, err := r.lists.Folder(t.Context(), jupyter.MustPath(r.dir))
			must.NoError(t, err)
			must.SliceLen(t, 6, list)
			must.False(t, list[0].Path.IsRoot())
			clear(list)
			if n := r.asked.Load() - before; n != want {
				t.Errorf("%d requests for four lists, want %d", n, want)
			}
		}
	})
}

// This program's own changes are seen at once.
func TestOwnChanges(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t)
		ctx := t.Context()
		r.settled()
		if _, err := r.files.Create(ctx, r.at("a/made.txt"), text("x")); err != nil {
			t.Fatal(err)
		}
		r.shows("a/made.txt", true)
		if _, err := r.files.Rename(ctx, r.at("a/made.txt"), r.at("b/named.txt")); err != nil {
			t.Fatal(err)
		}
		r.shows("a/made.txt", false)
		r.shows("b/named.txt", true)
		if _, err := r.files.Delete(ctx, r.at("b/named.txt")); err != nil {
			t.Fatal(err)
		}
		r.shows("b/named.txt", false)

		k, err := r.m.Servers().Runtime.Kernels.Start(ctx, "", r.at("c"))
		if err != nil {
			t.Fatal(err)
		}
		has := func() (has bool) {
			list, err := r.lists.Kernels(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, there := range list {
				has = has || there.ID == k.ID
			}
			return has
		}
		if !has() {
			t.Error("a kernel that was started is not listed")
		}
		if err := r.m.Servers().Runtime.Kernels.Shutdown(ctx, k.ID); err != nil {
			t.Fatal(err)
		}
		if has() {
			t.Error("a kernel that was shut down is listed")
		}
	})
}

// A file that code writes is listed as soon as the code has ended, and while it runs each list is new.
func TestCode(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t)
		path := r.dir + "/d/code.ipynb"
		r.s.Write(t, path, r.s.Read(t, r.s.Notebook(t, "1")))
		sessiontest.Open(t, r.m, path)
		began := sessiontest.Wait(t, runNew(t, r, path, "import time"))
		if began.State != run.Done {
			t.Fatal(began)
		}
		r.settled()
		if got := sessiontest.Wait(t, runNew(t, r, path, "open('after.txt', 'w').write('x')")); got.State != run.Done {
			t.Fatal(got)
		}
		r.shows("d/after.txt", true)
		going := runNew(t, r, path, "open('during.txt', 'w').write('x')\nprint('written')\ntime.sleep(3)")
		r.within(sessiontest.Timeout, "output", func() bool { return sessiontest.Text(going.Result().Outputs) != "" })
		r.shows("d/during.txt", true)
		r.s.Write(t, r.dir+"/e/by-code.txt", "x")
		r.shows("e/by-code.txt", true)
		if got := sessiontest.Wait(t, going); got.State != run.Done {
			t.Fatal(got)
		}
	})
}

// A file's size is that of the last save of its room.
func TestSaved(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t)
		path := jupyter.MustPath(r.s.Write(t, r.dir+"/a/text.md", "short"))
		d, err := r.m.OpenText(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		r.settled()
		if err := d.EditText(t.Context(), "write", func(e *ydoc.TextEditor) error { return e.Replace(0, 0, "rather longer than it was, but ") }); err != nil {
			t.Fatal(err)
		}
		d.Release()
		r.settled()
		if _, _, err := r.m.End(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		list, err := r.lists.Folder(t.Context(), r.at("a"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if want := int64(len(r.s.Read(t, path.String()))); c.Path == path && (*c.Size != want || want < 10) {
				t.Errorf("%d bytes are listed, want %d", *c.Size, want)
			}
		}
	})
}

func runNew(t *testing.T, r *rig, path, code string) *run.Run {
	t.Helper()
	d, err := r.m.Open(t.Context(), jupyter.MustPath(path))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Release()
	got, err := d.RunNew(t.Context(), code, run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// atMost is how long a change by another program may stay unseen.
const atMost = 2 * time.Second

// A change by another program is seen when the cached answer has expired.
func TestChangesByOthers(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.settled()
		r.s.Write(t, r.dir+"/a/on-disk.txt", "x")
		r.upload("b/uploaded.txt")
		k, err := r.other.Kernels.Start(t.Context(), "", r.at("c"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(atMost)
		r.shows("a/on-disk.txt", true)
		r.shows("b/uploaded.txt", true)
		list, err := r.lists.Kernels(t.Context())
		must.NoError(t, err)
		test.SliceNotEmpty(t, list)
		if err := r.other.Kernels.Shutdown(t.Context(), k.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(atMost)
		list, err = r.lists.Kernels(t.Context())
		for _, there := range list {
			if there.ID == k.ID {
				t.Error("a kernel that somebody has shut down is listed")
			}
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// Concurrent callers share one request. A caller that gives up does not take the answer from the others.
func TestSharedRequest(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t)
		asked, on := make(chan struct{}), make(chan struct{})
		r.set(func() {
			r.first = func(http.ResponseWriter, *http.Request) bool {
				close(asked)
				<-on
				return false
			}
		})
		before := r.asked.Load()
		var all sync.WaitGroup
		ask := func() {
			list, err := r.lists.Folder(t.Context(), r.at("a"))
			must.NoError(t, err)
			test.SliceLen(t, 1, list)
		}
		all.Go(ask)
		<-asked
		for range 5 {
			all.Go(ask)
		}
		time.Sleep(100 * time.Millisecond)
		close(on)
		all.Wait()
		if n := r.asked.Load() - before; n != 1 {
			t.Errorf("%d requests for one folder", n)
		}
	})
}

// An error is not cached.
func TestErrorsAreNotKept(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.set(func() {
			r.first = func(w http.ResponseWriter, _ *http.Request) bool {
				http.Error(w, `{"message": "no"}`, http.StatusInternalServerError)
				return true
			}
		})
		if _, err := r.lists.Folder(t.Context(), r.at("a")); err == nil {
			t.Error("there is no error")
		}
		if _, err := r.lists.Folder(t.Context(), r.at("a")); err != nil {
			t.Error(err)
		}
		_, err := r.lists.Folder(t.Context(), r.at("a/n.ipynb"))
		must.Error(t, err)
		test.Eq(t, `path "`+r.dir+`/a/n.ipynb" is a notebook, not a folder: give the folder that it is in`, err.Error())
	})
}

// An answer that was in progress during a change is not cached.
func TestChangeOnTheWay(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.settled()
		time.Sleep(listcache.For)
		r.set(func() {
			r.after = func() { // the server has answered, and the answer has not arrived
				if _, err := r.m.Servers().Documents.Contents.Put(t.Context(), r.at("new.txt"), text("x")); err != nil {
					t.Error(err)
				}
			}
		})
		if _, err := r.lists.Folder(t.Context(), jupyter.MustPath(r.dir)); err != nil {
			t.Fatal(err)
		}
		r.shows("new.txt", true)
	})
}
