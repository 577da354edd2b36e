# Finding the value that a name, or a path of names with dots between them, stands for.
#
# A name that a module has by `using` alone is not asked for: asking binds it there, and the user could not define it then.
function find(path::String)
    parts = split(path, '.')
    seen = String(parts[1])
    v = global_of(Main, parts[1], seen)
    for name in parts[2:end]
        seen = string(seen, ".", name)
        v = v isa Module ? global_of(v, name, seen) : part(v, name, seen)
    end
    v
end

# The same name as Julia's parser reads it, and as it is written.
forms(name) = (Symbol(name), Symbol(Base.Unicode.normalize(String(name), :NFC)))

function global_of(m::Module, name, seen)
    all = names(m, all = true, imported = true)
    for n in forms(name)
        n in all && isdefined(m, n) && return getfield(m, n)
    end
    refuse("variable_not_found", "there is no variable ", seen)
end

function part(@nospecialize(v), name, seen)
    table = frame_columns(v)
    T = typeof(v)
    for n in forms(name)
        if table !== nothing
            i = findfirst(isequal(n), table[1])
            i === nothing || return table[2][i]
        elseif !(v isa Type) && T isa DataType && isstructtype(T) && n in fieldnames(T)
            isdefined(v, n) || refuse("not_readable", seen, " has no value")
            return getfield(v, n)
        end
    end
    refuse("variable_not_found", seen, " does not exist, or only by running code of its object")
end
