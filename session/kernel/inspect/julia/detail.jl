# One value: what it is, how large, a bounded text of it, and what it is made of.
function parts_of(@nospecialize(v))
    T = typeof(v)
    out = Any[]
    (v isa Type || v isa Module || v isa Function || v isa Array || v isa Tuple || v isa AbstractDict || v isa AbstractSet || v isa AbstractRange || v isa BitArray || is_known(v)) && return out
    T isa DataType && isstructtype(T) || return out
    for i in 1:min(nfields(v), 50)
        push!(out, Obj("name", cut(string(fieldname(T, i)), 200), "type", isdefined(v, i) ? type_of(getfield(v, i)) : "undefined"))
    end
    out
end

function detail(question)
    v = find(question["name"])
    most = question["max_chars"]
    out = Obj("name", question["name"], "type", type_of(v), "module", module_name(v))
    size = size_of(v)
    size === nothing || add!(out, "size", size)
    frame_columns(v) === nothing || return add!(out, "dataframe", table_info(v, question))
    cuts[] = 0
    value = scalar(v, most)
    value === NOTHING && (value = cut(short(v, most), most))
    add!(out, "value", value)
    cuts[] > 0 && add!(out, "truncated", true)
    inside = parts_of(v)
    isempty(inside) || add!(out, "attributes", inside)
    out
end
