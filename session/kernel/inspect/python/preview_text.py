# Delimited text and JSON lines, as streams: no more than a line of bounded length is held besides what is shown.
import codecs
import csv
import io

LINE = 4 << 20  # characters of one row
SAMPLE = 1 << 20  # bytes by which the encoding is known
MISSING = {"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None"}
INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]{0,17})\Z")
REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?\Z")
TRUTH = re.compile(r"(true|false)\Z", re.I)
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?( ?(Z|[+-][0-9]{2}:?[0-9]{2}))?\Z")
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)


def open_bytes(path):
    import importlib

    packed = PACKED.get(endings(path)[1])
    return importlib.import_module(packed).open(path, "rb") if packed else open(path, "rb")


def open_text(path, question, notes):
    with open_bytes(path) as f:
        sample = f.read(SAMPLE)
    encoding = named_encoding(question["encoding"]) if question["encoding"] else guess_encoding(sample, notes)
    return io.TextIOWrapper(open_bytes(path), encoding=encoding, errors="replace", newline=""), encoding


def named_encoding(name):
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        found = None
    if found is None or not getattr(found, "_is_text_encoding", True):
        raise Refused("invalid_encoding", "there is no text encoding %r: such are utf-8, utf-16, cp1252, latin-1, cp932, gb18030" % name)
    return found.name


def guess_encoding(sample, notes):
    for mark, name in MARKS:
        if sample.startswith(mark):
            return name
    few = sample[:4096]
    if b"\0" in few:
        pairs = max(len(few) // 2, 1)
        for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):
            if few[first::2].count(0) > pairs * 0.4 and few[1 - first :: 2].count(0) < pairs * 0.1:
                return name
        raise Refused("not_readable", "the file is not text: it has zero bytes")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, len(sample) < SAMPLE)
        return "utf-8"
    except UnicodeDecodeError:
        notes.append("the file is not UTF-8: it was read as cp1252, which is a guess; give encoding where texts look wrong")
        return "cp1252"


def lines(f, state):
    """The lines, as long as a row has no more than LINE characters and, once enough are kept, as there is time."""
    while True:
        line = f.readline(LINE)
        if not line:
            return
        state["chars"] += len(line)
        if state["chars"] >= LINE:
            state["cut"] = True
            yield line
            return
        if state["enough"] and time.monotonic() > state["until"]:
            state["late"] = True
            return
        yield line


def started():
    return {"chars": 0, "cut": False, "late": False, "enough": False, "until": time.monotonic() + COUNT}


def total(f, path, state, n):
    """The number of rows if all were seen, else None and what it may be by the part of the file that was."""
    if not state["cut"] and not state["late"]:
        return n, None
    if state["cut"] or PACKED.get(endings(path)[1]):
        return None, None
    at = f.buffer.tell()
    return None, round(n * os.path.getsize(path) / at) if n and at else None


def delimiter_of(text, whole):
    best, score = ",", (0, 1)
    for d in ",\t;|":
        rows = []
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=d):
            rows.append(len(row))
            if len(rows) == 20:
                break
        else:
            if not whole and len(rows) > 1:
                rows.pop()
        rows = [n for n in rows if n]
        if rows and rows[0] > 1:
            mine = (sum(n == rows[0] for n in rows) / len(rows) >= 0.8, rows[0])
            if mine > score:
                best, score = d, mine
    return best


def read_delimited(path, question, notes, _, tabs=False):
    csv.field_size_limit(16 * LINE)
    f, encoding = open_text(path, question, notes)
    with f:
        delimiter = question["delimiter"] or ("\t" if tabs else None)
        if delimiter is None:
            text = f.read(1 << 16)
            delimiter = delimiter_of(text, len(text) < 1 << 16)
            f.close()
            f = io.TextIOWrapper(open_bytes(path), encoding=encoding, errors="replace", newline="")
        with f:
            table = delimited_rows(f, path, delimiter, question, notes)
    table["more"] = {"encoding": encoding, "delimiter": delimiter}
    return table


def delimited_rows(f, path, delimiter, question, notes):
    wide, want = question["max_columns"], question["head_rows"]
    state, header, rows, n, chars, longer, tally = started(), None, [], 0, 0, False, Tally("")
    for row in csv.reader(lines(f, state), delimiter=delimiter):
        if state["late"]:
            break  # a row that was not read to its end
        state["chars"] = 0
        if not row:
            continue
        if header is None:
            header = row
            continue
        n += 1
        if tally.whole:
            tally.add([v if len(v) <= WHOLE else key(v) for v in row[:wide]])
        longer = longer or len(row) > len(header)
        if len(rows) < want or len(rows) < TYPED and chars < KEPT:
            rows.append([kept(v) for v in row[:wide]])
            chars += sum(map(len, rows[-1]))
        else:
            state["enough"] = True
    if state["cut"]:
        notes.append("row %d is longer than %d characters: nothing behind them was read%s" % (n, LINE, "; a quote may be missing" if n else ""))
        clock["cuts"] += 1
    if header is None:
        notes.append("the file is empty")
        return {"labels": [], "dtypes": [], "columns": [], "rows": 0}
    if longer:
        notes.append("some rows have more values than there are column names: those are not shown")
    labels = [kept(v) if v.strip() else "Unnamed: %d" % i for i, v in enumerate(header[:wide])]
    columns = [[row[i] if i < len(row) else "" for row in rows] for i in range(len(labels))]
    typed = [typed_column(c) for c in columns]
    if len(rows) < n:
        notes.append("the types are guessed from the first %d rows" % len(rows))
    if any("\ufffd" in v for c in columns for v in c[:want]):
        notes.append("some bytes are no text in this encoding, and shown as \ufffd; give encoding where it is another one")
    count, estimate = total(f, path, state, n)
    tally.whole = tally.whole and count is not None
    return {
        "labels": labels, "dtypes": [k for k, _ in typed], "columns": [c[:want] for _, c in typed],
        "rows": count, "estimate": estimate, "width": len(header), "counted": tally.table(typed_column),
    }


def typed_column(values):
    """The type that all values have, and the values in it."""
    there = [v for v in (v.strip() for v in values) if v not in MISSING]
    if not there:
        return "empty", [None] * len(values)
    for pattern, kind, convert in (
        (INTEGER, "int64", int), (REAL, "float64", float), (TRUTH, "bool", lambda v: v.lower() == "true"),
        (DATE, "date", str), (TIME, "datetime", str),
    ):
        if all(map(pattern.match, there)) and not (kind == "float64" and any(v.lstrip("+-")[:1] == "0" and v.lstrip("+-")[1:2].isdigit() for v in there)):
            return kind, [None if v.strip() in MISSING else convert(v.strip()) for v in values]
    return "string", [v or None for v in values]


def read_jsonl(path, question, notes, _):
    f, encoding = open_text(path, question, notes)
    with f:
        want, state, n, chars, bad = question["head_rows"], started(), 0, 0, 0
        kinds, head, tally = {}, [], Tally()
        for line in lines(f, state):
            state["chars"] = 0
            line = line.strip()
            if not line:
                continue
            n += 1
            state["enough"] = len(head) >= want and (n > TYPED or chars >= KEPT)
            if state["enough"] and not tally.whole:
                continue
            chars += len(line)
            try:
                if state["cut"]:
                    raise ValueError("it is longer than %d characters" % LINE)
                row = json.loads(line)
            except (ValueError, RecursionError) as e:
                if n == 1:
                    raise Refused("not_readable", "the file is not JSON lines, one value a line; the first line: " + failure(e)) from None
                bad += 1
                continue
            if type(row) is not dict:
                row = {"value": row}
            for k, v in () if state["enough"] else row.items():
                kinds.setdefault(k, set()).add(kind_name(v))
            if tally.whole:
                tally.add([key(row.get(k)) for k in itertools.islice(kinds, question["max_columns"])])
            if len(head) < want:
                head.append({k: kept(v) for k, v in row.items()})
        if bad:
            notes.append("%s not JSON and left out" % ("1 line is" if bad == 1 else "%d lines are" % bad))
        if state["cut"]:
            notes.append("line %d is longer than %d characters: nothing behind them was read" % (n, LINE))
            clock["cuts"] += 1
        if not n:
            notes.append("the file is empty")
        elif state["enough"]:
            notes.append("columns and types are those of the file's first rows")
        count, estimate = total(f, path, state, n)
        tally.whole = tally.whole and count is not None
    labels = list(kinds)
    return {
        "labels": labels, "dtypes": [joined(kinds[k]) for k in labels], "rows": count, "estimate": estimate,
        "columns": [[row.get(k) for row in head] for k in labels[: question["max_columns"]]], "more": {"encoding": encoding},
        "counted": tally.table(),
    }
