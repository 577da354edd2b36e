# What IJulia does with code, for julia_kernel.py: see there. A field of a request or an answer is its length in bytes, a
# line's end, and as many bytes. The argument is the descriptor that the answers go to.
module IJulia

import REPL

ans = nothing
n = 0
In = Dict{Int,String}()
Out = Dict{Int,Any}()
clear_history() = (empty!(In); empty!(Out); nothing)

told() = String(read(stdin, parse(Int, readline(stdin))))
function tell(wire, fields...)
    for field in fields
        write(wire, string(sizeof(field)), '\n', field)
    end
end

function shown(x)
    buffer = IOBuffer()
    show(IOContext(buffer, :limit => true, :color => true), MIME("text/plain"), x)
    s = String(take!(buffer))
    isvalid(s) ? s : "(binary data)"
end
problem(e) = (string(typeof(e)), sprint(showerror, e isa LoadError ? e.error : e))

function execute(wire)
    global ans, n
    silent, store, code = told() == "1", told() == "1", told()
    expressions = [(told(), told()) for _ in 1:parse(Int, told())]
    silent || (n += 1)
    silent = silent || REPL.ends_with_semicolon(code)
    store && (In[n] = code)
    tell(wire, string(n))
    try
        ans = result = include_string(REPL.softscope, Main, code, "In[$n]")
        if silent
            result = nothing
        elseif result !== nothing && result !== Out && store
            Out[n] = result
        end
        answers = []
        for (name, expression) in expressions
            try
                push!(answers, ("ok", shown(include_string(Main, expression))))
            catch e
                push!(answers, ("error", problem(e)...))
            end
        end
        last = result === nothing ? ("none",) : ("result", Base.invokelatest(shown, result))
        tell(wire, "ok")
        foreach(fields -> tell(wire, fields...), answers)
        tell(wire, last...)
    catch e
        tell(wire, "error", Base.invokelatest(problem, e)...)
    end
    flush(wire)
end

function serve()
    wire = fdio(parse(Int, popfirst!(ARGS)), true)
    ccall(:jl_exit_on_sigint, Cvoid, (Cint,), 0)
    while true
        try
            eof(stdin) && break
            execute(wire)
        catch e
            e isa InterruptException || rethrow() # when nothing ran
        end
    end
end

end

import .IJulia: ans, In, Out, clear_history

IJulia.serve()
