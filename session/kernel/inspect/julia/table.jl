# A table: columns, types, first rows, figures on each column.
#
# A column at a time, each with a share of the time. Beyond FEW rows distinct values are not counted, beyond MANY nothing
# is sorted. Columns are read by what they are made of, without the getindex of their packages.
const FEW = 100_000
const MANY = 2_000_000

# A field of a vector of named tuples, as a column.
struct Field
    rows::Any
    at::Int
end

# Columns that are codes into a list of values (PooledArrays.jl, CategoricalArrays.jl): (codes, values) or nothing.
function coded(@nospecialize(c))
    T = typeof(c)
    is_package(home(T), :PooledArrays) || is_package(home(T), :CategoricalArrays) || return nothing
    isdefined(c, :refs) && isdefined(c, :pool) || return nothing
    codes, pool = getfield(c, :refs), getfield(c, :pool)
    pool isa Array || (pool = isdefined(pool, :levels) ? getfield(pool, :levels) : nothing)
    codes isa Array{<:Unsigned} && pool isa Array ? (codes, pool) : nothing
end
# Those of SentinelArrays.jl, where one value stands for missing, or several arrays are one column.
function sentinel(@nospecialize(c))
    class(typeof(c)) === :SentinelArray && is_package(home(typeof(c)), :SentinelArrays) && isdefined(c, :data) && isdefined(c, :sentinel) && isdefined(c, :value) || return nothing
    getfield(c, :data) isa Array ? getfield(c, :data) : nothing
end
function chained(@nospecialize(c))
    class(typeof(c)) === :ChainedVector && is_package(home(typeof(c)), :SentinelArrays) && isdefined(c, :arrays) || return nothing
    arrays = getfield(c, :arrays)
    arrays isa Vector ? arrays : nothing
end

# How many values a column has: nothing where it is of a kind that cannot be read.
function rows_of(@nospecialize(c))
    c isa Array && return ndims(c) == 1 ? len(c) : nothing
    c isa BitVector && return getfield(c, :len)
    c isa Range && return apart(attempt_length, c)
    c isa Field && return len(c.rows)
    codes = coded(c)
    codes === nothing || return len(codes[1])
    data = sentinel(c)
    data === nothing || return len(data)
    arrays = chained(c)
    if arrays !== nothing
        lengths = Any[rows_of(at(arrays, i)) for i in 1:len(arrays)]
        return all(n -> n isa Int, lengths) ? sum(Int[lengths...]) : nothing
    end
    nothing
end

function value_at(@nospecialize(c), i::Int)
    c isa Array && return at(c, i)
    (c isa BitVector || c isa Range) && return c[i]
    c isa Field && return getfield(at(c.rows, i), c.at)
    codes = coded(c)
    if codes !== nothing
        k = Int(at(codes[1], i))
        return k == 0 ? missing : at(codes[2], k)
    end
    data = sentinel(c)
    if data !== nothing
        x = at(data, i)
        return x === getfield(c, :sentinel) ? getfield(c, :value) : x
    end
    for part in chained(c)
        n = rows_of(part)
        i <= n && return value_at(part, i)
        i -= n
    end
    missing
end

# The columns of a table, (names, columns, rows): a DataFrame, a named tuple of vectors, a vector of named tuples.
function table_columns(@nospecialize(v))
    found = frame_columns(v)
    found === nothing || return found
    if v isa NamedTuple && nfields(v) > 0
        columns = Any[getfield(v, i) for i in 1:nfields(v)]
        rows = rows_of(columns[1])
        rows !== nothing && all(c -> rows_of(c) === rows, columns) || return nothing
        return (Symbol[fieldnames(typeof(v))...], columns, rows)
    end
    if v isa Vector && eltype(typeof(v)) isa DataType && eltype(typeof(v)) <: NamedTuple && isconcretetype(eltype(typeof(v)))
        fields = fieldnames(eltype(typeof(v)))
        return (Symbol[fields...], Any[Field(v, i) for i in 1:length(fields)], len(v))
    end
    nothing
end

function column_type(@nospecialize(c))
    T = c isa Field ? fieldtype(eltype(typeof(c.rows)), c.at) : c isa Array || c isa BitArray || c isa Range ? eltype(typeof(c)) : nothing
    codes = coded(c)
    if codes !== nothing
        return string(is_package(home(typeof(c)), :CategoricalArrays) ? "Categorical" : "Pooled", "{", type_name(eltype(typeof(codes[2])), 2), "}")
    end
    data = sentinel(c)
    data === nothing || return string("Union{Missing, ", type_name(eltype(typeof(data)), 2), "}")
    arrays = chained(c)
    if arrays !== nothing && len(arrays) > 0
        return column_type(at(arrays, 1))
    end
    cut(T === nothing ? type_name(typeof(c)) : type_name(T), 100)
end

# Roughly: the texts of a short column are counted, and of a long one the pointers.
function bytes_of(@nospecialize(c), rows::Int)
    c isa BitVector && return cld(rows, 8)
    c isa Range && return 48
    c isa Field && return rows * sizeof_element(fieldtype(eltype(typeof(c.rows)), c.at))
    codes = coded(c)
    codes === nothing || return bytes_of(codes[1], rows) + bytes_of(codes[2], len(codes[2]))
    data = sentinel(c)
    data === nothing || return bytes_of(data, rows)
    arrays = chained(c)
    arrays === nothing || return sum(Int[bytes_of(a, something(rows_of(a), 0)) for a in arrays])
    c isa Array || return 0
    texts = rows <= FEW && eltype(typeof(c)) >: String ? apart(Loops.text_bytes, c)::Int : 0
    rows * sizeof_element(eltype(typeof(c))) + texts
end
sizeof_element(@nospecialize(T)) = isbitstype(T) ? sizeof(T) : Base.isbitsunion(T) ? union_size(T) + 1 : 8
union_size(@nospecialize(T)) = T isa Union ? max(union_size(getfield(T, :a)), union_size(getfield(T, :b))) : sizeof(T)

# One value of a table as JSON has it.
function cell(@nospecialize(c), i::Int, rows, most::Int)
    rows === nothing && return string("<", type_of(c), ">")
    i <= rows || return nothing
    x = try value_at(c, i) catch e; e isa InterruptException && rethrow(); return "#undef" end
    s = scalar(x, most)
    s === NOTHING ? cut(short(x, most, 2), most) : s
end

# The same labels, with a number behind each that is there already.
function distinct(labels::Vector{String})
    taken, seen, out = Set(labels), Dict{String,Int}(), String[]
    for x in labels
        n = seen[x] = get(seen, x, 0) + 1
        y = x
        while n > 1 && y in taken
            y = string(x, " #", string(n))
            n += 1
        end
        push!(taken, y)
        push!(out, y)
    end
    out
end

table_info(@nospecialize(v), question) = table_info(table_columns(v), question)
function table_info(table::Tuple, question)
    given, columns, rows = table
    width, shown = length(columns), 1:min(length(columns), question["max_columns"])
    columns, notes = columns[shown], Any[]
    plain = String[cut(n, 100) for n in given[shown]]
    labels = distinct(plain)
    labels == plain || push!(notes, "further columns of the same name have a number behind it here")
    width > length(shown) && push!(notes, string("only the first ", string(length(shown)), " of ", string(width), " columns are shown"))
    lengths = Any[rows_of(c) for c in columns]
    rows === nothing && (rows = something(lengths..., nothing, Some(nothing)))
    all(n -> n === rows, lengths) || push!(notes, "not all columns could be read, or have as many values as the table has rows")
    out = Obj("shape", Any[rows, width], "columns", Any[labels...], "dtypes", object(labels, column_type, columns))
    add!(out, "memory_bytes", sum(Int[bytes_of(columns[i], lengths[i]) for i in shown if lengths[i] !== nothing]))
    rows === nothing && (rows = 0)
    question["include_head"] && add!(out, "head", head_of(columns, labels, lengths, min(rows, question["head_rows"]), notes))
    figures(out, columns, labels, lengths, notes)
    rows > MANY && push!(notes, string("quartiles are left out for tables of more than ", string(MANY), " rows"))
    rows > FEW && push!(notes, string("the distinct values are not counted for tables of more than ", string(FEW), " rows"))
    isempty(notes) || add!(out, "notes", notes)
    out
end

function object(labels, each, values)
    out = Obj()
    for i in 1:length(labels)
        add!(out, labels[i], each(values[i]))
    end
    out
end

function head_of(columns, labels, lengths, rows::Int, notes)
    full, most = rows, 200
    rows = min(rows, max(1, 100_000 ÷ max(sum(Int[ncodeunits(l) + 6 for l in labels]), 1)))
    while true
        is_late() && ((rows, most) = (min(rows, 1), 20))
        head = Any[]
        for i in 1:rows
            line = Obj()
            for k in 1:length(columns)
                add!(line, labels[k], cell(columns[k], i, lengths[k], most))
            end
            push!(head, line)
        end
        if rows <= 1 && most <= 20 || ncodeunits(json_text(head)) <= 100_000
            (rows < full || most < 200) && push!(notes, string("the first rows are cut, to ", string(rows), " rows and ", string(most), " characters a value"))
            return head
        end
        (rows, most) = most > 50 ? (rows, 50) : rows > 1 ? (max(rows ÷ 2, 1), most) : (1, 20)
    end
end

function figures(out, columns, labels, lengths, notes)
    missing_, described, none, stop = Obj(), Obj(), 0, late[]
    for k in 1:length(columns)
        now = time()
        late[] = now + max(stop - now, 0.0) / min(length(columns) - k + 1, 4)
        found = lengths[k] === nothing || now > stop ? nothing :
            try figures_of(columns[k], lengths[k]) catch e; e isa InterruptException && rethrow(); nothing end
        if found === nothing
            none += 1
        else
            add!(missing_, labels[k], found[1])
            add!(described, labels[k], found[2])
        end
    end
    late[] = stop
    none > 0 && push!(notes, string("not all figures could be had: ", many(none, "column"), " of another kind, or no time was left for them"))
    add!(out, "missing", missing_)
    add!(out, "describe", described)
end

# What a column holds, (missing, figures): nothing where that cannot be said in time.
function figures_of(@nospecialize(c), rows::Int)
    if (c isa Vector && number_type(eltype(typeof(c)))) || c isa Range
        found = apart(Loops.pass, c)
        found === nothing && return nothing
        gone, n, mean, m2, low, high = found
        out = Obj("count", n)
        n > 0 && numbers!(out, n, mean, m2, low, high, n <= MANY ? apart(Loops.gather, c) : nothing)
        return (gone, out)
    end
    codes = coded(c)
    codes === nothing || len(codes[2]) > FEW || return coded_figures(codes[1], codes[2], rows)
    T = c isa Vector ? eltype(typeof(c)) : Any
    # Of a long column of texts all that is said is how many are missing.
    if rows > FEW && T <: Union{Missing,Nothing,Loops.Counted}
        gone = apart(Loops.missing_in, c)
        return gone === nothing ? nothing : (gone, Obj("count", rows - gone))
    elseif isbitstype(T) && sizeof(T) == 8 && is_moment_type(T)
        found = apart(Loops.pass, reinterpret(Int64, c))
        found === nothing && return nothing
        ends = rows > 0 ? reinterpret(T, Int64[found[5], found[6]]) : nothing
        return (0, ends === nothing ? Obj("count", 0) : Obj("count", rows, "min", moment(ends[1]), "max", moment(ends[2])))
    end
    rows > MANY && return nothing
    found = apart(Loops.each, c, rows, rows <= FEW)
    found === nothing && return nothing
    gone, n, values, mean, m2, low, high, order, counts = found
    out = Obj("count", n)
    if n > 0 && values isa Vector{Float64}
        numbers!(out, n, mean, m2, low, high, n <= MANY ? sort!(values) : nothing)
    elseif low !== nothing
        add!(out, "min", moment(low))
        add!(out, "max", moment(high))
    elseif order isa Vector
        counts!(out, order, Int[counts[x] for x in order])
    end
    (gone, out)
end
function counts!(out::Obj, values::Vector{Any}, counts::Vector{Int})
    add!(out, "unique", length(values))
    isempty(values) && return out
    freq, k = findmax(counts)
    add!(out, "top", scalar(values[k], 100))
    add!(out, "freq", freq)
end

# Of codes, each is counted, and then what it stands for is looked at.
function coded_figures(codes, pool, rows::Int)
    counts = apart(Loops.tally, codes, len(pool))
    counts === nothing && return nothing
    gone, values, each, plain = counts[1], Any[], Int[], true
    for k in 1:len(pool)
        counts[k + 1] == 0 && continue
        x = isassigned(pool, k) ? at(pool, k) : missing
        if x === missing || x === nothing
            gone += counts[k + 1]
            continue
        end
        x isa Loops.Counted || (x = counted(x))
        plain &= x !== nothing
        push!(values, x)
        push!(each, counts[k + 1])
    end
    out = Obj("count", rows - gone)
    (gone, plain ? counts!(out, values, each) : out)
end
number_type(@nospecialize(T)) = T <: Number_ || T isa Union && T <: Union{Missing,Number_} && T !== Missing

function numbers!(out::Obj, n::Int, mean::Float64, m2::Float64, @nospecialize(low), @nospecialize(high), sorted)
    add!(out, "mean", scalar(mean, 50))
    add!(out, "std", n > 1 ? scalar(sqrt(m2 / (n - 1)), 50) : nothing)
    add!(out, "min", scalar(low, 50))
    if sorted isa Vector{Float64}
        for (label, q) in (("25%", 0.25), ("50%", 0.5), ("75%", 0.75))
            h = (n - 1) * q + 1
            k = floor(Int, h)
            x = h == k || sorted[k] == sorted[k + 1] ? sorted[k] : sorted[k] + (h - k) * (sorted[k + 1] - sorted[k])
            add!(out, label, scalar(x, 50))
        end
    end
    add!(out, "max", scalar(high, 50))
end

counted(@nospecialize(x)) = x isa SubString{String} ? String(x) : isprimitivetype(typeof(x)) ? inline_text(x) : nothing
