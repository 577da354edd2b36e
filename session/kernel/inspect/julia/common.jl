# What all inspections share: what can be known of a value without running a method of the user's, short texts, and JSON.
#
# All of this runs in a module of its own, which uses Base alone. Julia's functions are open: people give length, show,
# iterate, == or getproperty methods for their types, and for Base's numbers too (a show that rounds). So nothing here is
# called on a value but builtins (typeof, isa, getfield, nfields, isdefined, ===), and, on values of Base's own types,
# functions that nobody extends for them: texts are made without print and show, elements of arrays are read by invoke.
#
# Most of it runs once or twice, so that to compile it is what takes time: where Julia can (since 1.6), it is interpreted,
# and only loops.jl is compiled; elsewhere, what is called by apart is compiled when it is first needed.
if isdefined(Base, :Experimental) && isdefined(Base.Experimental, Symbol("@compiler_options"))
    @eval Base.Experimental.@compiler_options compile=min optimize=0 infer=no
elseif isdefined(Base, :Experimental) && isdefined(Base.Experimental, Symbol("@optlevel"))
    @eval Base.Experimental.@optlevel 0
end
apart(f, args...) = Base.invokelatest(f, args...)

const NOTHING = Ref(0) # not a plain value, told apart by ===
const late = Ref(0.0)
const cuts = Ref(0)
is_late() = time() > late[]

struct Refused <: Exception
    code::String
    message::String
end
refuse(code, parts...) = throw(Refused(code, string(parts...)))

# A JSON object, of names and values in turn.
struct Obj
    of::Vector{Any}
end
Obj(x...) = Obj(Any[x...])
add!(o::Obj, k::String, @nospecialize(v)) = (push!(o.of, k, v); o)

const Small = Union{Int8,Int16,Int32,Int64,Int128,UInt8,UInt16,UInt32,UInt64,UInt128}
const Float = Union{Float16,Float32,Float64}
const Number_ = Union{Small,Float}
const Plain = Union{Number_,Bool}
const Text_ = Union{String,SubString{String}}
const Range = Union{UnitRange{<:Small},StepRange{<:Small,<:Small},Base.OneTo{<:Small},StepRangeLen{<:Float},LinRange{<:Float}}
const Buffer = isdefined(Core, :Memory) ? Core.Memory : Union{}

# Whether a module is the package of that name, and not one that somebody calls so within another.
is_package(m::Module, name::Symbol) = nameof(m) === name && parentmodule(m) === m
home(@nospecialize(T)) = T isa DataType ? getfield(getfield(T, :name), :module)::Module : Core
class(@nospecialize(T)) = T isa DataType ? getfield(getfield(T, :name), :name)::Symbol : :Type
is_moment_type(@nospecialize(T)) = is_package(home(T), :Dates) && (class(T) === :Date || class(T) === :DateTime || class(T) === :Time)
is_moment(@nospecialize(v)) = is_moment_type(typeof(v))
is_period(@nospecialize(v)) = is_package(home(typeof(v)), :Dates) && nfields(v) == 1 && getfield(v, 1) isa Int64
is_enum(@nospecialize(v)) = v isa Base.Enums.Enum

at(a::Array, i::Int) = invoke(getindex, Tuple{Array,Int}, a, i)
at(a, i::Int) = invoke(getindex, Tuple{Buffer,Int}, a, i)
len(a::Array) = invoke(length, Tuple{Array}, a)
len(a) = getfield(a, :length)
dims(@nospecialize(a)) = Int[apart(length_along, a, i) for i in 1:getfield(typeof(a), :parameters)[2]]
length_along(a::Array, i::Int) = invoke(size, Tuple{Array,Int}, a, i)
shape(d::Vector{Int}) = join(String[string(n) for n in d[1:min(end, 10)]], " × ")
many(n::Int, what::String) = string(string(n), " ", what, n == 1 ? "" : "s")

# Texts.

function cut(s::Text_, most::Int)
    out, i, n, stop = IOBuffer(), 1, 0, ncodeunits(s)
    while i <= stop && n < most
        c, i = iterate(s, i)::Tuple{Char,Int}
        write(out, isvalid(c) ? c : '\ufffd')
        n += 1
    end
    if i <= stop
        cuts[] += 1
        write(out, "…")
    end
    String(take!(out))
end
cut(s::Symbol, most::Int) = cut(String(s), most)

function quoted(s::String)
    out = IOBuffer()
    write(out, '"')
    for c in s
        if c == '"' || c == '\\'
            write(out, '\\', c)
        elseif c == '\n'
            write(out, "\\n")
        elseif c < ' ' || c == '\x7f'
            write(out, "\\u", string(UInt32(c), base = 16, pad = 4))
        else
            write(out, isvalid(c) ? c : '\ufffd')
        end
    end
    write(out, '"')
    String(take!(out))
end

decimal(x::Small) = string(x)
decimal(x::Float) = isfinite(x) ? Base.Ryu.writeshortest(x) : isnan(x) ? "NaN" : x > 0 ? "Inf" : "-Inf"
decimal(x::Bool) = x ? "true" : "false"
function decimal(x::BigInt)
    limbs = abs(getfield(x, :size))
    limbs <= 32 ? string(x) : string("an integer of about ", string(64 * limbs), " bits")
end
decimal(x::BigFloat) = precision(x) <= 2000 ? string(x) : string("a number of ", string(precision(x)), " bits")

number_text(@nospecialize(v)) = apart(decimal, v)::String
moment(@nospecialize(v)) = cut(apart(string, v)::String, 100)
# The number within a Date, DateTime, Time or a period.
function ticks(@nospecialize(v))
    for _ in 1:4
        v isa Int64 && return v
        nfields(v) == 1 || break
        v = getfield(v, 1)
    end
    v isa Int64 ? v : nothing
end

# A text of InlineStrings, as CSV.jl makes them: the bytes from the highest on, and in the lowest their number.
function inline_text(@nospecialize(v))
    T = typeof(v)
    isprimitivetype(T) && is_package(home(T), :InlineStrings) || return nothing
    size = sizeof(T)
    bytes = raw_bytes(v, size)
    size == 1 && return String(bytes)
    n = min(Int(bytes[1]), size - 1)
    String(UInt8[bytes[size - i + 1] for i in 1:n])
end
function raw_bytes(@nospecialize(v), size::Int)
    out = Vector{UInt8}(undef, size)
    ref = Ref{Any}(v)
    GC.@preserve ref v out unsafe_copyto!(pointer(out), Ptr{UInt8}(ccall(:jl_value_ptr, Ptr{Cvoid}, (Any,), v)), size)
    out
end

# Types, without the show that some packages give theirs.

function type_name(@nospecialize(T), depth::Int = 3)
    T === Union{} && return "Union{}"
    T isa TypeVar && return String(getfield(T, :name))
    T isa UnionAll && return String(class(Base.unwrap_unionall(T)))
    T isa Union && return braces("Union", Any[Base.uniontypes(T)...], depth)
    T isa Symbol && return string(":", cut(T, 50))
    T isa Plain && return number_text(T)
    T isa DataType || return "…"
    T <: Function && return "Function"
    name = String(class(T))
    class(T) === :NamedTuple && return name
    given = Any[getfield(T, :parameters)...]
    if class(T) === :Array && length(given) == 2 && given[2] isa Int && given[2] <= 2
        name = given[2] == 1 ? "Vector" : given[2] == 2 ? "Matrix" : name
        given[2] > 0 && pop!(given)
    elseif T === BitVector || T === BitMatrix
        return T === BitVector ? "BitVector" : "BitMatrix"
    end
    isempty(given) ? cut(name, 200) : braces(cut(name, 200), given, depth)
end
function braces(name::String, given::Vector{Any}, depth::Int)
    depth <= 0 && return name * "{…}"
    shown = String[type_name(x, depth - 1) for x in given[1:min(end, 8)]]
    length(given) > 8 && push!(shown, "…")
    string(name, "{", join(shown, ", "), "}")
end
function type_of(@nospecialize(v))
    v isa Module && return "Module"
    v isa Type && return "Type"
    kept = cuts[]
    text = cut(type_name(typeof(v)), 200)
    cuts[] = kept
    text
end
function module_name(@nospecialize(v))
    m = v isa Module ? parentmodule(v) : home(typeof(v))
    parts = String[]
    for _ in 1:10
        pushfirst!(parts, cut(nameof(m), 100))
        up = parentmodule(m)
        (up === m || up === Main) && break
        m = up
    end
    join(parts, ".")
end

# How large a value is, in words: nothing where there is nothing to say.
function size_of(@nospecialize(v))
    (v isa Symbol || v isa Char || v isa BigInt || v isa BigFloat) && return nothing
    v isa Module && return many(length(names(v, all = true)), "name")
    v isa Type && return v isa DataType && isconcretetype(v) && isstructtype(v) ? many(fieldcount(v), "field") : nothing
    v isa Function && return weight(v)
    if v isa Array
        d = dims(v)::Vector{Int}
        return length(d) == 1 ? many(d[1], "item") : string(isempty(d) ? "" : shape(d) * " ", cut(type_name(eltype(typeof(v)), 2), 60))
    end
    v isa BitVector && return many(getfield(v, :len), "item")
    v isa BitArray && return string(shape(Int[getfield(v, :dims)...]), " Bool")
    v isa Buffer && return many(len(v), "item")
    v isa Range && return many(apart(attempt_length, v), "item")
    if v isa Text_
        bytes = ncodeunits(v)
        return bytes <= 1_000_000 ? many(length(v), "character") : many(bytes, "byte")
    end
    (v isa Tuple || v isa NamedTuple) && return many(nfields(v), "item")
    (v isa Dict || v isa IdDict) && return many(getfield(v, :count), "item")
    v isa Set && getfield(v, :dict) isa Dict && return many(getfield(getfield(v, :dict), :count), "item")
    table = frame_columns(v)
    table === nothing || return string(string(table[3]), " rows × ", string(length(table[2])), " cols")
    is_known(v) && return nothing
    n = nfields(v)
    n > 0 && isstructtype(typeof(v)) ? many(n, "field") : weight(v)
end

# The bytes of a value of which there is nothing else to count, with what its fields hold: Base.summarysize goes into all of
# it, and has methods of packages. This goes into a thousand values at most, and of an array counts the elements alone.
function weight(@nospecialize(v))
    seen, todo, bytes, left = Any[], Any[v], 0, 1000
    while !isempty(todo)
        ((left -= 1) < 0 || is_late()) && return string("more than ", many(bytes, "byte"))
        x = pop!(todo)
        if x isa Text_
            bytes += ncodeunits(x)
        elseif x isa Array || x isa Buffer
            has(seen, x) && continue
            push!(seen, x)
            bytes += len(x) * sizeof_element(eltype(typeof(x)))
        elseif !(x isa Type || x isa Module || x isa Symbol || x isa Core.SimpleVector)
            T = typeof(x)
            if !isbitstype(T)
                has(seen, x) && continue
                push!(seen, x)
            end
            bytes += try sizeof(T) catch; 8 end
            for i in 1:nfields(x)
                isdefined(x, i) || continue
                f = getfield(x, i)
                isbitstype(typeof(f)) || push!(todo, f)
            end
        end
    end
    many(bytes, "byte")
end
function has(all::Vector{Any}, @nospecialize(x))
    for y in all
        y === x && return true
    end
    false
end
attempt_length(r) = try Int(r isa UnitRange ? max(big(last(r)) - first(r) + 1, 0) : length(r)) catch; typemax(Int) end
is_known(@nospecialize(v)) = v === nothing || v === missing || v isa Plain || v isa Regex || v isa VersionNumber || is_moment(v) || is_period(v) || scalar(v, 1) !== NOTHING

# The columns of a DataFrame, by the fields that DataFrames.jl gives it: (names, columns, rows), or nothing.
function frame_columns(@nospecialize(v))
    T = typeof(v)
    class(T) === :DataFrame && is_package(home(T), :DataFrames) && isdefined(v, :columns) && isdefined(v, :colindex) || return nothing
    columns, index = getfield(v, :columns), getfield(v, :colindex)
    columns isa Vector && isdefined(index, :names) || return nothing
    names = getfield(index, :names)
    names isa Vector{Symbol} && length(names) == len(columns) || return nothing
    all = Any[at(columns, i) for i in 1:len(columns)]
    (names, all, isempty(all) ? 0 : rows_of(all[1]))
end

# JSON.
function json(out::IOBuffer, @nospecialize(v))
    if v isa Obj
        write(out, '{')
        for i in 1:2:length(v.of)
            i > 1 && write(out, ',')
            write(out, quoted(v.of[i]::String), ':')
            json(out, v.of[i + 1])
        end
        write(out, '}')
    elseif v isa Vector
        write(out, '[')
        for i in 1:length(v)
            i > 1 && write(out, ',')
            json(out, v[i])
        end
        write(out, ']')
    elseif v === nothing
        write(out, "null")
    elseif v isa String
        write(out, quoted(v))
    else
        write(out, number_text(v))
    end
    nothing
end
function json_text(@nospecialize(v))
    out = IOBuffer()
    json(out, v)
    String(take!(out))
end

# Answers as JSON, whatever happens.
function answer(kind::String, question::Dict{String,Any})
    late[] = time() + question["seconds"]
    cuts[] = 0
    result = try
        apart(kind == "list" ? list : kind == "detail" ? detail : frame, question)
    catch e
        e isa Refused ? Obj("error", e.code, "message", e.message) :
        e isa InterruptException ? Obj("error", "interrupted", "message", "the inspection was interrupted") :
        Obj("error", "failed", "message", string("the inspection fails with ", String(class(typeof(e)))))
    end
    Base.Docs.Text(json_text(result))
end
