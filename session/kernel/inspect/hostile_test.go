package inspect_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/inspect"
)

func TestManyNames(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define("for i in range(10_000): globals()[f'v{i:05}'] = i\ndel i\nglobals()['a' * 10**6] = 1\nglobals()[7] = 1\nimport os\ndef f(): pass\nclass C: pass")
	l := k.variables(inspect.ListOptions{Offset: 9_990, Limit: 100_000})
	test.Eq(t, 10_001, l.Total)
	must.SliceLen(t, 11, l.Variables)
	test.Eq(t, `{"name":"v09999","type":"int","value":9999}`, jsonOf(t, l.Variables[10]))
	l = k.variables(inspect.ListOptions{})
	must.SliceLen(t, inspect.DefaultListed, l.Variables)
	test.LessEq(t, 250, len(l.Variables[0].Name))
	if l = k.variables(inspect.ListOptions{Limit: 100_000}); len(l.Variables) != inspect.MaxListed {
		t.Errorf("%d", len(l.Variables))
	}
	if l = k.variables(inspect.ListOptions{Everything: true}); l.Total != 10_004 {
		t.Errorf("%d with modules, functions and classes", l.Total)
	}
}

func TestPlainValues(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define(`import collections, decimal
a, b, c, d, e, f, g = 42, 2**60, 10**5000, float('nan'), float('-inf'), True, None
h, i, j, l = 'é\ud800"', 'x' * 5000, b'\x00' * 5000, list(range(10**6))
m = {'k': [1, {2: (3,)}], 's': {1}}
n = []; n.append(n)
o = collections.defaultdict(list, {1: [2]})
p = decimal.Decimal('1.50')
q = range(3)`)
	want := map[string]string{
		"a": "42", "b": `"1152921504606846976"`, "c": `"an integer of 16610 bits"`, "d": `"nan"`, "e": `"-inf"`, "f": "true", "g": "null",
		"h": `"é\ufffd\""`, "m": `"{'k': [1, {2: (3,)}], 's': {1}}"`, "n": `"[[[[[…]]]]]"`, "o": `"defaultdict{1: [2]}"`, "p": `"Decimal('1.50')"`, "q": `"range(0, 3)"`,
	}
	for name, value := range want {
		if v := k.value(name); decoded(t, v.Value) != decoded(t, rawOf(value)) {
			t.Errorf("%s: %s, not %s", name, v.Value, value)
		}
	}
	v := k.value("l")
	test.Eq(t, "1000000 items", v.Size)
	test.True(t, v.Truncated)
	test.StrHasSuffix(t, "99, … 999900 more]", said(t, v.Value))
	v = k.value("i")
	must.Eq(t, inspect.DefaultChars+len("…"), len(said(t, v.Value)))
	test.True(t, v.Truncated)
	test.Eq(t, "5000 characters", v.Size)
	v = k.value("j")
	test.Eq(t, "5000 bytes", v.Size)
	test.LessEq(t, 10_000, len(v.Value))
}

func TestHostileObjects(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define(`import time, sys, os
class Raises:
    def __init__(self): self.inner = 5
    def __repr__(self): raise ValueError('no luck')
class Blocks:
    def __repr__(self): time.sleep(60); return 'late'
class Spins:
    def __repr__(self):
        while True: pass
class Stubborn:
    def __repr__(self):
        for n in range(4):
            try: time.sleep(60)
            except BaseException: pass
        raise KeyError(n)
class Huge:
    def __repr__(self): return 'x' * 10**9
class Exits:
    def __repr__(self): sys.exit(3)
class Deep:
    def __repr__(self): return repr(self)
class Text(str):
    def __len__(self): time.sleep(60)
    def __getitem__(self, i): time.sleep(60)
class OddText:
    def __repr__(self): return Text('odd')
class Wrong:
    def __repr__(self): return 7
class Prints:
    def __repr__(self): print('noise'); return 'quiet'
class Meta(type):
    __name__ = property(lambda c: time.sleep(60))
    def __getattribute__(c, n): time.sleep(60)
    def __instancecheck__(c, o): time.sleep(60)
class Liar(metaclass=Meta):
    __class__ = property(lambda s: time.sleep(60))
    __dict__ = property(lambda s: time.sleep(60))
    def __getattribute__(s, n): time.sleep(60)
    def __len__(s): time.sleep(60)
    def __sizeof__(s): time.sleep(60)
    def __repr__(s): return 'liar'
    def __eq__(s, o): time.sleep(60)
    __hash__ = None
raises, blocks, spins, stubborn, huge, exits, deep = Raises(), Blocks(), Spins(), Stubborn(), Huge(), Exits(), Deep()
odd, wrong, prints, liar, text = OddText(), Wrong(), Prints(), Liar(), Text('abc')
many = [Blocks() for _ in range(1000)]`)
	l := k.variables(inspect.ListOptions{})
	got := map[string]inspect.Variable{}
	for _, v := range l.Variables {
		got[v.Name] = v
	}
	must.MapLen(t, 13, got)
	test.Eq(t, "Liar", got["liar"].Type)
	test.Eq(t, "1000 items", got["many"].Size)
	test.Eq(t, "1 attribute", got["raises"].Size)
	test.Eq(t, "3 characters", got["text"].Size)
	for name, v := range got { // each has one, without running any of their code
		if v.Size == "" {
			t.Errorf("%s has no size: %s", name, jsonOf(t, v))
		}
	}
	for name, want := range map[string]string{
		"raises": "raises ValueError: no luck", "blocks": "took too long", "spins": "took too long", "stubborn": "took too long",
		"exits": "raises SystemExit", "deep": "raises RecursionError", "odd": "odd", "wrong": "raises TypeError",
		"prints": "quiet", "liar": "liar", "text": "'abc'", "many": "took too long>, <Blocks",
	} {
		v := k.value(name)
		s := said(t, v.Value)
		test.StrContains(t, s, want, test.Sprint(name))
		test.LessEq(t, 2_100, len(s), test.Sprint(name))
	}
	if v := k.value("raises"); jsonOf(t, v.Attributes) != `[{"name":"inner","type":"int"}]` {
		t.Errorf("%+v", v)
	}
	// A gigabyte is created before it can be cut, which may exceed the time limit.
	s := said(t, k.value("huge").Value)
	must.LessEq(t, 2_100, len(s))
	test.False(t, !strings.HasPrefix(s, "xxx") && !strings.Contains(s, "took too long"))
	if e := k.run("assert 1 == 1"); e != nil {
		t.Errorf("the kernel afterwards: %v", *e)
	}
}

// Objects without a number of items, such as generators, have the size of the object itself, as Python reports it.
func TestSizesWithoutItems(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define(`import itertools, sys
def numbers(): yield 1
async def later(): pass
async def stream(): yield 1
gen, coro, agen, endless, expr = numbers(), later(), stream(), itertools.count(), (i for i in [1])
frame, view, one = gen.gi_frame, memoryview(b'abc'), object()`)
	got := map[string]string{}
	for _, v := range k.variables(inspect.ListOptions{}).Variables {
		got[v.Name] = v.Size
	}
	for _, name := range []string{"gen", "coro", "agen", "endless", "expr", "frame", "view", "one"} {
		var bytes int
		_, err := fmt.Sscanf(got[name], "%d byte", &bytes)
		must.NoError(t, err, must.Sprint(name))
		test.GreaterEq(t, 8, bytes, test.Sprint(name))
		test.LessEq(t, 1000, bytes, test.Sprint(name))
	}
	k.define("coro.close()")
}

// Without an alarm, as on Windows, a thread ends code that takes too long, without effects on the user's cells.
func TestNoAlarm(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define("import signal, threading\nthreads = set(threading.enumerate())\ndel signal.setitimer\nclass C:\n  def __repr__(self):\n    while True: pass\nc, x = C(), 5")
	if s := said(t, k.value("c").Value); !strings.Contains(s, "took too long") {
		t.Errorf("%q", s)
	}
	for range 5 {
		if v := k.value("x"); string(v.Value) != "5" {
			t.Errorf("%+v", v)
		}
	}
	k.define("for n in range(10**6): pass\nassert not set(threading.enumerate()) - threads")
}

// Dotted paths read stored values, and run nothing.
func TestPaths(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define(`import sys, types, numpy, pandas
ran = []
class Slots:
    __slots__ = ('field', 'empty')
class Desc:
    def __get__(self, o, t): ran.append('desc'); return 1
class M:
    shared = 'of the class'
    d = Desc()
    def __init__(self): self.coef_ = numpy.array([1.5, 2]); self.next = None; self.ｆｕｌｌ = 3
    @property
    def p(self): ran.append('p'); return 1
    def __getattr__(self, n): ran.append(n); return 1
    def method(self): ran.append('method')
    @staticmethod
    def static(): ran.append('static')
m = M(); m.next = M(); m.next.deep = {'a': 1}
s = Slots(); s.field = 'in a slot'
mod = types.ModuleType('mod'); mod.x = 4
mod.__getattr__ = lambda n: ran.append(n)
df = pandas.DataFrame({'price': [1, 2], 'shape': [3, 4]})
日本 = 'unicode'`)
	for name, want := range map[string]string{
		"m.coef_": `"[1.5 2. ]"`, "m.next.deep": `"{'a': 1}"`, "m.shared": `"of the class"`, "s.field": `"in a slot"`, "mod.x": "4",
		"日本": `"unicode"`, "m.full": "3", "M.shared": `"of the class"`, "m.next.next": "null", "m.coef_.size": "2",
	} {
		v := k.value(name)
		test.Eq(t, want, string(v.Value))
		test.Eq(t, name, v.Name)
	}
	for _, name := range []string{"df.price", "df.shape"} { // a column is meant
		v := k.value(name)
		test.Eq(t, "Series", v.Type)
		must.NotNil(t, v.Frame)
		test.Eq(t, "2 rows", v.Size)
	}
	for name, code := range map[string]string{
		"m.p": "not_readable", "m.d": "not_readable", "m.nope": "variable_not_found", "s.empty": "not_readable", "mod.y": "variable_not_found",
		"df.T": "not_readable", "nope": "variable_not_found", "nope.x": "variable_not_found", "m.next.next.x": "variable_not_found",
	} {
		var r *inspect.Refusal
		_, err := inspect.Value(t.Context(), k, name, inspect.DetailOptions{})
		must.True(t, errors.As(err, &r), must.Sprint(name))
		test.Eq(t, code, r.Code, test.Sprint(name))
		test.NotEq(t, "", r.Message, test.Sprint(name))
	}
	k.value("m.method")
	k.value("m.static")
	if got := k.eval("ran"); got != "[]" {
		t.Errorf("run by reading: %s", got)
	}
}

func TestCheckName(t *testing.T) {
	for _, name := range []string{"df", "_x1", "model.coef_", "a.b.c", "日本.x", "é"} {
		if err := inspect.CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{
		"", ".", "a.", ".a", "a..b", "f()", "a[0]", "a['k']", "1a", "a b", "a\nb", "a;b", "a.b()", "a+b", "'a'", "__import__", "a.__class__",
		"a\x00", "a\xff", "\u0301a", "a'", "a\\", "a\u2028b", strings.Repeat("a", inspect.MaxName+1),
	} {
		var e *inspect.NameError
		err := inspect.CheckName(name)
		must.True(t, errors.As(err, &e), must.Sprint(name))
		test.LessEq(t, 800, len(err.Error()), test.Sprint(name))
		if _, err := inspect.Value(t.Context(), scripted{language: "python"}, name, inspect.DetailOptions{}); !errors.As(err, &e) {
			t.Errorf("%.50q is asked for: %v", name, err)
		}
		if _, err := inspect.DataFrame(t.Context(), scripted{language: "python"}, name, inspect.TableOptions{}); !errors.As(err, &e) {
			t.Errorf("%.50q is asked for: %v", name, err)
		}
	}
	msg := fmt.Sprint(inspect.CheckName("f()"))
	test.StrContains(t, msg, `"f()"`)
	test.StrContains(t, msg, "identifier")
}
