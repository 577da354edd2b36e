# What all inspections share: time limits, what can be known of an object without running its code, and short texts.
#
# All of this runs in a dictionary of its own, with builtins that the user's names do not hide. Nothing here may raise
# into the kernel, which would keep the exception in sys.last_value, nor print.
import json
import signal
import sys
import threading
import time

NOTHING = object()
TOO_LONG = "it took too long"
class_name = type.__dict__["__name__"].__get__
bases_of = type.__dict__["__mro__"].__get__
members_of = type.__dict__["__dict__"].__get__


def module_name(cls):
    name = type.__dict__["__module__"].__get__(cls)
    return name if type(name) is str else ""


def is_a(v, base):
    """isinstance asks the object itself, which may lie or run code; its real type does neither."""
    return base in bases_of(type(v))


# The types of well-known libraries, by the package and the name of a class among their bases. The libraries are not
# imported for this. Their code is trusted not to change anything, but not to be quick.
FRAMES = {
    ("pandas", "DataFrame"), ("modin", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table"),
    ("cudf", "DataFrame"),
}
COLUMNS = {("pandas", "Series"), ("modin", "Series"), ("polars", "Series"), ("cudf", "Series")}
ARRAYS = {
    ("numpy", "ndarray"), ("torch", "Tensor"), ("xarray", "DataArray"), ("pandas", "Index"), ("scipy", "spmatrix"),
    ("scipy", "sparray"), ("tensorflow", "Tensor"), ("jaxlib", "ArrayImpl"), ("jaxlib", "Array"), ("cupy", "ndarray"),
    ("dask", "Array"), ("pyarrow", "Array"), ("pyarrow", "ChunkedArray"),
}
OTHERS = {("xarray", "Dataset"), ("dask", "DataFrame"), ("dask", "FrameBase"), ("polars", "LazyFrame")}
KNOWN = FRAMES | COLUMNS | ARRAYS | OTHERS


def known(v):
    """The (package, class) by which the object's type is known, or None."""
    for cls in bases_of(type(v)):
        key = (module_name(cls).partition(".")[0], class_name(cls))
        if key in KNOWN:
            return key
    return None


# Time. SIGALRM ends Python code and whatever in C heeds signals, such as a sleep, exactly where this inspection is:
# nobody's cell can be hit by it. It comes again and again for code that catches it. Where there is no such signal
# (Windows, or not the main thread), a thread raises the exception instead, which a sleep does not feel.
clock = {"end": 0.0, "armed": False, "fired": False, "alarm": False, "timer": None, "cuts": 0}
slow = set()  # types whose repr has taken too long: that of the next one would as well


def ring(*_):
    if clock["armed"]:
        clock["fired"] = True
        raise KeyboardInterrupt


def arm(seconds):
    clock["fired"] = False
    clock["armed"] = True
    if clock["alarm"]:
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
        return
    import ctypes

    thread, off = ctypes.c_ulong(threading.get_ident()), threading.Event()

    def watch():
        wait = seconds
        while not off.wait(wait):
            clock["fired"], wait = True, 0.2
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(KeyboardInterrupt))

    def stop():
        off.set()
        watcher.join()
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, None)  # one that has not come through yet

    watcher = threading.Thread(target=watch, daemon=True)
    clock["timer"] = stop
    watcher.start()


def disarm():
    clock["armed"] = False
    if clock["alarm"]:
        signal.setitimer(signal.ITIMER_REAL, 0)
    elif clock["timer"]:
        stop, clock["timer"] = clock["timer"], None
        stop()


def limited(seconds, fn, *args):
    """Calls fn, for a time and not beyond the end of the inspection: (its value, None) or (None, what went wrong)."""
    seconds = min(seconds, clock["end"] - time.monotonic())
    if seconds <= 0:
        return None, "no time was left for it"
    try:
        try:
            arm(seconds)
            value = fn(*args)
        finally:
            disarm()
        return value, None
    except KeyboardInterrupt:
        disarm()
        if not clock["fired"]:
            raise  # somebody interrupts the kernel: that ends all of it
        return None, TOO_LONG
    except BaseException as e:
        if clock["fired"]:
            return None, TOO_LONG
        return None, "it raises " + failure(e)


def failure(e):
    args = BaseException.args.__get__(e)
    said = args[0] if args and type(args[0]) is str else ""
    return class_name(type(e)) + (": " + clean(said[:200]) if said else "")


def with_alarm(fn):
    """Calls fn with our handler for SIGALRM in place, and puts back the user's with the time that was left."""
    clock["alarm"] = (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) is not None
    )
    if not clock["alarm"]:
        return fn()
    began = time.monotonic()
    left, every = signal.setitimer(signal.ITIMER_REAL, 0)
    old = signal.signal(signal.SIGALRM, ring)
    try:
        return fn()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.001), every)


# Texts and values.


def clean(s):
    """The text without lone surrogates, which JSON's readers refuse."""
    try:
        s.encode("utf-8")
        return s
    except UnicodeEncodeError:
        return s.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def cut(s, most):
    """At most so many characters of a text, which may be of a subclass of str."""
    n = str.__len__(s)
    head = clean(str.__getitem__(s, slice(0, most)))
    if n <= most:
        return head
    clock["cuts"] += 1
    return head + "…"


def scalar(v, most):
    """A plain value as JSON has it, else NOTHING."""
    t = type(v)
    if v is None or t is bool:
        return v
    if t is int:
        return v if -(2**53) <= v <= 2**53 else big(v)
    if t is float:
        return v if v - v == 0 else str(v)
    if t is str:
        return cut(v, most)
    if t is complex:
        return str(v)
    return NOTHING


def big(v):
    """An int that readers of JSON would round."""
    return str(v) if v.bit_length() <= 2000 else "an integer of %d bits" % v.bit_length()


quiet = []  # not empty where no code of the values may run
UNRUN = "nothing of its own is run with --read-only"


def own_repr(v, most):
    return cut(repr(v), most)


def short(v, most, depth=4):
    """What repr would say, of bounded length, also of containers of any size."""
    t = type(v)
    if t in (str, bytes, bytearray):
        return cut(repr(v[:most]), most - (len(v) > most)) + ("…" if len(v) > most else "")
    if t is int:
        return big(v)
    if v is None or t in (bool, float, complex, range):
        return repr(v) if t is not range or max(map(abs, (v.start, v.stop))) < 2**200 else "a range"
    if is_a(v, dict) and is_builtin(t):
        pairs, n = dict.items(v), dict.__len__(v)
        body = several(pairs, n, most, depth, lambda p, m: short(p[0], m, depth - 1) + ": " + short(p[1], m, depth - 1))
        return ("" if t is dict else class_name(t)) + "{" + body + "}"
    for base, left, right in ((list, "[", "]"), (tuple, "(", ")"), (set, "{", "}"), (frozenset, "frozenset({", "})")):
        if t is base:
            if t is set and not v:
                return "set()"
            body = several(v, len(v), most, depth, lambda x, m: short(x, m, depth - 1))
            return left + body + ("," if t is tuple and len(v) == 1 else "") + right
    if quiet:
        return "<%s: %s>" % (cut(class_name(t), 100), UNRUN)
    # By id: a class may be of a kind that cannot be hashed. The object that is looked at keeps it alive.
    text, problem = (None, TOO_LONG) if id(t) in slow else limited(1, own_repr, v, most)
    if problem == TOO_LONG:
        slow.add(id(t))
    return text if problem is None else "<%s: its repr cannot be shown, %s>" % (cut(class_name(t), 100), problem)


def is_builtin(t):
    return module_name(t) in ("builtins", "collections")


def several(items, n, most, depth, each):
    if n and depth <= 0:
        clock["cuts"] += 1
        return "…"
    out, length = [], 0
    for item in items:
        if len(out) == 100 or length >= most:
            break
        out.append(each(item, max(most - length, 20)))
        length += len(out[-1]) + 2
    if n > len(out):
        clock["cuts"] += 1
        out.append("… %d more" % (n - len(out)))
    return ", ".join(out)


def shape_of(v):
    shape = v.shape
    return [int(n) if type(n) is int or type(n).__module__ == "numpy" else None for n in shape]


def size_of(v):
    """A few words on how large a value is, without running its code: None where there is nothing to say."""
    t = type(v)
    if t in (bytes, bytearray):
        return count(len(v), "byte")
    for base in (list, tuple, dict, set, frozenset):
        if is_a(v, base):
            return count(base.__len__(v), "item")
    if is_a(v, str):
        return count(str.__len__(v), "character")
    if class_name(t) == "deque" and is_builtin(t):
        return count(len(v), "item")
    key = known(v)
    if key is not None:
        text, problem = limited(1, known_size, v, key)
        return text if problem is None else "unknown: " + problem
    if is_a(v, type) or is_a(v, type(sys)):
        return own_size(v)
    n = len(instance_dict(v))
    return count(n, "attribute") if n else own_size(v)


def own_size(v):
    """The bytes of the object itself, as far as that is known without its own code."""
    t = type(v)
    try:
        for cls in bases_of(t):
            own = members_of(cls).get("__sizeof__")
            if cls is not object and is_builtin(cls) and type(own) is type(type.__sizeof__):
                return count(own(v), "byte")
        # What object says of a type with items, such as a generator, is the number that stands where some such types
        # have how many there are, and others have an address.
        if type.__dict__["__itemsize__"].__get__(t):
            return count(type.__dict__["__basicsize__"].__get__(t), "byte")
        return count(object.__sizeof__(v), "byte")
    except Exception:
        return None


def count(n, what):
    return "%d %s%s" % (n, what, "" if n == 1 else "s")


def known_size(v, key):
    if key == ("polars", "LazyFrame"):
        return "not computed"
    if key == ("xarray", "Dataset"):
        return " × ".join("%s %d" % (clean(str(k)[:50]), n) for k, n in v.sizes.items())
    if key == ("pyarrow", "Array") or key == ("pyarrow", "ChunkedArray"):
        return count(len(v), "value")
    if key[0] == "dask" and key[1] != "Array":
        return "? rows × %d cols" % len(v.columns)
    shape = ["?" if n is None else n for n in shape_of(v)]
    if key in FRAMES:
        return "%s rows × %s cols" % tuple(shape)
    if key in COLUMNS:
        return "%s rows" % tuple(shape)
    return " × ".join(map(str, shape)) + " " + cut(str(v.dtype), 40) if shape else cut(str(v.dtype), 40)


def instance_dict(v):
    """The attributes that the object itself has. A class that replaces __dict__ is not asked."""
    for cls in bases_of(type(v)):
        entry = members_of(cls).get("__dict__")
        if entry is not None:
            if type(entry) is type(type.__dict__["__name__"]):
                found = entry.__get__(v)
                return found if type(found) is dict else {}
            return {}
    return {}


def shell():
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def namespace():
    sh = shell()
    return sys.modules["__main__"].__dict__ if sh is None else sh.user_ns


def run(inspection, question):
    """Answers as JSON, whatever happens."""
    clock["end"] = time.monotonic() + question["seconds"]
    try:
        answer = with_alarm(lambda: inspection(question))
    except KeyboardInterrupt:
        answer = {"error": "interrupted", "message": "the inspection was interrupted"}
    except BaseException as e:
        answer = {"error": "failed", "message": failure(e)}
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
