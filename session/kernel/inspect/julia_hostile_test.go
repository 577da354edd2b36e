package inspect_test

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// fakeModules have the names and fields of packages that Base lacks, and are packages to Julia.
const fakeModules = `pran = Ref(0)
package(code) = Core.eval(Base.__toplevel__, Meta.parse(code))
pd = package("module DataFrames; struct Index; lookup::Dict{Symbol,Int}; names::Vector{Symbol}; end; mutable struct DataFrame; columns::Vector{AbstractVector}; colindex::Index; end; end")
pp = package("module PooledArrays; mutable struct PooledArray{T,R,N,RA} <: AbstractArray{T,N}; refs::RA; pool::Vector{T}; invpool::Dict{T,R}; end; end")
pc = package("module CategoricalArrays; mutable struct CategoricalPool{T,R}; levels::Vector{T}; invindex::Dict{T,R}; end; mutable struct CategoricalArray{T,N,R} <: AbstractArray{T,N}; refs::Array{R,N}; pool::CategoricalPool; end; end")
ps = package("module SentinelArrays; struct SentinelArray{T,N,S,V,A} <: AbstractArray{T,N}; data::A; sentinel::S; value::V; end; struct ChainedVector{T,A} <: AbstractVector{T}; arrays::Vector{A}; inds::Vector{Int}; end; end")
pi_ = package("module InlineStrings; primitive type String7 <: AbstractString 64 end; end")
struct Odd{T} <: AbstractVector{T}; v::Vector{T}; end
Base.size(o::Odd) = (pran[] += 1; size(o.v)); Base.getindex(o::Odd, i::Int) = (pran[] += 1; o.v[i]); Base.length(o::Odd) = (pran[] += 1; 3)
for T in (pd.DataFrame, pp.PooledArray, pc.CategoricalArray, ps.SentinelArray, ps.ChainedVector)
  @eval Base.getproperty(x::$T, n::Symbol) = (pran[] += 1; getfield(x, n))
  @eval Base.size(x::$T) = (pran[] += 1; error())
end
pdf = pd.DataFrame(AbstractVector[[1, 2, 3], pp.PooledArray{String,UInt32,1,Vector{UInt32}}(UInt32[1, 2, 1], ["x", "y"], Dict("x" => 0x00000001)),
  pc.CategoricalArray{Union{Missing,String},1,UInt8}([0x00, 0x02, 0x02], pc.CategoricalPool{String,UInt8}(["hi", "lo"], Dict("hi" => 0x01))),
  ps.SentinelArray{Union{Missing,Int},1,Int,Missing,Vector{Int}}([5, -1, 7], -1, missing), ps.ChainedVector{Float64,Vector{Float64}}([[1.5], [2.5, 3.5]], [1, 3]),
  map(n -> reinterpret(pi_.String7, n), [0x6162630000000003, 0x0000000000000000, 0xc3a9000000000002]), Odd([1, 2, 3])],
  pd.Index(Dict{Symbol,Int}(), [:a, :p, :c, :s, :h, :i, :own])); pran[] = 0; nothing`

// juliaPackages reads tables in the layouts of DataFrames.jl, PooledArrays.jl, CategoricalArrays.jl, SentinelArrays.jl and
// InlineStrings.jl.
func juliaPackages(t *testing.T, k testKernel) {
	k.define(fakeModules)
	k.frame("pdf", inspect.TableOptions{})
	f := k.frame("pdf", inspect.TableOptions{})
	test.Eq(t, "[3,7]", jsonOf(t, f.Shape))
	test.Eq(t, "DataFrame", f.Type)
	must.SliceLen(t, 2, f.Notes)
	test.NotNil(t, f.Memory)
	equal(t, "dtypes", f.DTypes, `{"a":"Int64","p":"Pooled{String}","c":"Categorical{String}","s":"Union{Missing, Int64}","h":"Float64","i":"String7","own":"Odd{Int64}"}`)
	equal(t, "head", f.Head, `[{"a":1,"p":"x","c":null,"s":5,"h":1.5,"i":"abc","own":"<Odd{Int64}>"},{"a":2,"p":"y","c":"lo","s":null,"h":2.5,"i":"","own":"<Odd{Int64}>"},{"a":3,"p":"x","c":"lo","s":7,"h":3.5,"i":"é","own":"<Odd{Int64}>"}]`)
	equal(t, "missing", f.Missing, `{"a":0,"p":0,"c":1,"s":1,"h":0,"i":0}`)
	for _, figure := range []string{`"p":{"count":3,"unique":2,"top":"x","freq":2}`, `"c":{"count":2,"unique":1,"top":"lo","freq":2}`, `"s":{"count":2,"mean":6`, `"h":{"count":3,"mean":2.5`, `"i":{"count":3,"unique":3`} {
		if !strings.Contains(strings.ReplaceAll(string(f.Figures), ".0,", ","), figure) {
			t.Errorf("%s is not in %s", figure, f.Figures)
		}
	}
	v := k.value("pdf")
	must.NotNil(t, v.Frame)
	must.Nil(t, v.Value)
	test.Eq(t, "3 rows × 7 cols", v.Size)
	test.Eq(t, "DataFrames", v.Module)
	if v := k.value("pdf.a"); string(v.Value) != `"[1, 2, 3]"` {
		t.Errorf("%s", jsonOf(t, v))
	}
	f = k.frame("pdf.p", inspect.TableOptions{})
	equal(t, "column", f.Head, `[{"p":"x"},{"p":"y"},{"p":"x"}]`)
	refused(t, k, "pdf.columns", "variable_not_found")
	refused(t, k, "pdf.nrow", "variable_not_found")
	if got := k.juliaSays("pran[]"); got != "0" {
		t.Errorf("%s methods were run", got)
	}
}

// Paths read stored values; no part of a name is run.
func juliaPaths(t *testing.T, k testKernel) {
	k.define(`module Inner; deep = (list = (b = 5,),); secret() = 1; end
mutable struct Lazy; a; b; Lazy() = new(1); end; xran = false; Base.getproperty(l::Lazy, n::Symbol) = (global xran = true; 9); Base.propertynames(l::Lazy) = (global xran = true; (:z,))
lazy = Lazy(); étoile = 7; nothing`)
	for name, want := range map[string]string{"Inner.deep.list.b": "5", "lazy.a": "1", "étoile": "7", "e\u0301toile": "7"} {
		if v := k.value(name); string(v.Value) != want {
			t.Errorf("%s: %s, not %s", name, jsonOf(t, v), want)
		}
	}
	for name, code := range map[string]string{
		"lazy.z": "variable_not_found", "lazy.b": "not_readable", "Inner.none": "variable_not_found", "nope.x": "variable_not_found", "Inner.deep.list.c": "variable_not_found",
		"sum": "variable_not_found", "étoile.x": "variable_not_found", "Point.name": "variable_not_found", "Inner.sum": "variable_not_found",
	} {
		refused(t, k, name, code)
	}
	for _, name := range []string{"a[1]", "run(1)", "xran=true", "a.", ".a", "a..b", "$(xran)", "a;b", "a b", "2x", "@x", "a\x00", "a'", ":a", "a+b", "\"", "var\"x\"", "!a", strings.Repeat("a", 501)} {
		var e *inspect.NameError
		if _, err := inspect.Value(t.Context(), k, name, inspect.DetailOptions{}); !errors.As(err, &e) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := k.juliaSays("xran"); got != "false" {
		t.Error("something was run")
	}
}

// Any text is one Julia literal with its own value.
func juliaLiterals(t *testing.T, k testKernel) {
	random := rand.New(rand.NewPCG(1, 2))
	odd := []rune("\x00\x01\t\n\r\x1b\x7f\u0080\u00a0é\u0301\u2028\ufeff\uffff\U0001f600\U0010ffff\"\\$`'{}()#;%abc019xuU ")
	texts := []string{"", "$(global xran = true)", "\\$(xran)", "\"$x\"", "\xff\xc3", "\"\"\"", "\\", "#= x", "\\u{41}"}
	for range 60 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteRune(odd[random.IntN(len(odd))])
		}
		texts = append(texts, b.String())
	}
	var list []string
	var bytes []string
	for _, s := range texts {
		list = append(list, inspect.JuliaString(s))
		s = strings.ToValidUTF8(s, "\uFFFD")
		each := make([]string, 0, len(s))
		for i := range len(s) {
			each = append(each, "0x"+hex.EncodeToString([]byte{s[i]}))
		}
		bytes = append(bytes, "String(UInt8["+strings.Join(each, ", ")+"])")
	}
	got := k.juliaSays("findall(map(!=, [" + strings.Join(list, ", ") + "], [" + strings.Join(bytes, ", ") + "]))")
	if got != "0-element Array{Int64,1}" && got != "Int64[]" {
		t.Errorf("of %q these are not the same: %s", texts, got)
	}
}

// No user method is run, not even for Base's own types, and their content cannot break an inspection.
func juliaHostile(t *testing.T, k testKernel) {
	k.define(`hran = String[]; struct Bad <: Number; n; end; struct BadList <: AbstractVector{Any}; n; end; struct BadDict <: AbstractDict{Any,Any}; n; end; struct BadText <: AbstractString; n; end; struct BadMap; n; end
struct BadReal <: AbstractFloat; n; end; struct BadKey; n; end
for T in (:Bad, :BadList, :BadDict, :BadText, :BadMap, :BadReal, :BadKey)
  for f in (:length, :size, :iterate, :string, :keys, :values, :propertynames, :ncodeunits, :summary, :eltype, :ismissing, :repr, :axes, :isnan, :isfinite, :Float64, :float, :isvalid, :first, :last, :abs, :zero, :nameof, :lastindex,
      :firstindex, :copy, :display, :ndims, :isempty, :real, :numerator, :sizeof, :typemax, :parent)
    @eval Base.$f(x::$T) = (push!(hran, $(string(f))); error("no luck"))
  end
  for f in (:(==), :isequal, :isless, :<, :isapprox)
    @eval Base.$f(x::$T, y::$T) = (push!(hran, $(string(f))); error("no luck"))
  end
  for f in (:show, :print)
    @eval Base.$f(io::IO, x::$T) = (push!(hran, $(string(f))); error("no luck"))
  end
  @eval Base.show(io::IO, ::MIME"text/plain", x::$T) = (push!(hran, "show"); error("no luck"))
  @eval Base.show(io::IO, ::Type{$T}) = (push!(hran, "show"); write(io, "no"))
  @eval Base.getindex(x::$T, i::Int) = (push!(hran, "getindex"); error("no luck"))
  @eval Base.getproperty(x::$T, n::Symbol) = (push!(hran, "getproperty"); error("no luck"))
end
Base.hash(x::Bad, h::UInt) = (push!(hran, "hash"); error()); Base.hash(x::BadText, h::UInt) = (push!(hran, "hash"); error()); Base.hash(x::BadKey, h::UInt) = UInt(5)
h1 = Core.eval(Main, Expr(:new, Bad, 1)); h2 = Core.eval(Main, Expr(:new, BadList, 1)); h3 = Core.eval(Main, Expr(:new, BadDict, 2)); h4 = Core.eval(Main, Expr(:new, BadText, "x")); h5 = Core.eval(Main, Expr(:new, BadMap, 1)); h6 = Core.eval(Main, Expr(:new, BadReal, 1.5)); hk = Core.eval(Main, Expr(:new, BadKey, 1))
h7 = Any[h1, h2, h3, h4, h5, h6]; h8 = Dict{Any,Any}(:a => h1); h9 = (h1, h4); hb = (a = [h1, h1], b = Any[h4, h6], c = h7[1:2]); hc = Dict(hk => h1); hd = Bad[h1, h1]; he = Ref{Any}(h1); hf = [(x = h1, y = h4), (x = h1, y = h4)]
hdeep = Any[]; for i in 1:5000; global hdeep = Any[hdeep]; end; hcycle = Any[]; push!(hcycle, hcycle); hwide = Tuple(1:2000); hsym = Symbol("a b\n\"c" ^ 2000); hexpr = Expr(:call, (:x for i in 1:10^5)...); hrational = Rational{BigInt}(big(1), big(2)^5000)
htask = @async sleep(0); hchannel = Channel(1); hptr = C_NULL; hio = IOBuffer("x"^10^6); hregex = Regex("a"^5000); hmod = Base.Docs; hundef = Vector{Any}(undef, 3); heps = Vector{Vector{Vector{Vector{Vector{Int}}}}}(); hchar = reinterpret(Char, 0xff000000); hlong = Val{Symbol("x"^5000)}()
hrange = typemin(Int):typemax(Int); hempty = 5:4; hfun = (x -> x); h0d = fill(1); hnt = (;); hset = Set([h1 for i in 1:0]); hpair = h1 => h2; hweak = WeakRef(h7); hexc = ErrorException("e"^5000); hcmd = ` + "`echo x`" + `
hstr = fill("é"^10^5, 300); hkinds = Union{Int,Missing,Nothing,Float64}[1, missing, nothing, 2.5]; hv = view([1, 2, 3], 1:2); hr = reshape(1:6, 2, 3); ht = [1 2; 3 4]'; hi = typemin(Int128); hneg = -0.0
Core.eval(Main, Expr(:(=), Symbol("a b\n\"c\\\$x"), 1)); Core.eval(Main, Expr(:(=), Symbol("é"^1000), 2)); empty!(hran); nothing`)
	l := k.variables(inspect.ListOptions{Limit: inspect.MaxListed, Everything: true})
	got := map[string]inspect.Variable{}
	for _, v := range l.Variables {
		got[v.Name] = v
	}
	test.Eq(t, "Bad", got["h1"].Type)
	test.Eq(t, "Dict{BadKey, Bad}", got["hc"].Type)
	test.Eq(t, "2 items", got["h9"].Size)
	if v := got["a b\n\"c\\$x"]; string(v.Value) != "1" {
		t.Errorf("%s", jsonOf(t, l))
	}
	for name := range got {
		if !strings.HasPrefix(name, "h") {
			continue
		}
		v, err := inspect.Value(t.Context(), k, name, inspect.DetailOptions{MaxChars: 500})
		must.NoError(t, err, must.Sprint(name))
		test.NotEq(t, "", v.Type, test.Sprint(name))
		if b := jsonOf(t, v); len(b) > 6_000 {
			t.Errorf("%s: %d bytes", name, len(b))
		}
		var no *inspect.Refusal
		if _, err := inspect.DataFrame(t.Context(), k, name, inspect.TableOptions{}); err != nil && (!errors.As(err, &no) || no.Code != "not_a_dataframe") {
			t.Errorf("%s as a table: %v", name, err)
		}
	}
	for name, want := range map[string]string{"h7": `"[Bad(1), BadList(1), BadDict(2), BadText(\"x\"), BadMap(1), BadReal(1.5)]"`, "hc": `"Dict(BadKey(1) => Bad(1))"`, "hneg": "-0.0", "hkinds": `"[1, missing, nothing, 2.5]"`, "hfun": `"an anonymous function"`} {
		if v := k.value(name); string(v.Value) != want {
			t.Errorf("%s: %s, not %s", name, jsonOf(t, v), want)
		}
	}
	f := k.frame("hb", inspect.TableOptions{})
	equal(t, "head", f.Head, `[{"a":"Bad(1)","b":"BadText(\"x\")","c":"Bad(1)"},{"a":"Bad(1)","b":"BadReal(1.5)","c":"BadList(1)"}]`)
	if got := k.juliaSays("join(hran, \" \")"); got != `""` {
		t.Errorf("methods of the user's were run: %s", got)
	}
}

func juliaLarge(t *testing.T, k testKernel) {
	k.define(`for i in 1:10^4; Core.eval(Main, Expr(:(=), Symbol("z", lpad(i, 5, '0')), i)); end
ltext = "\u00e9x"^(2^24); lbig = (i = collect(1:10^7), x = collect(1.0:1.0:1e7), s = fill("same", 10^7), m = convert(Vector{Union{Missing,Int}}, 1:10^7),
  t = Union{Missing,String}[i % 4 == 0 ? missing : "x" for i in 1:10^7], p = pp.PooledArray{String,UInt32,1,Vector{UInt32}}(fill(UInt32(2), 10^7), ["x", "y"], Dict{String,UInt32}()))
lwide = NamedTuple{Tuple(Symbol("\u3042"^300, i) for i in 1:300)}(Tuple(zeros(200) for i in 1:300)); llong = NamedTuple{(:a, :b, :c, :d)}(Tuple(fill("\u00e9"^10^5, 200) for i in 1:4))
ldict = Dict(i => i for i in 1:10^6); lset = Set(1:10^6); lbits = trues(10^8); nothing`)
	l := k.variables(inspect.ListOptions{Offset: 9_990, Limit: 400})
	test.GreaterEq(t, 10_050, l.Total)
	test.GreaterEq(t, "z", l.Variables[len(l.Variables)-1].Name)
	v := k.value("ltext")
	test.True(t, v.Truncated)
	must.LessEq(t, 4_000, len(v.Value))
	test.Eq(t, "50331648 bytes", v.Size)
	for _, name := range []string{"ldict", "lset", "lbits"} {
		v := k.value(name)
		test.True(t, v.Truncated)
		must.LessEq(t, 4_000, len(v.Value))
		test.False(t, v.Size != "1000000 items" && v.Size != "100000000 items")
	}
	k.define("mutable struct LLink; next; end; lchain = LLink(nothing); for i in 1:10^6; global lchain = LLink(lchain); end; lfun = let c = lchain; () -> c; end; nothing")
	if v := k.value("lfun"); !strings.HasPrefix(v.Size, "more than ") {
		t.Errorf("%.200s", jsonOf(t, v))
	}
	k.define("lchain = nothing")
	k.frame("lbig", inspect.TableOptions{}) // the loops for these columns are compiled
	f := k.frame("lbig", inspect.TableOptions{})
	test.Eq(t, "[10000000,6]", jsonOf(t, f.Shape))
	must.SliceLen(t, 2, f.Notes)
	must.NotNil(t, f.Memory)
	test.GreaterEq(t, 2e8, *f.Memory)
	test.GreaterEq(t, 20, len(f.Head))
	equal(t, "missing", f.Missing, `{"i":0,"x":0,"s":0,"m":0,"t":2500000,"p":0}`)
	for _, figure := range []string{`"max":10000000`, `"t":{"count":7500000}`, `"top":"y","freq":10000000`} {
		if !strings.Contains(string(f.Figures), figure) {
			t.Errorf("%s is not in %s", figure, f.Figures)
		}
	}
	for _, name := range []string{"lwide", "llong"} {
		f = k.frame(name, inspect.TableOptions{HeadRows: inspect.MaxHeadRows, MaxColumns: inspect.MaxColumns})
		b := jsonOf(t, f)
		must.LessEq(t, 450_000, len(b), must.Sprint(name))
		must.SliceNotEmpty(t, f.Notes, must.Sprint(name))
		test.GreaterEq(t, 10, len(f.Head), test.Sprint(name))
	}
	k.define("ltext = lbig = llong = lbits = nothing; GC.gc(); nothing")
}

// People's redefinitions, and their methods for Base's own types, do not mislead an inspection.
func juliaShadowed(t *testing.T, k testKernel) {
	k.define(`isdefined = Pair = include_string = answer = list = question = home = own = 0
sran = String[]; sx = [1.5, 2.5]; sdf = (a = sx, b = ["u", "v"])
Base.show(io::IO, x::Float64) = (push!(sran, "Float64"); write(io, "no")); Base.show(io::IO, x::Int64) = (push!(sran, "Int64"); write(io, "no")); Base.show(io::IO, x::String) = (push!(sran, "String"); write(io, "no"))
Base.print(io::IO, x::Float64) = (push!(sran, "print"); write(io, "no")); Base.show(io::IO, x::Vector{Float64}) = (push!(sran, "Vector"); write(io, "no")); Base.show(io::IO, ::Type{T}) where {T<:NamedTuple} = (push!(sran, "Type"); write(io, "no")); empty!(sran); nothing`)
	if v := k.value("sx"); string(v.Value) != `"[1.5, 2.5]"` {
		t.Errorf("%s", jsonOf(t, v))
	}
	if v := k.value("isdefined"); string(v.Value) != "0" {
		t.Errorf("%s", jsonOf(t, v))
	}
	k.variables(inspect.ListOptions{})
	f := k.frame("sdf", inspect.TableOptions{})
	equal(t, "head", f.Head, `[{"a":1.5,"b":"u"},{"a":2.5,"b":"v"}]`)
	if got := k.value("sran"); got.Size != "0 items" {
		t.Errorf("%s", jsonOf(t, got))
	}
}
