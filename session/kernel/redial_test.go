package kernel

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// The wait for a socket to a silent server is shorter than for a server that starts a kernel.
func TestDialSilentServer(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		through, p := proxied(t, s)
		id := startKernel(t, serverOf(t, s))
		p.Stall()
		began := time.Now()
		_, err := through.Kernels.Dial(context.Background(), id, "x")
		took := time.Since(began)
		must.Error(t, err)
		test.LessEq(t, 35*time.Second, took)
	})
}

// A connection that has silently lost its network comes back on another socket: the server answers requests.
func TestSilentSocketIsLeft(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		p := jupytertest.NewCable(t, s)
		direct := serverOf(t, s)
		id := startKernel(t, direct)
		srv, err := jupyter.New(jupyter.Options{URL: p.Server.URL, Token: s.Token, HTTPClient: p.Server.HTTP()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(srv.CloseIdleConnections)
		c := connect(t, srv, id)
		r, out := begin(t, c, "import time\nprint('before', flush=True)\ntime.sleep(40)\nprint('after')")
		p.Strand()
		err = await(t, "the code", out)
		must.NoError(t, err)
		test.Eq(t, "before\nafter\n", r.text())
	})
}

// A kernel that is gone from a server that was not restarted was shut down.
func TestMissingKernelWasShutDown(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		direct := serverOf(t, s)
		through, p := proxied(t, s)
		for restart, want := range map[bool]error{false: ErrShutDown, true: ErrServerRestarted} {
			id := startKernel(t, direct)
			c := connect(t, through, id)
			_, out := begin(t, c, untilFile("/nowhere/at/all", ""))
			synctest.Wait() // until the server's start time is known, which nothing else here waits for
			p.Cut()
			time.Sleep(time.Second)
			if restart {
				s.Fake.Restart(true)
			} else if err := direct.Kernels.Shutdown(testContext(t), id); err != nil {
				t.Fatal(err)
			}
			p.Mend()
			err := await(t, "the code", out)
			test.ErrorIs(t, err, want, test.Sprint(restart))
			test.ErrorIs(t, err, ErrKernelDead, test.Sprint(restart))
		}
	})
}
