# One table or column of one, or an error that says what is there instead.
function frame(question)
    name = question["name"]
    v = find(name)
    table = table_columns(v)
    if table === nothing && occursin('.', name) && rows_of(v) !== nothing
        table = (Symbol[Symbol(split(name, '.')[end])], Any[v], rows_of(v))
    end
    table === nothing && refuse("not_a_dataframe", name, " is of type ", type_of(v), ", not a table")
    out = Obj("name", name, "type", type_of(v))
    append!(out.of, table_info(table, question).of)
    out
end
