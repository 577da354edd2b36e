# The variables of Main. No code of theirs is run.

# Names that are imported, such as ans, In and Out, are not the user's.
function user_names(everything::Bool)
    out = Symbol[]
    for name in names(Main, all = true, imported = false)
        text = String(name)
        (startswith(text, '_') || startswith(text, '#') || text in ("Base", "Core", "Main", "eval", "include")) && continue
        isdefined(Main, name) || continue
        v = getfield(Main, name)
        !everything && (v isa Module || v isa Function || v isa Type) && continue
        push!(out, name)
    end
    sort!(String[String(n) for n in out])
end

function entry(name::String)
    v = getfield(Main, Symbol(name))
    out = Obj("name", cut(name, 200), "type", type_of(v))
    value = scalar(v, 100)
    value === NOTHING || add!(out, "value", value)
    if value === NOTHING || v isa Text_ && ncodeunits(v) > 100
        size = size_of(v)
        size === nothing || add!(out, "size", size)
    end
    out
end

function list(question)
    all = user_names(question["all"])
    first = question["offset"] + 1
    shown = all[min(first, length(all) + 1):min(first + question["limit"] - 1, length(all))]
    lines = Any[]
    for name in shown
        push!(lines, try entry(name) catch e; e isa InterruptException && rethrow(); Obj("name", cut(name, 200), "type", "unknown") end)
    end
    Obj("variables", lines, "total", length(all))
end
