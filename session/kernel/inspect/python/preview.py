# The first rows of a file. This runs in a kernel that is for nothing else, whose working folder has the file.
import os

# A file of the user's that is called as a module is must not be taken for it.
sys.path[:] = [p for p in sys.path if p and p != os.getcwd()]

MEMORY = 1 << 30  # bytes that reading a file may take, besides what the libraries do
READ = 6  # seconds for reading
COUNT = 2  # and for counting rows in all
TYPED = 1000  # rows that types are guessed from
KEPT = 8 << 20  # characters that are kept of them
LONG = 1000  # characters kept of one value

ENDINGS = {
    ".csv": "csv", ".txt": "csv", ".dat": "csv", ".tsv": "tsv", ".tab": "tsv", ".xlsx": "excel", ".xlsm": "excel",
    ".parquet": "parquet", ".parq": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".jsonlines": "jsonl", ".feather": "feather", ".arrow": "feather", ".ipc": "feather", ".sqlite": "sqlite",
    ".sqlite3": "sqlite", ".db": "sqlite", ".db3": "sqlite",
}
PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
MAGIC = ((b"PAR1", "parquet"), (b"ARROW1", "feather"), (b"SQLite format 3\0", "sqlite"))
SPOKEN = {"csv": "CSV", "tsv": "TSV", "excel": "Excel", "parquet": "Parquet", "jsonl": "JSON lines", "feather": "Feather", "sqlite": "SQLite"}


class Refused(Exception):
    """An answer that says why there is none: a code and a sentence."""


def inspect(question):
    data = question.get("data")
    if data is None:
        return look(os.path.join(os.getcwd(), *question["path"].split("/")), question)
    import base64
    import tempfile

    with tempfile.TemporaryDirectory(prefix="nbduet-") as folder:
        path = os.path.join(folder, "file" + "".join(endings(question["path"])))
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
        return look(path, question)


def endings(path):
    """The format's ending and that of a packed file around it, in small letters."""
    rest, last = os.path.splitext(path.lower())
    if last in PACKED:
        return os.path.splitext(rest)[1], last
    return last, ""


def look(path, question):
    import stat

    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return {"error": "not_here", "message": "the kernel does not see the file"}
    if not stat.S_ISREG(found.st_mode):
        return {"error": "not_readable", "message": "it is not a file of data, but a folder, a pipe or a device"}
    try:
        kind = question["format"] or format_of(path)
        modules = load(kind)
    except Refused as e:
        return refusal(e)
    except OSError as e:
        return {"error": "not_readable", "message": "the file cannot be opened: " + failure(e)}
    bound_memory()
    notes = []
    clock["read"] = time.monotonic() + READ
    table, problem = limited(READ, guarded, READERS[kind][0], path, question, notes, modules)
    if problem is None and "error" in table:
        return table
    if problem == TOO_LONG:
        return {"error": "too_slow", "message": "the first rows of the file could not be read in %d seconds" % READ}
    if problem and "MemoryError" in problem:
        return {"error": "too_large", "message": "reading the file's first rows takes more than %d MiB of memory" % (MEMORY >> 20)}
    if problem:
        return {"error": "not_readable", "message": "the file cannot be read as %s: %s" % (SPOKEN[kind], problem)}
    out = {"format": kind, "size_bytes": found.st_size, "seen": {"size": found.st_size, "modified": found.st_mtime}}
    return describe(out, table, question, notes)


def guarded(reader, *args):
    try:
        return reader(*args)
    except Refused as e:
        return refusal(e)


def refusal(e):
    code, message = e.args
    return {"error": code, "message": clean(message)}


def format_of(path):
    last, packed = endings(path)
    kind = ENDINGS.get(last)
    if packed and kind not in ("csv", "tsv", "jsonl"):
        kind = None
    if kind is None and not packed:
        with open(path, "rb") as f:
            head = f.read(16)
        kind = next((k for magic, k in MAGIC if head.startswith(magic)), None)
    if kind is None:
        # What names tools is marked, for not every client has them.
        advice = {
            ".xls": " (save it as .xlsx)", ".ipynb": "\ue0f1 (read_nb_cells reads notebooks)\ue0f2",
            ".json": "\ue0f1 (get_document_content reads it)\ue0f2",
        }.get(last, "")
        raise Refused(
            "unsupported_format",
            "of a file whose name ends in %r the format is not known%s: give format, one of %s"
            % (last + packed, advice, ", ".join(SPOKEN)),
        )
    return kind


def load(kind):
    import importlib

    _, package, modules = READERS[kind]
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # others reserve more address space than bound_memory leaves
    importlib.invalidate_caches()  # it may have been installed a moment ago
    try:
        return [importlib.import_module(m) for m in modules]
    except ImportError as e:
        raise Refused(
            "reader_missing",
            "reading %s files takes the Python package %s, which cannot be imported where the kernel runs (%s): install it with `pip install %s` for %s, then try again"
            % (SPOKEN[kind], package, failure(e), package, sys.executable),
        ) from None


def bound_memory():
    """A limit for this process, where the system has such a thing: a hostile file must not take the machine down."""
    try:
        import resource

        with open("/proc/self/statm") as f:
            used = int(f.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = used + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    except (ImportError, OSError, ValueError):
        pass


def describe(out, table, question, notes):
    """The answer. A table has labels, dtypes and the first values of each column; rows, estimate, width, more."""
    wide = question["max_columns"]
    labels = unique([label(x) for x in table["labels"][:wide]])
    width, rows = table.get("width", len(table["labels"])), table.get("rows")
    out.update(rows=rows, shape=[rows, width], columns=labels, dtypes=dict(zip(labels, [cut(d, 100) for d in table["dtypes"]])))
    if table.get("estimate") is not None:
        out["rows_estimate"] = table["estimate"]
    for name, value in table.get("more", {}).items():
        out[name] = [cut(x, 200) for x in value[:200]] if type(value) is list else cut(value, 200)
        if type(value) is list and len(value) > 200:
            notes.append("only the first 200 of %d %s are listed" % (len(value), name))
            clock["cuts"] += 1
    if width > len(labels):
        notes.append("only the first %d of %d columns are shown" % (len(labels), width))
        clock["cuts"] += 1
    if any(x != y for x, y in zip(labels, map(label, table["labels"]))):
        notes.append("further columns of the same name have a number behind it here")
    columns = table["columns"]
    shown = min(question["head_rows"], max(map(len, columns), default=0))
    table["head"] = lambda n: (None, [c[:n] for c in columns])
    before = len(notes)
    add_head(out, table, labels, shown, notes)
    out["truncated"] = bool(clock["cuts"] or len(notes) > before)
    if table.get("counted"):
        add_figures(out, labels, *table["counted"], notes)
    elif "counted" in table:
        notes.append("missing and distinct values could not be counted")
    if notes:
        out["notes"] = [cut(n, 500) for n in notes[:20]]
    return out


def add_figures(out, labels, known, n, whole, notes):
    clock["end"] = min(clock["end"], time.monotonic() + 2 * FIGURES)
    known["dtypes"] = list(out["dtypes"].values())
    columns = [limited(1, known["column"], i) for i in range(len(labels))]
    figures(out, known, labels, columns, n, notes)
    if not whole:
        notes.append("missing and distinct values are counted of the first {:,} row{}".format(n, "" if n == 1 else "s"))


def kept(v):
    """A value as it is kept for the head: of bounded length."""
    if type(v) in (dict, list):
        return json.dumps(v, ensure_ascii=False)[:LONG]
    return v[:LONG] if type(v) is str else v


KINDS = {"int": "int64", "str": "string", "float": "float64", "dict": "object", "NoneType": None}


def kind_name(v):
    """What a Python value is called in dtypes, None for a missing one."""
    name = class_name(type(v))
    return KINDS.get(name, name)


def joined(kinds):
    """One name for the kinds of values that a column has."""
    kinds = set(kinds) - {None}
    if kinds == {"int64", "float64"}:
        return "float64"
    return " | ".join(sorted(kinds)) or "empty"


def spelled(names):
    return ", ".join(repr(n[:60]) for n in names[:20]) + (" and %d more" % (len(names) - 20) if len(names) > 20 else "")
