# Values as JSON has them, and as texts of bounded length.

# A plain value as JSON has it, else NOTHING. What JSON has no form of is text.
function scalar(@nospecialize(v), most::Int)
    (v === nothing || v === missing) && return nothing
    v isa Bool && return v
    v isa Int64 && return -9007199254740992 <= v <= 9007199254740992 ? v : number_text(v)
    v isa Float64 && return isfinite(v) ? v : number_text(v)
    (v isa Small || v isa Float || v isa BigInt || v isa BigFloat) && return apart(exact, v)
    v isa String && return cut(v, most)
    (v isa Symbol || v isa SubString{String}) && return apart(cut, v, most)
    v isa Char && return String([isvalid(v) ? v : '\ufffd'])
    v isa Rational && getfield(v, 1) isa Union{Small,BigInt} && return string(number_text(getfield(v, 1)), "//", number_text(getfield(v, 2)))
    v isa Complex && getfield(v, 1) isa Plain && return apart(complex_text, v)
    v isa Irrational && return apart(cut, getfield(typeof(v), :parameters)[1], most)
    is_moment(v) && return moment(v)
    isprimitivetype(typeof(v)) || return NOTHING
    text = apart(inline_text, v)
    text === nothing ? NOTHING : cut(text, most)
end
exact(v::Union{Small,BigInt}) = -9007199254740992 <= v <= 9007199254740992 ? Int64(v) : decimal(v)
exact(v::Float) = isfinite(v) ? v : decimal(v)
exact(v::BigFloat) = decimal(v)
function complex_text(v::Complex)
    im = decimal(getfield(v, 2))
    string(decimal(getfield(v, 1)), startswith(im, '-') ? " - " : " + ", lstrip(im, '-'), "im")
end

# What Julia would write, of bounded length, for values of any size.
function short(@nospecialize(v), most::Int, depth::Int = 4)
    v === nothing && return "nothing"
    v === missing && return "missing"
    (v isa Plain || v isa BigInt || v isa BigFloat) && return number_text(v)
    v isa Symbol && return ":" * cut(v, most)
    v isa Char && return string("'", isvalid(v) && v >= ' ' ? string(v) : "\\u" * string(UInt32(isvalid(v) ? v : '\ufffd'), base = 16, pad = 4), "'")
    s = scalar(v, most)
    s isa String && return v isa AbstractString ? quoted(s) : s
    v isa Module && return cut(nameof(v), 100)
    v isa Type && return cut(type_name(v), most)
    v isa Function && return cut(string(nameof_function(v)), most)
    v isa Range && return apart(range_text, v)
    v isa Regex && return "r" * quoted(cut(getfield(v, :pattern), most))
    v isa VersionNumber && return string("v\"", string(v.major), ".", string(v.minor), ".", string(v.patch), "\"")
    v isa Base.UUID && return string(v)
    is_period(v) && return string(string(getfield(v, 1)), " ", lowercase(String(class(typeof(v)))), "s")
    v isa Ptr && return "Ptr"
    v isa Task && return "Task"
    if v isa Array
        v isa Matrix && return matrix_text(v, most, depth)
        return several(len(v), (i, m, d) -> short(at(v, i), m, d), most, depth, "[", "]")
    end
    v isa BitArray && return several(getfield(v, :len), (i, m, d) -> number_text(v[i]), most, depth, "[", "]")
    v isa Buffer && return several(len(v), (i, m, d) -> short(at(v, i), m, d), most, depth, "[", "]")
    v isa Pair && return string(short(getfield(v, 1), most, depth - 1), " => ", short(getfield(v, 2), most, depth - 1))
    v isa Tuple && return several(nfields(v), (i, m, d) -> short(getfield(v, i), m, d), most, depth, "(", nfields(v) == 1 ? ",)" : ")")
    v isa NamedTuple && return several(nfields(v), (i, m, d) -> string(cut(fieldname(typeof(v), i), 100), " = ", short(getfield(v, i), m, d)), most, depth, "(", nfields(v) == 1 ? ",)" : ")")
    v isa Dict && return entries(v, true, most, depth, "Dict(")
    v isa Set && getfield(v, :dict) isa Dict && return entries(getfield(v, :dict), false, most, depth, "Set([")
    v isa IdDict && return id_entries(v, most, depth)
    table = frame_columns(v)
    table === nothing || return string("<DataFrame: ", size_of(v), ">")
    T = typeof(v)
    name = cut(String(class(T)), 100)
    is_enum(v) && return string(name, "(", string(enum_number(v)), ")")
    isprimitivetype(T) && return string("<", name, ">")
    several(nfields(v), (i, m, d) -> isdefined(v, i) ? short(getfield(v, i), m, d) : "#undef", most, depth, name * "(", ")")
end
function nameof_function(@nospecialize(f))
    name = String(class(typeof(f)))
    startswith(name, "#") ? (occursin('#', name[nextind(name, 1):end]) || isempty(name[2:end]) ? "an anonymous function" : lstrip(name, '#')) : name
end
function enum_number(@nospecialize(v))
    bytes, n = raw_bytes(v, sizeof(typeof(v))), Int128(0)
    for b in reverse(bytes)
        n = n << 8 | b
    end
    bytes[end] < 0x80 ? n : n - Int128(1) << (8 * length(bytes))
end
range_text(r::Union{UnitRange,Base.OneTo}) = string(string(first(r)), ":", string(last(r)))
range_text(r::StepRange) = string(string(first(r)), ":", string(step(r)), ":", string(last(r)))
range_text(r) = isempty(r) ? "an empty range" : string(decimal(first(r)), ":", length(r) > 1 ? decimal(r[2] - r[1]) * ":" : "", decimal(last(r)))

# The parts of something of n parts, each made by each(i, room, depth).
function several(n::Int, @nospecialize(each), most::Int, depth::Int, left::String, right::String, between::String = ", ")
    if n > 0 && depth <= 0
        cuts[] += 1
        return string(left, "…", right)
    end
    out, long, i = String[], 0, 0
    while i < n && i < 100 && long < most && !is_late()
        i += 1
        text = try each(i, max(most - long, 20), depth - 1)::String catch e; e isa InterruptException && rethrow(); "#undef" end
        push!(out, text)
        long += ncodeunits(text) + 2
    end
    if i < n
        cuts[] += 1
        push!(out, string("… ", string(n - i), " more"))
    end
    string(left, join(out, between), right)
end
function matrix_text(v, most, depth)
    rows, columns = dims(v)
    line(i, m, d) = several(columns, (j, room, deep) -> short(at(v, i + (j - 1) * rows), room, deep), m, d + 1, "", "", " ")
    several(rows, line, most, depth, "[", "]", "; ")
end

# The filled slots of a dictionary, in the order in which iterate goes through them.
function filled(d::Dict, most::Int)
    slots, out = getfield(d, :slots), Int[]
    for i in 1:len(slots)
        s = at(slots, i)
        if s == 0x01 || s & 0x80 != 0x00 # until Julia 1.8, and since then
            push!(out, i)
            length(out) == most && break
        end
        i % 4096 == 0 && is_late() && break
    end
    out
end
function entries(@nospecialize(d), pairs::Bool, most, depth, left)
    which = filled(d, 100)
    keys, values = getfield(d, :keys), getfield(d, :vals)
    n = getfield(d, :count)
    text(i, m, r) = i > length(which) ? "…" : pairs ? string(short(at(keys, which[i]), m, r), " => ", short(at(values, which[i]), m, r)) : short(at(keys, which[i]), m, r)
    several(n, text, most, depth, left, pairs ? ")" : "])")
end
function id_entries(@nospecialize(d), most, depth)
    table, which = getfield(d, :ht), Int[]
    for i in 1:2:(len(table) - 1)
        isassigned(table, i) && isassigned(table, i + 1) && push!(which, i)
        (length(which) == 100 || is_late()) && break
    end
    text(i, m, r) = i > length(which) ? "…" : string(short(at(table, which[i]), m, r), " => ", short(at(table, which[i] + 1), m, r))
    several(getfield(d, :count), text, most, depth, "IdDict(", ")")
end
