package inspect_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// The traces that an inspection could leave in the kernel.
const snapshot = `(lambda ip, sys, gc, signal, threading: (
  sorted(globals()), sorted(dir()), list(In), sorted(Out), _, __, _i, _ii, ip.execution_count, id(getattr(sys, 'last_value', None)),
  list(ip.history_manager.get_range()), sorted(sys.modules), signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL),
  signal.getsignal(signal.SIGINT), threading.active_count(), id(sys.stdout), len(__import__('warnings').filters)))(
  get_ipython(), *map(__import__, ('sys', 'gc', 'signal', 'threading')))`

func TestNoTrace(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define("import pandas, numpy, gc, weakref\nclass C:\n  def __repr__(self): raise ValueError\nc, a, s = C(), numpy.arange(3), 'text'\ndf = pandas.DataFrame({'x': [1, None], 'y': ['a', 'b']})")
	k.define("[1, 2]")
	if e := k.run("1/0"); e == nil {
		t.Fatal("no exception")
	}
	look := func() {
		k.variables(inspect.ListOptions{Everything: true})
		for _, name := range []string{"c", "a", "s", "df", "df.x"} {
			k.value(name)
		}
		k.frame("df", inspect.TableOptions{})
		for _, name := range []string{"no_such", "df.shape", "s.no_such"} {
			var r *inspect.Refusal
			if _, err := inspect.Value(t.Context(), k, name, inspect.DetailOptions{}); !errors.As(err, &r) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	before := k.eval(snapshot)
	look()
	if after := k.eval(snapshot); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	test.StrContains(t, before, "[1, 2]", test.Sprint("the snapshot shows nothing"))
	test.StrContains(t, before, "'df'", test.Sprint("the snapshot shows nothing"))
	// Nothing is kept alive, even without the cycle collector.
	k.define("gc.collect(); gc.disable(); refs = [weakref.ref(c), weakref.ref(df)]")
	look()
	k.define("del c, df")
	if got := k.eval("[r() is None for r in refs]"); got != "[True, True]" {
		t.Errorf("freed: %s", got)
	}
	objects := k.eval("len(gc.get_objects())")
	for range 3 {
		k.variables(inspect.ListOptions{})
		k.value("s")
	}
	more, err := strconv.Atoi(k.eval("len(gc.get_objects()) - " + objects))
	must.NoError(t, err)
	test.Less(t, 100, more)
}

// People's redefinitions do not mislead an inspection.
func TestShadowedNames(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define("x = 1\nprint = len = str = repr = type = list = dict = exec = sorted = json = sys = signal = run = inspect = own = source = None")
	k.define("get_ipython().display_formatter.formatters['text/plain'].for_type(__builtins__.str, lambda o, p, c: p.text('no'))")
	if v := k.value("x"); string(v.Value) != "1" {
		t.Errorf("%+v", v)
	}
	if l := k.variables(inspect.ListOptions{}); l.Total != 17 {
		t.Errorf("%+v", l)
	}
}

// The user's own alarm rings on time, with the user's handler.
func TestUsersAlarm(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define("import signal, time\nrang = []\nsignal.signal(signal.SIGALRM, lambda *a: rang.append(1))\nbegan = time.monotonic()\nsignal.setitimer(signal.ITIMER_REAL, 1000, 7)\n" +
		"class C:\n  def __repr__(self): time.sleep(60)\nc = C()")
	k.value("c")
	if got := k.eval("[995 < signal.getitimer(signal.ITIMER_REAL)[0] + time.monotonic() - began < 1005, signal.getitimer(signal.ITIMER_REAL)[1], rang]"); got != "[True, 7.0, []]" {
		t.Errorf("the timer: %s", got)
	}
	k.define("signal.setitimer(signal.ITIMER_REAL, 0.5)")
	k.value("c")
	k.define("while not rang: time.sleep(0.01)")
}

// An inspection neither waits for a busy kernel nor interrupts it.
func TestBusy(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define("x = 1")
	started, ended := make(chan struct{}), make(chan kernel.Reply, 1)
	go func() {
		reply, err := k.conn.Execute(t.Context(), kernel.Request{Code: "print(1)\nimport time\ntime.sleep(600)"}, func(ev kernel.Event) {
			if _, ok := ev.(kernel.Stream); ok {
				close(started)
			}
		})
		if err != nil {
			t.Error(err)
		}
		ended <- reply
	}()
	<-started
	if _, err := inspect.Variables(t.Context(), k, inspect.ListOptions{}); !errors.Is(err, inspect.ErrBusy) {
		t.Errorf("list: %v", err)
	}
	if _, err := inspect.Value(t.Context(), k, "x", inspect.DetailOptions{}); !errors.Is(err, inspect.ErrBusy) {
		t.Errorf("value: %v", err)
	}
	test.Eq(t, kernel.StateBusy, k.Status(t.Context()), test.Sprint("the cell was interrupted"))
	test.LessEq(t, 0, len(ended), test.Sprint("the cell was interrupted"))
	if err := k.srv.Kernels.Interrupt(t.Context(), k.conn.KernelID()); err != nil {
		t.Fatal(err)
	}
	reply := <-ended
	must.NotNil(t, reply.Error)
	test.Eq(t, "KeyboardInterrupt", reply.Error.Name)
}
