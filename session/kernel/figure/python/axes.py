# What a figure of matplotlib shows.
MOST_AXES, MOST_LEGEND, MOST_NAME = 6, 8, 200
DAYS = ("DateConverter", "ConciseDateConverter", "_SwitchableDateConverter", "DatetimeConverter")
MARKS = {  # by the class of matplotlib: what a reader calls it
    "FillBetweenPolyCollection": "area", "PolyCollection": "area", "QuadMesh": "color grid", "PolyQuadMesh": "color grid", "ContourSet": "contour plot",
    "QuadContourSet": "contour plot", "TriContourSet": "contour plot", "LineCollection": "line group", "Quiver": "arrow field",
}


def text_in(v, most=MOST_NAME):
    t = None if v is None else inside(v, "_text")
    return cut(t, most) if is_a(t, str) else ""


def axes_of(f):
    stack = inside(f, "_axstack")
    known = inside(stack, "_axes")
    if is_a(known, dict):
        return list(dict.keys(known))
    pairs = inside(stack, "_elements")  # up to 3.5, with the number of each
    if type(pairs) is list:
        return [p[1] for p in sorted((p for p in pairs if type(p) is tuple), key=lambda p: p[0])]
    return []


def named(cls, *names):
    """Whether it or a class it is made of is one of matplotlib's with such a name."""
    return any(class_name(c) in names for c in bases_of(cls))


def floats(v):
    """A small array as lists."""
    return v.tolist() if type(v) is stored_in("numpy", "ndarray") and v.dtype.kind == "f" and v.size <= 8 else None


def figure_info(f):
    every = [ax for ax in axes_of(f) if inside(ax, "_visible") is not False]
    return {
        "title": text_in(inside(f, "_suptitle")), "x_label": text_in(inside(f, "_supxlabel")), "y_label": text_in(inside(f, "_supylabel")),
        "axes": [axes_info(ax) for ax in every[:MOST_AXES]], "axes_total": len(axes_of(f)),
    }


def axes_info(ax):
    titles = [text_in(inside(ax, name)) for name in ("_left_title", "title", "_right_title")]
    out = {"title": " / ".join(t for t in titles if t), "colorbar": inside(ax, "_colorbar") is not None}
    on = inside(ax, "axison" if inside(ax, "zaxis") is None else "_axis3don") is not False
    for name in "xyz" if on else "":
        out[name + "_label"] = text_in(inside(inside(ax, name + "axis"), "label"))
    legend = inside(inside(ax, "legend_"), "texts")
    legend = [text_in(t) for t in list(legend)[:MOST_LEGEND + 1]] if is_a(legend, list) else []
    out["legend"] = legend[:MOST_LEGEND]
    if not out["colorbar"]:
        out["drawn"] = drawn_in(ax)
        if not on or all(d["what"] == "wedge" for d in out["drawn"]):  # nobody sees where it is
            return out
        limits = floats(inside(inside(ax, "dataLim"), "_points"))
        third = floats(inside(inside(ax, "zz_dataLim"), "_points"))
        if inside(ax, "zaxis") is not None:
            limits = floats(inside(inside(ax, "xy_dataLim"), "_points")) or limits
        for i, name in enumerate("xy"):
            if limits:
                out[name] = range_of(inside(ax, name + "axis"), limits[0][i], limits[1][i])
        if third and inside(ax, "zaxis") is not None:
            out["z"] = range_of(inside(ax, "zaxis"), third[0][0], third[1][0])
    return out


def range_of(axis, low, high):
    """What the data of an axis are between, numbers or texts; None where there are none."""
    if not (low - low == 0 and high - high == 0 and low <= high):
        return None
    converter = inside(axis, "_converter")
    converter = inside(axis, "converter") if converter is None else converter
    names = categories(axis)
    if names:
        return {"from": cut(names[0], MOST_NAME), "to": cut(names[-1], MOST_NAME)}
    if converter is not None and named(type(converter), *DAYS):
        low, high = moment(low), moment(high)
        return {"from": low, "to": high} if low and high else None
    if converter is not None and class_name(type(converter)) in ("PeriodConverter", "TimeConverter"):
        return None
    out = {"from": low, "to": high}
    if class_name(type(inside(axis, "_scale"))) in ("LogScale", "SymmetricalLogScale"):
        out["scale"] = "log"
    return out


def categories(axis):
    """The names of an axis' places, where it has names instead of numbers."""
    mapping = inside(inside(axis, "units"), "_mapping")
    if is_a(mapping, dict):
        return [k for k in list(dict.keys(mapping)) if is_a(k, str)]
    formatter = inside(inside(axis, "major"), "_formatter")
    names = inside(formatter, "seq")
    if class_name(type(formatter)) == "FuncFormatter":
        function = inside(formatter, "func")  # that names given for ticks make, with them by their places
        arguments = function.args if class_name(type(function)) == "partial" and module_name(type(function)) == "functools" else ()
        names = list(dict.values(arguments[0])) if len(arguments) == 1 and type(arguments[0]) is dict else None
    if type(names) in (list, tuple) and names and all(type(n) is str for n in names) and not all(n.strip("-−.0123456789 ") == "" for n in names):
        return names
    return None


def moment(days):
    """A number of days since matplotlib's epoch as a date, with the time where it has one."""
    import datetime

    epoch = stored_in("matplotlib.dates", "_epoch")
    try:
        base = datetime.datetime.fromisoformat(epoch if type(epoch) is str else "1970-01-01T00:00:00")
        at = base.replace(tzinfo=None) + datetime.timedelta(microseconds=round(days * 86400e3) * 1000)
    except (ValueError, OverflowError):
        return None
    return at.isoformat(" ", "seconds").removesuffix(" 00:00:00")


def drawn_in(ax):
    """What is in a plot, and how many of each."""
    children = inside(ax, "_children")
    children = list(children) if type(children) is list else []
    containers = inside(ax, "containers")
    counts, bars = {}, 0
    for c in list(containers) if type(containers) is list else ():
        if is_a(c, tuple) and named(type(c), "BarContainer"):
            bars += tuple.__len__(c)
    left = bars
    for c in children[:20_000]:
        t = type(c)
        if inside(c, "_visible") is False:
            continue
        what, n = None, 1
        if named(t, "Line2D"):
            x = inside(c, "_xorig")
            lone = inside(c, "_linestyle") in ("None", "none", " ", "")
            shape = x.shape if lone and type(x) is stored_in("numpy", "ndarray") else None
            what, n = ("point", shape[0]) if shape else ("line", 1)
        elif named(t, "Rectangle") and left > 0:
            what, left = "bar", left - 1
        elif named(t, "Patch"):
            what = "wedge" if named(t, "Wedge") else "shape"
        elif named(t, "PathCollection", "Path3DCollection", "RegularPolyCollection"):
            what, n = "point", offsets(c)
        elif named(t, "Collection"):
            what = next((MARKS[class_name(b)] for b in bases_of(t) if class_name(b) in MARKS), "collection")
        elif named(t, "_ImageBase"):
            array = inside(c, "_A")
            shape = array.shape if named(type(array), "ndarray") and module_name(type(array)).startswith("numpy") else ()
            what = ("image", " × ".join(str(int(n)) for n in shape[:3]))
        if what and n:
            what = what if type(what) is tuple else (what, "")
            counts[what] = counts.get(what, 0) + n
    return [{"what": what, "count": n, "shape": shape} for (what, shape), n in counts.items()][:8]


def offsets(c):
    v = inside(c, "_offsets3d")
    if type(v) is tuple and v:
        v = v[0]
    else:
        v = inside(c, "_offsets")
    return int(v.shape[0]) if named(type(v), "ndarray") and module_name(type(v)).startswith("numpy") and v.shape else 1
