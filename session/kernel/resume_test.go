package kernel

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// marked begins code that prints a line and waits for a file, and closes its connection, like a process that ends.
func marked(t *testing.T, srv *jupyter.Server, kernelID, file, rest string) Mark {
	t.Helper()
	c, err := dial(testContext(t), srv, kernelID, Options{}, quick())
	if err != nil {
		t.Fatal(err)
	}
	mark := make(chan Mark, 1)
	printed, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := c.Execute(testContext(t), Request{Code: untilFile(file, rest), Marked: func(m Mark) { mark <- m }}, func(ev Event) {
			if _, ok := ev.(Stream); ok {
				close(printed)
			}
		})
		ended <- err
	}()
	<-printed
	c.Close()
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Fatalf("the code ended with %v", err)
	}
	return <-mark
}

// A request continues under another connection of its session: with all output in between if no other client was connected,
// and with its end in any case.
func TestResume(t *testing.T) {
	for name, watched := range map[string]bool{"alone": false, "beside somebody": true} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				srv := serverOf(t, s)
				id, others := startKernel(t, srv), 0
				if watched {
					connectWith(t, srv, id, quick())
					others = 1
				}
				dir := t.TempDir()
				file, told := filepath.Join(dir, "go"), filepath.Join(dir, "told")
				m := marked(t, srv, id, file, fmt.Sprintf("print('meanwhile', flush=True)\nopen(%q, 'w').close()\nwhile not os.path.exists(%q):\n    print('waiting', flush=True)\n    time.sleep(0.01)\nprint('after')", told, file+"2"))
				waitConnections(t, s, id, others)
				touch(t, file)
				for !exists(told) {
					time.Sleep(5 * time.Millisecond)
				}
				c, err := resume(testContext(t), srv, m, Options{}, quick())
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				// The server opens a socket before it subscribes to the kernel for it. Nothing is lost after the first
				// message.
				var r recorder
				heard := sync.OnceFunc(func() { touch(t, file+"2") })
				reply, err := c.Await(testContext(t), func(ev Event) {
					r.handle(ev)
					if _, ok := ev.(Stream); ok {
						heard()
					}
				})
				must.NoError(t, err)
				must.Eq(t, "ok", reply.Status)
				want := regexp.MustCompile(`^meanwhile\n(waiting\n)*after\n$`)
				if watched {
					want = regexp.MustCompile(`^(waiting\n)+after\n$`)
				}
				if got := r.text(); !want.MatchString(got) {
					t.Errorf("printed %q, want %s", got, want)
				}
				if _, err := c.Await(testContext(t), nil); err == nil {
					t.Error("awaited twice")
				}
				reply, err = c.Execute(testContext(t), Request{Code: "1"}, nil)
				must.NoError(t, err, must.Sprint("the next request"))
				test.Eq(t, "ok", reply.Status, test.Sprint("the next request"))
			})
		})
	}
}

// A request that the kernel no longer has is reported as lost.
func TestResumeLost(t *testing.T) {
	for name, gone := range map[string]func(t *testing.T, srv *jupyter.Server, id, file string){
		"the process was replaced": func(t *testing.T, srv *jupyter.Server, id, _ string) {
			if _, err := srv.Kernels.Restart(testContext(t), id); err != nil {
				t.Fatal(err)
			}
		},
		"it has ended, and somebody else got the answer's place": func(t *testing.T, srv *jupyter.Server, id, file string) {
			other := connectWith(t, srv, id, quick())
			touch(t, file)
			if _, err := other.Execute(testContext(t), Request{Code: "1"}, nil); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				srv := serverOf(t, jupytertest.Shared(t))
				id := startKernel(t, srv)
				file := filepath.Join(t.TempDir(), "go")
				m := marked(t, srv, id, file, "print('after')")
				gone(t, srv, id, file)
				c, err := resume(testContext(t), srv, m, Options{}, quick())
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				reply, err := c.Await(testContext(t), nil)
				if reply.Error != nil && wasInterrupted(*reply.Error) && name == "the process was replaced" {
					return // the answer came before the process was ended, and the server kept it
				}
				if !errors.Is(err, ErrAnswerLost) && !errors.Is(err, ErrKernelRestarted) {
					t.Errorf("%+v, %v, want %v, or that the kernel was restarted", reply, err, ErrAnswerLost)
				}
			})
		})
	}
	t.Run("the kernel was shut down", func(t *testing.T) {
		jupytertest.Test(t, func(t *testing.T) {
			srv := serverOf(t, jupytertest.Shared(t))
			id := startKernel(t, srv)
			m := marked(t, srv, id, filepath.Join(t.TempDir(), "go"), "")
			if err := srv.Kernels.Shutdown(testContext(t), id); err != nil {
				t.Fatal(err)
			}
			if _, err := resume(testContext(t), srv, m, Options{}, quick()); !errors.Is(err, jupyter.ErrNotFound) {
				t.Errorf("%v, want %v", err, jupyter.ErrNotFound)
			}
		})
	})
}
