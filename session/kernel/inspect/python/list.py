# The variables of the namespace. No code of theirs is run, save that well-known libraries are asked for a shape.


def user_names(everything):
    ns, sh = namespace(), shell()
    hidden = getattr(sh, "user_ns_hidden", None)
    if type(hidden) is not dict:
        hidden = {}
    plain = (type(sys), type(run), type(len), type)
    out = []
    for name in list(dict.keys(ns)):
        if type(name) is not str or name.startswith("_"):
            continue
        v = dict.get(ns, name, NOTHING)
        if v is NOTHING or hidden.get(name, NOTHING) is v:
            continue
        if not everything and (type(v) in plain or is_a(v, type)):
            continue
        out.append(name)
    return sorted(out)


def entry(name, v):
    out = {"name": cut(name, 200), "type": cut(class_name(type(v)), 200)}
    value = scalar(v, 100)
    if value is not NOTHING:
        out["value"] = value
    if value is NOTHING or type(v) is str and len(v) > 100:
        size = size_of(v)
        if size is not None:
            out["size"] = size
    return out


def inspect(question):
    names = user_names(question["all"])
    ns, out = namespace(), []
    for name in names[question["offset"] : question["offset"] + question["limit"]]:
        v = dict.get(ns, name, NOTHING)
        if v is not NOTHING:  # a thread may have deleted it
            out.append(entry(name, v))
    return {"variables": out, "total": len(names)}
