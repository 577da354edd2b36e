package inspect_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/inspect"
)

func TestDataFrame(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define(`import pandas as pd, numpy as np, datetime, uuid
from decimal import Decimal
df = pd.DataFrame({
  'n': [1.5, None, float('inf')], 'at': pd.to_datetime(['2024-01-01', None, '2024-01-03']), 'tz': pd.to_datetime(['2024-01-01', None, '2024-01-03'], utc=True),
  'dec': [Decimal('1.50'), Decimal('NaN'), None], 'cat': pd.Categorical(['x', 'y', 'x']), 'int': pd.array([2**60, None, 3], dtype='Int64'),
  'flag': [True, False, True], 'text': ['é\u2028<', None, 'b' * 1000], 'odd': [[1, {2}], pd.Timedelta('1h'), b'raw'],
  'per': pd.period_range('2024-01', periods=3, freq='M'), 'z': [1j, 2j, np.nan], 'day': [datetime.date(2024, 1, 1), pd.NaT, pd.NA],
})
multi = pd.DataFrame([[1, 2], [3, 4]], columns=pd.MultiIndex.from_tuples([('a', 'x'), ('a', 'y')]), index=pd.MultiIndex.from_tuples([(1, 'p'), (2, 'q')], names=['n', None]))
dup = pd.DataFrame([[1, 2, 3, 4]], columns=['a', 'a', 'a #2', 7])
empty = pd.DataFrame()
series = pd.Series([1, 2, 3, 4], name='s')
not_a_frame = [1]`)
	f := k.frame("df", inspect.TableOptions{HeadRows: 2})
	test.Eq(t, "[3,12]", jsonOf(t, f.Shape))
	test.SliceEqOp(t, []string{"n", "at", "tz", "dec", "cat", "int", "flag", "text", "odd", "per", "z", "day"}, f.Columns)
	test.Eq(t, "DataFrame", f.Type)
	must.NotNil(t, f.Memory)
	test.GreaterEq(t, 500, *f.Memory)
	test.Nil(t, f.Index)
	equal(t, "head", f.Head, `[{"n":1.5,"at":"2024-01-01T00:00:00","tz":"2024-01-01T00:00:00+00:00","dec":"1.50","cat":"x","int":"1152921504606846976",`+
		`"flag":true,"text":"é\u2028<","odd":"[1, {2}]","per":"2024-01","z":"1j","day":"2024-01-01"},`+
		`{"n":null,"at":null,"tz":null,"dec":null,"cat":"y","int":null,"flag":false,"text":null,"odd":"0 days 01:00:00","per":"2024-02","z":"2j","day":null}]`)
	equal(t, "missing", f.Missing, `{"n":1,"at":1,"tz":1,"dec":2,"cat":0,"int":1,"flag":0,"text":1,"odd":0,"per":0,"z":1,"day":2}`)
	var types, figures map[string]any
	must.NoError(t, json.Unmarshal(f.DTypes, &types))
	must.NoError(t, json.Unmarshal(f.Figures, &figures))
	test.EqOp[any](t, "category", types["cat"])
	test.EqOp[any](t, "Int64", types["int"])
	test.EqOp[any](t, "float64", types["n"])
	test.StrHasPrefix(t, "datetime64[", types["at"].(string))
	if at := jsonOf(t, figures["at"]); at != `{"count":2,"max":"2024-01-03T00:00:00","min":"2024-01-01T00:00:00","unique":2}` {
		t.Errorf("%s", at)
	}
	if cat := jsonOf(t, figures["cat"]); cat != `{"count":3,"freq":2,"top":"x","unique":2}` {
		t.Errorf("%s", cat)
	}
	n, _ := figures["n"].(map[string]any)
	test.EqOp[any](t, "inf", n["max"])
	test.EqOp[any](t, 2.0, n["count"])
	test.EqOp[any](t, 1.5, n["min"])

	f = k.frame("multi", inspect.TableOptions{})
	equal(t, "index", f.Index, `{"type":"MultiIndex","names":["n",null]}`)
	equal(t, "head", f.Head, `[{"('a', 'x')":1,"('a', 'y')":2},{"('a', 'x')":3,"('a', 'y')":4}]`)
	equal(t, "labels", f.HeadIdx, `["(1, 'p')","(2, 'q')"]`)

	f = k.frame("dup", inspect.TableOptions{})
	test.SliceEqOp(t, []string{"a", "a #3", "a #2", "7"}, f.Columns)
	test.SliceLen(t, 1, f.Notes)
	equal(t, "head", f.Head, `[{"a":1,"a #3":2,"a #2":3,"7":4}]`)

	f = k.frame("empty", inspect.TableOptions{})
	test.Eq(t, "[0,0]", jsonOf(t, f.Shape))
	test.NotNil(t, f.Columns)
	f = k.frame("series", inspect.TableOptions{NoHead: true})
	test.Eq(t, "Series", f.Type)
	test.Nil(t, f.Head)
	equal(t, "describe", f.Figures, `{"s":{"count":4,"mean":2.5,"std":1.2909944487358056,"min":1,"25%":1.75,"50%":2.5,"75%":3.25,"max":4,"unique":4}}`)
	v := k.value("df")
	must.NotNil(t, v.Frame)
	must.Nil(t, v.Value)
	test.Eq(t, "3 rows × 12 cols", v.Size)
	var r *inspect.Refusal
	_, err := inspect.DataFrame(t.Context(), k, "not_a_frame", inspect.TableOptions{})
	must.True(t, errors.As(err, &r))
	test.Eq(t, "not_a_dataframe", r.Code)
	test.StrContains(t, r.Message, "list")
	for _, v := range k.variables(inspect.ListOptions{}).Variables {
		if v.Name == "df" && jsonOf(t, v) != `{"name":"df","type":"DataFrame","size":"3 rows × 12 cols"}` {
			t.Errorf("%s", jsonOf(t, v))
		}
	}
}

func TestLargeTables(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define(`import pandas as pd, numpy as np, time
n = 10**7
big = pd.DataFrame({'i': np.arange(n, dtype='int32'), 'b': np.zeros(n, dtype=bool), 'c': pd.Categorical.from_codes(np.zeros(n, dtype='int8'), ['x'])})
wide = pd.DataFrame(np.zeros((200, 5000)), columns=['あ' * 1000 + str(i) for i in range(5000)])
long = pd.DataFrame({str(i): ['é' * 10**5] * 100 for i in range(200)})
class Blocks:
    def __repr__(self): time.sleep(60)
    def __eq__(self, o): time.sleep(60)
    def __hash__(self): return 1
hostile = pd.DataFrame({'o': [Blocks() for _ in range(50)], 'k': range(50)})`)
	f := k.frame("big", inspect.TableOptions{})
	test.Eq(t, "[10000000,3]", jsonOf(t, f.Shape))
	must.GreaterEq(t, 2, len(f.Notes))
	must.NotNil(t, f.Memory)
	test.GreaterEq(t, 6e7, *f.Memory)
	for _, name := range []string{"wide", "long", "hostile"} {
		f = k.frame(name, inspect.TableOptions{HeadRows: inspect.MaxHeadRows, MaxColumns: inspect.MaxColumns})
		// On a busy machine the rows may exceed their time limit.
		late := strings.Contains(strings.Join(f.Notes, " "), "it took too long")
		b := jsonOf(t, f)
		must.LessEq(t, 450_000, len(b))
		test.False(t, name != "hostile" && len(f.Notes) == 0)
		test.False(t, len(f.Head) < 10 && !late)
		v := k.value(name)
		b = jsonOf(t, v)
		must.NotNil(t, v.Frame, must.Sprint(name))
		test.LessEq(t, 450_000, len(b), test.Sprint(name))
	}
	must.NotNil(t, f.Shape[1])
	test.Eq(t, 2, *f.Shape[1])
	test.StrContains(t, string(f.Figures), `"k":{"count":50`)
}

// fakes have the names and the few methods of libraries that are large to install, and of some that TestRealLibraries has
// as real objects, without the slow ones.
const fakes = `import time, numpy as np, pandas as pd
def fake(module, name, **members):
    bases = members.pop('bases', ())
    cls = type(name, bases, dict(members, __module__=module))
    return cls
class Col:
    def __init__(self, v): self.v = v
    def null_count(self): return sum(x is None for x in self.v)
    def drop_nulls(self): return Col([x for x in self.v if x is not None])
    def n_unique(self): return len(set(self.v))
    def mean(self): return np.float64(np.mean(self.drop_nulls().v))
    def std(self): return 1.0
    def min(self): return min(self.drop_nulls().v)
    def max(self): return max(self.drop_nulls().v)
    def quantile(self, q, how): return float(q)
    def head(self, n): return Col(self.v[:n])
    def to_list(self): return self.v
data = {'a': [1, None, 3], 's': ['x', 'y', None]}
pl = fake('polars.dataframe.frame', 'DataFrame', shape=(3, 2), columns=['a', 's'], dtypes=['Int64', 'String'], estimated_size=lambda s: 40, to_series=lambda s, i: Col(list(data.values())[i]))()
lazy = fake('polars.lazyframe.frame', 'LazyFrame', columns=property(lambda s: time.sleep(60)))()
mp = fake('modin.pandas.dataframe', 'DataFrame', bases=(pd.DataFrame,))(data)
slow = fake('modin.pandas.dataframe', 'DataFrame', shape=property(lambda s: time.sleep(60)))()
tensor = fake('torch', 'Tensor', shape=(2, 3), dtype='torch.float32', __repr__=lambda s: 'tensor([[0., 0.]])')()
grad = fake('torch.nn.parameter', 'Parameter', bases=(type(tensor),), dtype='torch.float32')()
xa = fake('xarray.core.dataarray', 'DataArray', shape=(4,), dtype='float64', __repr__=lambda s: '<xarray.DataArray (x: 4)>')()
xd = fake('xarray.core.dataset', 'Dataset', sizes={'x': 4, 'y': 2}, __repr__=lambda s: '<xarray.Dataset>')()
dask = fake('dask.dataframe.core', 'DataFrame', columns=['a', 'b'], __repr__=lambda s: 'Dask DataFrame')()
npa = np.arange(10**7).reshape(1000, -1)
npo = np.array([1, 'x', None], dtype=object)
nps = np.float64('nan')
npi = np.int64(5)`

func TestLibraries(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define(fakes)
	k.sizes(map[string]string{
		"pl": "3 rows × 2 cols", "lazy": "not computed", "mp": "3 rows × 2 cols", "slow": "unknown: it took too long",
		"tensor": "2 × 3 torch.float32", "grad": "2 × 3 torch.float32", "xa": "4 float64", "xd": "x 4 × y 2", "dask": "? rows × 2 cols",
		"npa": "1000 × 10000 int64", "npo": "3 object",
	})
	for _, name := range []string{"pl", "mp"} {
		figures := k.threeRows(name)
		a := figures["a"]
		test.EqOp[any](t, 2.0, a["count"], test.Sprint(name, figures))
		test.EqOp[any](t, 2.0, a["mean"], test.Sprint(name, figures))
		test.EqOp[any](t, 3.0, a["max"], test.Sprint(name, figures))
	}
	var r *inspect.Refusal
	_, err := inspect.DataFrame(t.Context(), k, "slow", inspect.TableOptions{})
	must.True(t, errors.As(err, &r))
	test.Eq(t, "not_readable", r.Code)
	for name, want := range map[string]string{
		"tensor": "tensor([[0., 0.]])", "xa": "<xarray.DataArray (x: 4)>", "xd": "<xarray.Dataset>", "dask": "Dask DataFrame",
		"npa": " ... ", "npo": "[1 'x' None]", "slow": "modin", "nps": "nan", "npi": "5",
	} {
		v := k.value(name)
		s := said(t, v.Value)
		test.StrContains(t, s, want, test.Sprint(name))
		test.LessEq(t, 2_100, len(s), test.Sprint(name))
	}
}

// reals are the originals of fakes, for the libraries that are small enough.
const reals = `import polars, pyarrow, xarray, numpy
data = {'a': [1, None, 3], 's': ['x', 'y', None]}
pl = polars.DataFrame(data)
lazy = pl.lazy().with_columns(polars.col('a').map_elements(lambda v: __import__('time').sleep(60), return_dtype=polars.Int64))
col = pl['a']
table = pyarrow.table(data)
many = pyarrow.chunked_array([[1, 2], [3]])
xa = xarray.DataArray(numpy.zeros(4), dims='x')
xd = xarray.Dataset({'v': (('x', 'y'), numpy.zeros((4, 2)))})
wide = polars.DataFrame({f'c{i}': ['x' * 10_000] * 2 for i in range(3_000)})
nested = polars.DataFrame({'l': [None, [1, None]], 'd': [{'k': 1.5}, None], 't': [None, __import__('datetime').datetime(2026, 1, 2)]})`

func TestRealLibraries(t *testing.T) {
	t.Parallel()
	k := startKernel(t)
	k.define(reals)
	k.sizes(map[string]string{
		"pl": "3 rows × 2 cols", "lazy": "not computed", "table": "3 rows × 2 cols", "xa": "4 float64", "xd": "x 4 × y 2", "wide": "2 rows × 3000 cols",
	})
	for _, name := range []string{"pl", "table"} {
		figures := k.threeRows(name)
		a := figures["a"]
		test.EqOp[any](t, 2.0, a["count"], test.Sprint(figures))
		test.False(t, name == "pl" && (a["mean"] != 2.0 || a["max"] != 3.0), test.Sprint(figures))
	}
	if b := jsonOf(t, k.frame("wide", inspect.TableOptions{MaxColumns: inspect.MaxColumns, HeadRows: inspect.MaxHeadRows})); len(b) > 450_000 {
		t.Errorf("wide: %d bytes", len(b))
	}
	head := string(k.frame("nested", inspect.TableOptions{}).Head)
	test.True(t, json.Valid([]byte(head)), test.Sprint("nested"))
	test.StrContains(t, head, "2026-01-02", test.Sprint("nested"))
	for name, want := range map[string]string{"lazy": "LazyFrame", "xa": "xarray.DataArray", "xd": "xarray.Dataset", "col": "3", "many": "3"} {
		v := k.value(name)
		s := jsonOf(t, v)
		test.StrContains(t, s, want, test.Sprint(name))
		test.LessEq(t, 4_000, len(s), test.Sprint(name))
	}
}

// sizes compares the listed sizes of variables with the wanted ones.
func (k testKernel) sizes(want map[string]string) {
	k.t.Helper()
	sizes := map[string]string{}
	for _, v := range k.variables(inspect.ListOptions{}).Variables {
		sizes[v.Name] = v.Size
	}
	for name, want := range want {
		if sizes[name] != want {
			k.t.Errorf("%s: %q, not %q", name, sizes[name], want)
		}
	}
}

// threeRows reads the small table that several libraries have, and returns the figures of its columns.
func (k testKernel) threeRows(name string) (figures map[string]map[string]any) {
	t := k.t
	t.Helper()
	f := k.frame(name, inspect.TableOptions{})
	test.Eq(t, "[3,2]", jsonOf(t, f.Shape), test.Sprint(name))
	test.SliceEqOp(t, []string{"a", "s"}, f.Columns, test.Sprint(name))
	must.NotNil(t, f.Memory, must.Sprint(name))
	test.LessEq(t, 0, len(f.Notes), test.Sprint(name))
	equal(t, name, f.Missing, `{"a":1,"s":1}`)
	equal(t, name, f.Head, `[{"a":1,"s":"x"},{"a":null,"s":"y"},{"a":3,"s":null}]`)
	must.NoError(t, json.Unmarshal(f.Figures, &figures))
	return figures
}

func equal(t *testing.T, what string, got json.RawMessage, want string) {
	t.Helper()
	if string(got) == want {
		return
	}
	if a, b := jsonOf(t, decoded(t, got)), jsonOf(t, decoded(t, rawOf(want))); a != b {
		t.Errorf("%s:\n%s\nnot\n%s", what, a, b)
	}
}
