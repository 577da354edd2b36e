# A table of any of the known libraries: columns, types, first rows, figures on each column. Everything goes column by
# column, so that one that is slow or broken costs only itself.
import re

NUMBER = re.compile(r"(u?int\d|float|double|half|decimal)")
MOMENT = re.compile(r"(date|timestamp|time|duration|period)")
FEW, MANY = 100_000, 2_000_000  # rows up to which values are counted and quartiles are made


def table_info(v, key, question):
    rows, wide = question["head_rows"], question["max_columns"]
    if key in COLUMNS:
        v, problem = limited(1, lambda: v.to_frame())
        if problem:
            return {"error": "not_readable", "message": "the column cannot be read: " + problem}
    reader = {"polars": polars_table, "pyarrow": arrow_table}.get(key[0], pandas_table)
    basics, problem = limited(2, lambda: (shape_of(v), reader(v, wide)))
    if problem:
        return {"error": "not_readable", "message": "the table cannot be read: " + problem}
    shape, table = basics
    labels = unique([label(x) for x in table["labels"]])
    notes = []
    out = {"shape": shape, "columns": labels, "dtypes": dict(zip(labels, [cut(d, 100) for d in table["dtypes"]]))}
    if shape[1] is not None and shape[1] > len(labels):
        notes.append("only the first %d of %d columns are shown" % (len(labels), shape[1]))
    if any(x != y for x, y in zip(labels, map(label, table["labels"]))):
        notes.append("further columns of the same name have a number behind it here")
    if "index" in table:
        kind, names = table["index"]
        out["index"] = {"type": kind, "names": [None if x is None else label(x) for x in names[:20]]}
    objects = [name for name, d in zip(labels, table["dtypes"]) if d == "object"] if quiet else []
    memory, problem = (None, UNRUN) if objects else limited(2, table["memory"])
    if problem is None:
        out["memory_bytes"] = int(memory)
    else:
        notes.append("the memory is not known: " + problem)
    columns = [limited(1, table["column"], i) for i in range(len(labels))]
    if question["include_head"]:
        add_head(out, table, labels, min(rows, shape[0] or 0), notes)
    figures(out, table, labels, columns, shape[0], notes)
    if notes:
        out["notes"] = notes
    return out


def figures(out, table, labels, columns, rows, notes):
    out["missing"], out["describe"], slow = {}, {}, []
    for name, dtype, (column, problem) in zip(labels, table["dtypes"], columns):
        missing = None
        if problem is None:
            missing, problem = limited(2, table["missing"], column)
        if problem is None:
            out["missing"][name] = missing = int(missing)
            kind = dtype.lower()
            few = rows is not None and rows <= FEW
            how = (
                None if quiet and kind == "object" else "number" if NUMBER.match(kind) else "moment" if MOMENT.match(kind) else "value" if few else None
            )
            figure = {"count": rows - missing} if rows is not None else {}
            if how:
                found, problem = limited(2, table["describe"], column, how, rows is None or rows <= MANY)
                if found and few and "unique" not in found and "distinct" in table:
                    found["unique"], problem = limited(2, table["distinct"], column)
                for k, x in (found or {}).items():
                    figure[k] = cell(x, 100)
            if figure:
                out["describe"][name] = figure
        if problem:
            slow.append("%s: %s" % (name, problem))
    if slow:
        more = "; and %d more columns" % (len(slow) - 5) if len(slow) > 5 else ""
        notes.append("not all figures could be had: " + "; ".join(slow[:5]) + more)
    if rows is not None and rows > MANY:
        notes.append("quartiles are left out for tables of more than %d rows" % MANY)
    if rows is not None and rows > FEW:
        notes.append("the distinct values are not counted for tables of more than %d rows" % FEW)


def add_head(out, table, labels, rows, notes):
    raw, problem = limited(2, table["head"], rows)
    if problem:
        notes.append("the first rows cannot be read: " + problem)
        return
    index, columns = raw
    full, most = rows, 200
    while True:
        cells = [[cell(x, most) for x in c[:rows]] for c in columns]
        out["head"] = [dict(zip(labels, row)) for row in zip(*cells)]
        if index is not None:
            out["head_index"] = [cell(x, most) for x in index[:rows]]
        if rows <= 1 and most <= 20 or len(json.dumps(out["head"])) <= 100_000:
            break
        rows, most = (rows, 50) if most > 50 else (max(rows // 2, 1), most) if rows > 1 else (1, 20)
    if rows < full or most < 200:
        notes.append("the first rows are cut, to %d rows and %d characters a value" % (rows, most))


def label(x):
    """A column's name as one string: that of a tuple is what Python code would write."""
    return cut(x, 100) if type(x) is str else cut(short(x, 100), 100)


def unique(labels):
    seen, out = {}, []
    taken = set(labels)
    for x in labels:
        n = seen[x] = seen.get(x, 0) + 1
        y = x
        while n > 1 and y in taken:
            y = "%s #%d" % (x, n)
            n += 1
        taken.add(y)
        out.append(y)
    return out


def cell(x, most):
    """One value of a table as JSON has it: null for all that is missing, texts for what JSON has no form of."""
    if type(x) is float:
        return x if x - x == 0 else None if x != x else str(x)
    v = scalar(x, most)
    if v is not NOTHING:
        return v
    cls = type(x)
    home, name = module_name(cls).partition(".")[0], class_name(cls)
    if name in ("NaTType", "NAType"):
        return None
    if home == "numpy" and name != "ndarray":
        v, problem = limited(1, x.item)
        if problem is None and type(v) in (bool, int, float, str):
            return cell(v, most)
    if home in ("pandas", "datetime"):
        text, problem = limited(1, lambda: x.isoformat() if hasattr(x, "isoformat") and name != "Timedelta" else str(x))
        if problem is None:
            return cut(text, most)
    if home in ("decimal", "uuid", "fractions"):
        text, problem = limited(1, str, x)
        if problem is None:
            return None if text in ("NaN", "sNaN", "-NaN") else cut(text, most)
    return short(x, most)


def pandas_table(v, wide):
    """pandas and what has its methods."""
    rows = shape_of(v)[0]
    dtypes = list(v.dtypes.iloc[:wide])
    kind, names = class_name(type(v.index)), list(v.index.names)
    indexed = kind != "RangeIndex" or names != [None]
    # None of these functions may refer to the dictionary: a cycle would keep the user's table alive.
    table = {
        "labels": list(v.columns[:wide]),
        "dtypes": [str(d) for d in dtypes],
        "memory": lambda: v.memory_usage(index=True, deep=rows is not None and rows <= FEW).sum(),
        "column": lambda i: v.iloc[:, i],
        "missing": lambda c: c.isna().sum(),
        "distinct": lambda c: int(c.nunique()),
        "describe": pandas_column,
    }

    def head(n):
        top = v.iloc[:n]
        return list(top.index) if indexed else None, [list(top.iloc[:, i]) for i in range(len(dtypes))]

    table["head"] = head
    if indexed:
        table["index"] = (kind, names)
    return table


def pandas_column(c, how, quartiles):
    if how == "value":
        if not all_plain(c.cat.categories if str(c.dtype) == "category" else c):
            return {}
        counts = c.value_counts()
        counts = counts[counts > 0]
        out = {"unique": int(len(counts))}
        if len(counts):
            out["top"], out["freq"] = counts.index[0], int(counts.iloc[0])
        return out
    out = {} if how == "moment" else {"mean": c.mean(), "std": c.std()}
    out["min"] = c.min()
    if how == "number" and quartiles:
        for name, q in (("25%", 0.25), ("50%", 0.5), ("75%", 0.75)):
            out[name] = c.quantile(q)
    out["max"] = c.max()
    return out


PLAIN = {("builtins", n) for n in ("str", "bytes", "int", "float", "bool", "complex", "NoneType")}
PLAIN |= {("datetime", n) for n in ("date", "datetime", "time", "timedelta")} | {("decimal", "Decimal"), ("uuid", "UUID")}


def all_plain(values):
    """Whether values may be hashed and compared: pandas goes on after an exception there, so that no alarm ends it."""
    if not str(values.dtype).startswith("object"):
        return True
    types = {id(t): t for t in map(type, values)}.values()
    homes = [(module_name(t).partition(".")[0], class_name(t)) for t in types]
    return all(home in PLAIN or home[0] == "pandas" and home[1] in ("Timestamp", "Timedelta", "NaTType", "NAType") for home in homes)


def polars_table(v, wide):
    return {
        "labels": v.columns[:wide],
        "dtypes": [str(d) for d in v.dtypes[:wide]],
        "memory": v.estimated_size,
        "column": lambda i: v.to_series(i),
        "missing": lambda c: c.null_count(),
        "distinct": lambda c: c.drop_nulls().n_unique(),
        "describe": polars_column,
        "head": lambda n: (None, [v.to_series(i).head(n).to_list() for i in range(len(v.columns[:wide]))]),
    }


def polars_column(c, how, quartiles):
    if how == "value":
        return {"unique": c.drop_nulls().n_unique()}
    out = {} if how == "moment" else {"mean": c.mean(), "std": c.std()}
    out["min"] = c.min()
    if how == "number" and quartiles:
        for name, q in (("25%", 0.25), ("50%", 0.5), ("75%", 0.75)):
            out[name] = c.quantile(q, "linear")
    out["max"] = c.max()
    return out


def arrow_table(v, wide):
    compute = sys.modules.get("pyarrow.compute")
    arrow = sys.modules["pyarrow"]

    def able(figure, *args):
        """Of lists and the like there are no figures."""
        try:
            return figure(*args) if compute else {}
        except NotImplementedError:
            return {}

    def missing(c):
        return compute.is_null(c, nan_is_null=True)

    def plain(x):
        return arrow_values(arrow, arrow.repeat(x, 1), "", [])[0]

    def describe(c, how, quartiles):
        c = c.filter(compute.invert(missing(c)))
        if how == "value":
            counts = compute.value_counts(c)
            times = counts.field("counts").to_pylist()
            if not times:
                return {"unique": 0}
            most = max(times)
            return {"unique": len(times), "top": plain(counts.field("values")[times.index(most)]), "freq": most}
        ends = compute.min_max(c)
        out = {} if how == "moment" else {"mean": compute.mean(c).as_py(), "std": compute.stddev(c, ddof=1).as_py()}
        out["min"] = plain(ends["min"])
        if how == "number" and quartiles:
            out.update(zip(("25%", "50%", "75%"), compute.quantile(c, [0.25, 0.5, 0.75]).to_pylist()))
        out["max"] = plain(ends["max"])
        return out

    return {
        "labels": v.column_names[:wide],
        "dtypes": [str(f.type) for f in v.schema][:wide],
        "memory": lambda: v.nbytes,
        "column": lambda i: v.column(i),
        "missing": lambda c: c.null_count if compute is None else compute.sum(missing(c)).as_py() or 0,
        "distinct": lambda c: compute.count_distinct(c.filter(compute.invert(missing(c)))).as_py(),
        "describe": lambda *args: able(describe, *args),
        "head": lambda n: (None, [v.column(i).slice(0, n).to_pylist() for i in range(len(v.column_names[:wide]))]),
    }


def arrow_values(arrow, column, name, notes):
    kind = column.type
    try:
        # Of nanoseconds pyarrow makes objects of pandas, which need not be there and is slow to import.
        if arrow.types.is_timestamp(kind) and kind.unit == "ns":
            return [v and v.replace(" ", "T", 1).replace(".000000000", "") for v in column.cast(arrow.string()).to_pylist()]
        if arrow.types.is_duration(kind) and kind.unit == "ns":
            column = column.cast(arrow.duration("us"), safe=False)
        elif arrow.types.is_time64(kind) and kind.unit == "ns":
            column = column.cast(arrow.time64("us"), safe=False)
        return column.to_pylist()
    except MemoryError:
        raise
    except Exception as e:
        try:
            return column.cast(arrow.string()).to_pylist()
        except MemoryError:
            raise
        except Exception:
            notes.append("the values of %s cannot be shown: %s" % (label(name), failure(e)))
            return ["<not shown>"] * len(column)
