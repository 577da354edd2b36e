package inspect_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// TestJulia has parts, so that one server and one kernel are started and the inspection is compiled once. A part's
// definitions stay: Julia cannot remove a name.
func TestJulia(t *testing.T) {
	t.Parallel()
	s := jupytertest.Start(t, jupytertest.WithoutCollaboration(), jupytertest.WithJulia(t))
	k := kernelOf(t, s, "julia")
	k.define("tfirst = (a = [1], b = [\"x\"]); nothing")
	k.variables(inspect.ListOptions{})
	k.value("tfirst")
	k.frame("tfirst", inspect.TableOptions{})
	for _, part := range []struct {
		name string
		test func(*testing.T, testKernel)
	}{
		{"trace", juliaTrace},
		{"values", juliaValues},
		{"frames", juliaFrames},
		{"packages", juliaPackages},
		{"paths", juliaPaths},
		{"literals", juliaLiterals},
		{"large", juliaLarge},
		{"hostile", juliaHostile},
		{"shadowed", juliaShadowed},
	} {
		t.Run(part.name, func(t *testing.T) {
			k.t = t
			part.test(t, k)
		})
	}
}

// juliaSays returns an expression's value as Julia shows it. Evaluating it leaves ans unchanged.
func (k testKernel) juliaSays(expression string) string {
	k.t.Helper()
	return k.evalAfter("ans", expression)
}

// The traces that an inspection could leave in the kernel, except ans and the content of __toplevel__.
const juliaSnapshot = `join(map(string, Any[names(Main, all = true, imported = true), sort(map(string, collect(keys(Base.loaded_modules)))), In, Out, IJulia.n,
  objectid(stdout), objectid(stderr), pwd(), sort(collect(ENV)), LOAD_PATH, DEPOT_PATH, length(Base.Docs.modules), Base.package_callbacks, Base.atexit_hooks,
  length(methods(show)), length(methods(length)), length(names(Base, all = true)), length(names(Base.__toplevel__, all = true))]), "\n")`

func juliaTrace(t *testing.T, k testKernel) {
	k.define("tr = (a = [1, missing], b = [\"x\", \"y\"]); tf(x) = 1; struct TS; n; end; ts = TS(5); nothing")
	k.define("tx = [1, 2]")
	k.define("6 * 7")
	if e := k.run("error(\"no\")"); e == nil {
		t.Fatal("no error")
	}
	count := func() int { return k.count("ans") }
	look := func() {
		k.variables(inspect.ListOptions{Everything: true})
		for _, name := range []string{"tx", "tf", "ts", "tr", "tr.a", "ts.n", "ans", "Out"} {
			k.value(name)
		}
		k.frame("tr", inspect.TableOptions{})
		for _, name := range []string{"no_such", "pi", "tr.c", "ts.m"} {
			refused(t, k, name, "variable_not_found")
		}
	}
	k.juliaSays(juliaSnapshot)
	look() // the source stays, once
	before, n := k.juliaSays(juliaSnapshot), count()
	look()
	after := k.juliaSays(juliaSnapshot)
	test.Eq(t, before, after)
	test.StrContains(t, before, "tf")
	if after := count(); after != n {
		t.Errorf("%d executions are counted, not %d", after, n)
	}
	if got := k.juliaSays("(ans, count(n -> startswith(string(n), \"nbduet\"), names(Base.__toplevel__, all = true)))"); got != "(42, 1)" {
		t.Errorf("ans and how often the source is there: %s", got)
	}
	// A name that was looked up can still be defined.
	k.define("pi = 3; no_such = 4; nothing")
	if v := k.value("pi"); string(v.Value) != "3" {
		t.Errorf("%s", jsonOf(t, v))
	}
	// The user's objects are released.
	k.define("gone = Ref(false); held = finalizer(x -> gone[] = true, Ref([1])); nothing")
	k.value("held")
	k.variables(inspect.ListOptions{})
	k.define("held = nothing; GC.gc(); nothing")
	k.define("GC.gc(); nothing")
	if got := k.juliaSays("gone[]"); got != "true" {
		t.Errorf("it is kept: %s", got)
	}
}

func juliaValues(t *testing.T, k testKernel) {
	k.define(`using Dates
va = 42; vb = 1e300; vc = NaN; vd = -Inf; ve = true; vf = nothing; vg = missing; vh = "\u00e9\"\\\n\u2028\$x"; vi = 0.1 + 0.2; vj = "x"^5000; vk = [1, missing, 3]; vl = collect(1:1000)
vm = Dict("a" => 1); vn = 2//3; vo = 1 + 2im; vp = [1 2 3; 4 5 6]; vq = :sym; vr = 'c'; vs = (1, "b", nothing); vt = (a = 1, b = [2.5]); vu = Set([7]); vv = big(2)^70; vw = big(2)^2200
v0 = 2^60; v1 = 0x0f; v2 = 1.5f0; v3 = 1:10; v4 = 0:0.5:2; v5 = Date(2024, 5, 1); v6 = DateTime(2024, 5, 1, 12, 30); v7 = Day(3); v8 = pi_ = Base.MathConstants.pi; v9 = r"a+"
struct Point; x; y::Float64; end
mutable struct Node; next; Node() = new(); end
wa = Point([1], 2); wb = Node(); wc = Node(); wc.next = wc; wd = :(a + b); we = Int64[]; wf = "\xff\xfe"; wg = SubString("hello", 2, 4); wh = trues(3); wi = Any[1, "b", 'c', :d]; wj = v"1.2.3"
wk = zeros(2, 3, 4); wl = 1 => "x"; wm = Ref(5); wn = Vector{String}(undef, 2); wo = BigFloat("1.5"); wp = Float32[1, 2]; wq = IdDict(1 => 2); wr! = 5; ẋ₁ = 6; ws = Time(1, 2, 3); @enum Fruit apple pear
wt = pear; wu = Complex{Float32}(1, -2); wv = 10:-2:1; ww = typemax(UInt64); wx = '\u0001'; wy = Vector{Int}; wz(a) = 1; _hidden = 1; nothing`)
	for name, want := range map[string]string{
		"va": "42", "vb": "1e300", "vc": `"NaN"`, "vd": `"-Inf"`, "ve": "true", "vf": "null", "vg": "null", "vh": `"é\"\\\n\u2028$x"`, "vi": "0.30000000000000004",
		"vk": `"[1, missing, 3]"`, "vm": `"Dict(\"a\" => 1)"`, "vn": `"2//3"`, "vo": `"1 + 2im"`, "vp": `"[1 2 3; 4 5 6]"`, "vq": `"sym"`, "vr": `"c"`, "vs": `"(1, \"b\", nothing)"`,
		"vt": `"(a = 1, b = [2.5])"`, "vu": `"Set([7])"`, "vv": `"1180591620717411303424"`, "vw": `"an integer of about 2240 bits"`, "v0": `"1152921504606846976"`, "v1": "15",
		"v2": "1.5", "v3": `"1:10"`, "v4": `"0.0:0.5:2.0"`, "v5": `"2024-05-01"`, "v6": `"2024-05-01T12:30:00"`, "v7": `"3 days"`, "v8": `"π"`, "v9": `"r\"a+\""`,
		"wa": `"Point([1], 2.0)"`, "wb": `"Node(#undef)"`, "wd": `"Expr(:call, [:+, :a, :b])"`, "we": `"[]"`, "wf": `"��"`, "wg": `"ell"`, "wh": `"[true, true, true]"`,
		"wi": `"[1, \"b\", 'c', :d]"`, "wj": `"v\"1.2.3\""`, "wl": `"1 => \"x\""`, "wm": `"RefValue(5)"`, "wn": `"[#undef, #undef]"`, "wp": `"[1.0, 2.0]"`, "wq": `"IdDict(1 => 2)"`,
		"wr!": "5", "ẋ₁": "6", "ws": `"01:02:03"`, "wt": `"Fruit(1)"`, "wu": `"1.0 - 2.0im"`, "wv": `"10:-2:2"`, "ww": `"18446744073709551615"`, "wx": `"\u0001"`, "wy": `"Vector{Int64}"`,
		"_hidden": "1", "wz": `"wz"`, "vt.b": `"[2.5]"`, "wa.y": "2", "Main.va": "42",
	} {
		v := k.value(name)
		test.EqOp(t, decoded(t, rawOf(want)), decoded(t, v.Value))
		test.Eq(t, name, v.Name)
		test.False(t, v.Truncated)
	}
	v := k.value("vj")
	must.Eq(t, inspect.DefaultChars+len("…"), len(said(t, v.Value)))
	test.True(t, v.Truncated)
	test.Eq(t, "5000 characters", v.Size)
	v = k.value("vl")
	test.Eq(t, "1000 items", v.Size)
	test.True(t, v.Truncated)
	test.StrHasSuffix(t, "100, … 900 more]", said(t, v.Value))
	v = k.value("wa")
	test.Eq(t, "Main", v.Module)
	test.Eq(t, "2 fields", v.Size)
	test.Eq(t, `[{"name":"x","type":"Vector{Int64}"},{"name":"y","type":"Float64"}]`, jsonOf(t, v.Attributes))
	v = k.value("wc")
	test.True(t, v.Truncated)
	test.Eq(t, "Node(Node(Node(Node(Node(…)))))", said(t, v.Value))
	if v := k.value("wo"); !strings.HasPrefix(said(t, v.Value), "1.5") {
		t.Errorf("%s", jsonOf(t, v))
	}
	l := k.variables(inspect.ListOptions{Limit: inspect.MaxListed})
	got := map[string]string{}
	for _, v := range l.Variables {
		name := v.Name
		v.Name = ""
		got[name] = jsonOf(t, v)
	}
	for name, want := range map[string]string{
		"va": `{"name":"","type":"Int64","value":42}`, "ve": `{"name":"","type":"Bool","value":true}`, "vf": `{"name":"","type":"Nothing","value":null}`,
		"vk": `{"name":"","type":"Vector{Union{Missing, Int64}}","size":"3 items"}`, "vp": `{"name":"","type":"Matrix{Int64}","size":"2 × 3 Int64"}`, "vm": `{"name":"","type":"Dict{String, Int64}","size":"1 item"}`,
		"wk": `{"name":"","type":"Array{Float64, 3}","size":"2 × 3 × 4 Float64"}`, "vt": `{"name":"","type":"NamedTuple","size":"2 items"}`, "wa": `{"name":"","type":"Point","size":"2 fields"}`,
		"v3": `{"name":"","type":"UnitRange{Int64}","size":"10 items"}`, "vj": `{"name":"","type":"String","size":"5000 characters","value":"` + strings.Repeat("x", 100) + `…"}`,
	} {
		if got[name] != want {
			t.Errorf("%s: %s, not %s", name, got[name], want)
		}
	}
	for _, name := range []string{"wz", "wy", "Point", "_hidden", "ans", "In", "Out", "clear_history", "IJulia", "Main", "Base", "eval"} {
		test.Eq(t, "", got[name])
		test.Eq(t, len(got), l.Total)
	}
	all := k.variables(inspect.ListOptions{Limit: inspect.MaxListed, Everything: true})
	names := []string{}
	for _, v := range all.Variables {
		names = append(names, v.Name)
	}
	test.SliceContainsOp(t, names, "wz")
	test.SliceContainsOp(t, names, "Point")
	test.False(t, slices.Contains(names, "ans"))
	test.False(t, slices.Contains(names, "eval"))
	// Values without items are counted in bytes, with their content.
	k.define("zempty() = 1; zover = let a = zeros(1000), b = \"abc\"; () -> (a, b); end; struct ZNone end; znone = ZNone(); primitive type ZBits 16 end; zbits = reinterpret(ZBits, 0x0001); module ZMod; za = 1; end; nothing")
	for name, want := range map[string]string{"zempty": "0 bytes", "znone": "0 bytes", "zbits": "2 bytes", "zover": "8019 bytes", "Point": "2 fields", "ZNone": "0 fields"} {
		if v := k.value(name); v.Size != want {
			t.Errorf("%s: %s, not %s", name, jsonOf(t, v), want)
		}
	}
	if v := k.value("ZMod"); !strings.HasSuffix(v.Size, " names") {
		t.Errorf("%s", jsonOf(t, v))
	}
	l = k.variables(inspect.ListOptions{Limit: inspect.MaxListed})
	part := k.variables(inspect.ListOptions{Offset: 1, Limit: 2})
	test.Eq(t, l.Total, part.Total)
	must.SliceLen(t, 2, part.Variables)
	test.Eq(t, l.Variables[1].Name, part.Variables[0].Name)
	part = k.variables(inspect.ListOptions{Offset: 100_000})
	test.Eq(t, l.Total, part.Total)
	test.SliceEmpty(t, part.Variables)
}

func juliaFrames(t *testing.T, k testKernel) {
	k.define(`fa = (n = [1.5, missing, Inf], i = [1, missing, 3], f = Float32[1, 2, 3], d = [Date(2024, 1, 1), missing, Date(2024, 1, 3)], s = ["\u00e9\"\n", missing, "b"^1000], b = [true, missing, false],
  z = [1im, 2, 3], q = [1//2, 1, 2], l = Any[[1, 2], nothing, "x"], y = [:u, :v, :u], r = 1:3, t = trues(3), big = [2^60, 1, 2], m = [1.0, NaN, 2.0], e = [Date(2024, 1, 2), Date(2024, 1, 1), Date(2025, 1, 1)])
fb = [(a = 1, b = "x"), (a = 2, b = "y"), (a = 3, b = "y"), (a = 4, b = "z")]
fc = (a = [1, 2], b = [1]); fd = [1, 2]; fe = (x = Float64[],); ff = NamedTuple{(:a,),Tuple{Int}}[]; nothing`)
	k.frame("fa", inspect.TableOptions{}) // the loops for these columns are compiled
	f := k.frame("fa", inspect.TableOptions{HeadRows: 2})
	test.Eq(t, "[3,15]", jsonOf(t, f.Shape))
	test.SliceEqOp(t, strings.Fields("n i f d s b z q l y r t big m e"), f.Columns)
	test.Eq(t, "NamedTuple", f.Type)
	must.Nil(t, f.Index)
	must.NotNil(t, f.Memory)
	test.GreaterEq(t, 1000, *f.Memory)
	test.Nil(t, f.Notes)
	equal(t, "dtypes", f.DTypes, `{"n":"Union{Missing, Float64}","i":"Union{Missing, Int64}","f":"Float32","d":"Union{Missing, Date}","s":"Union{Missing, String}","b":"Union{Missing, Bool}",`+
		`"z":"Complex{Int64}","q":"Rational{Int64}","l":"Any","y":"Symbol","r":"Int64","t":"Bool","big":"Int64","m":"Float64","e":"Date"}`)
	equal(t, "head", f.Head, `[{"n":1.5,"i":1,"f":1,"d":"2024-01-01","s":"é\"\n","b":true,"z":"0 + 1im","q":"1//2","l":"[1, 2]","y":"u","r":1,"t":true,"big":"1152921504606846976","m":1,"e":"2024-01-02"},`+
		`{"n":null,"i":null,"f":2,"d":null,"s":null,"b":null,"z":"2 + 0im","q":"1//1","l":null,"y":"v","r":2,"t":true,"big":1,"m":"NaN","e":"2024-01-01"}]`)
	equal(t, "missing", f.Missing, `{"n":1,"i":1,"f":0,"d":1,"s":1,"b":1,"z":0,"q":0,"l":1,"y":0,"r":0,"t":0,"big":0,"m":0,"e":0}`)
	var figures map[string]json.RawMessage
	must.NoError(t, json.Unmarshal(f.Figures, &figures))
	for name, want := range map[string]string{
		"n": `{"count":2,"mean":"Inf","std":"NaN","min":1.5,"25%":"Inf","50%":"Inf","75%":"Inf","max":"Inf"}`,
		"i": `{"count":2,"mean":2,"std":1.4142135623730951,"min":1,"25%":1.5,"50%":2,"75%":2.5,"max":3}`,
		"f": `{"count":3,"mean":2,"std":1,"min":1,"25%":1.5,"50%":2,"75%":2.5,"max":3}`, "r": `{"count":3,"mean":2,"std":1,"min":1,"25%":1.5,"50%":2,"75%":2.5,"max":3}`,
		"d": `{"count":2,"min":"2024-01-01","max":"2024-01-03"}`, "b": `{"count":2,"unique":2,"top":true,"freq":1}`, "y": `{"count":3,"unique":2,"top":"u","freq":2}`,
		"e": `{"count":3,"min":"2024-01-01","max":"2025-01-01"}`, "z": `{"count":3}`, "l": `{"count":2}`, "t": `{"count":3,"unique":1,"top":true,"freq":3}`,
		"m": `{"count":3,"mean":"NaN","std":"NaN","min":"NaN","25%":1.5,"50%":2,"75%":"NaN","max":"NaN"}`,
	} {
		equal(t, name, figures[name], want)
	}
	if big := string(figures["big"]); !strings.Contains(big, `"max":"1152921504606846976"`) {
		t.Errorf("%s", big)
	}
	f = k.frame("fb", inspect.TableOptions{MaxColumns: 1, HeadRows: 1})
	test.Eq(t, "[4,2]", jsonOf(t, f.Shape))
	must.SliceLen(t, 1, f.Notes)
	test.Eq(t, "Vector{NamedTuple}", f.Type)
	equal(t, "rows", f.Head, `[{"a":1}]`)
	equal(t, "rows", f.Figures, `{"a":{"count":4,"mean":2.5,"std":1.2909944487358056,"min":1,"25%":1.75,"50%":2.5,"75%":3.25,"max":4}}`)
	f = k.frame("fa.i", inspect.TableOptions{})
	equal(t, "column", f.Head, `[{"i":1},{"i":null},{"i":3}]`)
	f = k.frame("fe", inspect.TableOptions{})
	equal(t, "none", f.Figures, `{"x":{"count":0}}`)
	f = k.frame("ff", inspect.TableOptions{NoHead: true})
	test.Eq(t, "[0,1]", jsonOf(t, f.Shape))
	test.Nil(t, f.Head)
	for name, kind := range map[string]string{"fc": "NamedTuple", "fd": "Vector{Int64}", "va": "Int64"} {
		var r *inspect.Refusal
		_, err := inspect.DataFrame(t.Context(), k, name, inspect.TableOptions{})
		must.True(t, errors.As(err, &r))
		test.Eq(t, "not_a_dataframe", r.Code)
		test.StrContains(t, r.Message, kind)
	}
}
