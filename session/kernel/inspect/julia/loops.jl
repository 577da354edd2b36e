# The loops over columns. They are compiled, those over numbers for each type of vector that is met.
module Loops
if isdefined(Base, :Experimental) && isdefined(Base.Experimental, Symbol("@compiler_options"))
    @eval Base.Experimental.@compiler_options compile=yes optimize=2 infer=yes
elseif isdefined(Base, :Experimental) && isdefined(Base.Experimental, Symbol("@optlevel"))
    @eval Base.Experimental.@optlevel 2
end
const outer = parentmodule(@__MODULE__)
const late = outer.late::Base.RefValue{Float64}
const Number_ = outer.Number_
const Counted = Union{String,Symbol,Char,Bool}

# How many are missing and how many there are, their mean, the sum of the squares of what they differ from it, the least
# and the greatest; nothing where the time ends before.
function pass(c::AbstractVector)
    gone, n, mean, m2 = 0, 0, 0.0, 0.0
    low = high = nothing
    for i in 1:length(c)
        i % 65536 == 0 && time() > late[] && return nothing
        x = @inbounds c[i]
        if x === missing
            gone += 1
            continue
        end
        n += 1
        f = Float64(x)
        step = f - mean
        mean += step / n
        m2 += step * (f - mean)
        if low === nothing || x < low
            low = x
        end
        if high === nothing || x > high
            high = x
        end
        if x != x
            low = high = x
        end
    end
    (gone, n, mean, m2, low, high)
end

# The numbers in their order.
function gather(c::AbstractVector)
    out = Float64[]
    sizehint!(out, length(c))
    for i in 1:length(c)
        x = @inbounds c[i]
        x === missing || push!(out, Float64(x))
    end
    time() > late[] ? nothing : sort!(out)
end

# How often each code is there, 0 first; nothing where the time ends before or a code is greater than most.
function tally(codes::Array, most::Int)
    counts = zeros(Int, most + 1)
    for i in 1:length(codes)
        i % 65536 == 0 && time() > late[] && return nothing
        k = codes[i] + 1
        k <= most + 1 || return nothing
        counts[k] += 1
    end
    counts
end

function missing_in(c::Vector)
    gone = 0
    for i in 1:length(c)
        i % 65536 == 0 && time() > late[] && return nothing
        isassigned(c, i) || continue
        x = @inbounds c[i]
        (x === missing || x === nothing) && (gone += 1)
    end
    gone
end

# The bytes of texts, of as many as there is time for.
function text_bytes(@nospecialize(c))
    n = 0
    for i in 1:length(c)
        i % 128 == 0 && time() > late[] && break
        isassigned(c, i) || continue
        x = invoke(getindex, Tuple{Array,Int}, c, i)
        x isa String && (n += ncodeunits(x) + 8)
    end
    n
end

# Columns of anything else, value by value: how many are missing and how many there are; the numbers where all are, their
# mean and the sum of the squares of what they differ from it, the first and the last where all are times; and where they are to be counted and all can be, the values and how often each
# is there.
function each(@nospecialize(c), rows::Int, count::Bool)
    gone, read, numbers, moments = 0, 0, true, true
    values, order, counts = Float64[], Any[], Dict{Any,Int}()
    low = high = nothing
    least = most = bytes = 0
    for i in 1:rows
        i % 128 == 0 && time() > late[] && return nothing
        x = nothing
        try
            x = c isa Array ? invoke(getindex, Tuple{Array,Int}, c, i) : outer.value_at(c, i)
        catch e
            e isa InterruptException && rethrow()
        end
        if x === missing || x === nothing
            gone += 1
            continue
        end
        read += 1
        if numbers && x isa Number_
            push!(values, Float64(x))
            (low === nothing || x < low) && (low = x)
            (high === nothing || x > high) && (high = x)
            x != x && (low = high = x)
            moments = count = false
            continue
        end
        numbers = false
        if moments && !(x isa Counted) && outer.is_moment(x)
            t = outer.ticks(x)::Int64
            (low === nothing || t < least) && ((least, low) = (t, x))
            (high === nothing || t > most) && ((most, high) = (t, x))
            count = false
            continue
        end
        moments = false
        key = !count ? nothing : x isa Counted ? x : outer.counted(x)
        if key === nothing
            count = false
        else
            key isa String && (bytes += ncodeunits(key))
            count = bytes <= 100_000_000
            n = counts[key] = get(counts, key, 0) + 1
            n == 1 && push!(order, key)
        end
    end
    numbers &= read > 0
    moments &= !numbers && read > 0
    known = numbers || moments
    mean = numbers ? sum(values) / read : 0.0
    m2 = numbers ? sum(x -> (x - mean)^2, values) : 0.0
    (gone, read, numbers ? values : nothing, mean, m2, known ? low : nothing, known ? high : nothing, count && !known ? order : nothing, counts)
end
end
