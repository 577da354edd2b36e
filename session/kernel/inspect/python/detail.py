# One value: what it is, how large, a bounded text of it, and what it is made of.


def text_of(v, key, most):
    if quiet and (key != ("numpy", "ndarray") or v.dtype.hasobject):
        return "<%s: %s>" % (cut(class_name(type(v)), 100), UNRUN)
    if key == ("numpy", "ndarray"):
        numpy = sys.modules["numpy"]
        return cut(numpy.array2string(v, threshold=200, edgeitems=3), most)
    return own_repr(v, most)


def inspect(question):
    if question.get("quiet"):
        quiet.append(True)
    v, problem = find(question["name"])
    if problem:
        return problem
    most = question["max_chars"]
    cls = type(v)
    out = {"name": question["name"], "type": cut(class_name(cls), 200), "module": cut(module_name(cls), 200)}
    size = size_of(v)
    if size is not None:
        out["size"] = size
    key = known(v)
    if key in FRAMES or key in COLUMNS:
        table = table_info(v, key, question)
        if "error" not in table:
            out["dataframe"] = table
            return out
    clock["cuts"] = 0
    value = scalar(v, most)
    if value is NOTHING:
        if key is None:
            value = short(v, most)
        else:
            value, problem = limited(2, text_of, v, key, most)
            if problem:
                value = "<%s: it cannot be shown, %s>" % (out["type"], problem)
        value = cut(value, most)
    out["value"] = value
    if clock["cuts"]:
        out["truncated"] = True
    inside = instance_dict(v)
    if key is None and inside and not is_a(v, type(sys)) and not is_a(v, type):
        names = [n for n in list(dict.keys(inside)) if type(n) is str]
        out["attributes"] = [
            {"name": cut(n, 200), "type": cut(class_name(type(inside[n])), 200)} for n in names[:50] if n in inside
        ]
    return out
