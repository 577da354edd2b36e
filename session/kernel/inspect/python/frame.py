# One table, or an error that says what is there instead.


def inspect(question):
    if question.get("quiet"):
        quiet.append(True)
    v, problem = find(question["name"])
    if problem:
        return problem
    key = known(v)
    if key not in FRAMES and key not in COLUMNS:
        what = cut(class_name(type(v)), 200)
        return {"error": "not_a_dataframe", "message": "%s is of type %s, not a table" % (question["name"], what)}
    out = {"name": question["name"], "type": cut(class_name(type(v)), 200)}
    out.update(table_info(v, key, question))
    return out
