# Finding the value that a dotted path names, without running code of the user's.


def find(path):
    """(value, None) or (None, the answer that refuses it)."""
    first, *rest = path.split(".")
    v = dict.get(namespace(), normal(first), NOTHING)
    if v is NOTHING:
        return None, {"error": "variable_not_found", "message": "there is no variable %s" % first}
    seen = first
    for name in rest:
        v, problem = attribute(v, normal(name))
        if problem:
            code, why = problem
            return None, {"error": code, "message": "%s.%s %s" % (seen, name, why)}
        seen += "." + name
    return v, None


def normal(name):
    """As Python reads an identifier."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFKC", name)


def attribute(v, name):
    """One attribute: a column of a table, or what is stored in the object or its class, read without asking either."""
    from inspect import getattr_static

    if known(v) in FRAMES:
        column, problem = limited(1, column_named, v, name)
        if problem is None and column is not NOTHING:
            return column, None
    found = getattr_static(v, name, NOTHING)
    if found is NOTHING:
        return None, ("variable_not_found", "does not exist, or only by running code of its object")
    t = type(found)
    if t in (type(members_of(type(run))["__globals__"]), type(type.__dict__["__name__"])):
        # A slot, or a field of a class that is compiled.
        value, problem = limited(1, found.__get__, v, type(v))
        return value, problem and ("not_readable", "cannot be read: " + problem)
    if t in (staticmethod, classmethod):
        return found.__func__, None
    if t in (type(run), type(len), type(str.join)) or is_a(found, type):
        return found, None
    if any("__get__" in members_of(cls) for cls in bases_of(t)):
        return None, ("not_readable", "is a property: reading it would run its code\ue0f1, which is for execute_code to do\ue0f2")
    return found, None


def column_named(v, name):
    columns = v.column_names if known(v) == ("pyarrow", "Table") else list(v.columns)
    return v[name] if sum(1 for c in columns if type(c) is str and c == name) == 1 else NOTHING
