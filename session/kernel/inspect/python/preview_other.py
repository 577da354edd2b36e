# SQLite, Excel, Parquet and Feather.


def read_sqlite(path, question, notes, modules):
    import pathlib

    sqlite3 = modules[0]
    # immutable: the file is neither locked nor written to, and no file is made beside it.
    db = sqlite3.connect(pathlib.Path(path).as_uri() + "?mode=ro&immutable=1", uri=True, check_same_thread=False)
    try:
        db.text_factory = lambda b: b.decode("utf-8", "replace")
        if hasattr(db, "setlimit"):
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 100 << 20)
        db.execute("PRAGMA trusted_schema=OFF")
        if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
            notes.append("what was written last may be in the file's -wal beside it, which was not read")
        return sqlite_table(db, question, notes)
    finally:
        db.close()


def ask_sqlite(db, seconds, sql, *args):
    """The rows. Only an interrupt from another thread ends SQLite's own loops."""
    watch = threading.Timer(seconds, db.interrupt)
    watch.start()
    try:
        return db.execute(sql, args).fetchall()
    except Exception as e:
        if "interrupted" in str(e):
            raise Refused("too_slow", "the table could not be read in %d seconds: it may be a view that computes much" % seconds) from None
        raise
    finally:
        watch.cancel()
        watch.join()


def sqlite_table(db, question, notes):
    tables = ask_sqlite(db, 3, "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name LIMIT 10000")
    names = [n for n, _ in tables]
    if not names:
        notes.append("the database has no tables")
        return {"labels": [], "dtypes": [], "columns": [], "rows": 0, "more": {"tables": []}}
    name = chosen(question, "table", names)
    columns = ask_sqlite(db, 3, "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1", name)
    quoted = lambda n: '"' + n.replace('"', '""') + '"'
    shown = [quoted(n) for n, _ in columns[: question["max_columns"]]]
    # Of a long value only the beginning, which keeps its type.
    parts = ", ".join("CASE typeof(%s) WHEN 'text' THEN substr(%s, 1, %d) WHEN 'blob' THEN substr(%s, 1, %d) ELSE %s END" % (c, c, LONG, c, LONG, c) for c in shown)
    sql = "SELECT %s FROM %s LIMIT " % (parts, quoted(name))
    rows = ask_sqlite(db, 3, sql + str(question["head_rows"])) if shown else []
    try:
        count = ask_sqlite(db, 2, "SELECT count(*) FROM " + quoted(name))[0][0]
    except Refused:
        count = None
    values = [list(c) for c in zip(*rows)] or [[] for _ in shown]
    return {
        "labels": [n for n, _ in columns], "columns": values, "rows": count,
        # A column without a declared type may hold any: then what is there.
        "dtypes": [t or joined(map(kind_name, v)) for (_, t), v in zip(columns, values)],
        "more": {"tables": names, "table": name}, "counted": sqlite_tally(db, sql) if shown else Tally().table(),
    }


def sqlite_tally(db, sql):
    tally = Tally()
    watch = threading.Timer(max(tally.until - time.monotonic(), 0), db.interrupt)
    watch.start()
    try:
        for row in db.execute(sql + str(FEW + 1)):
            if not tally.add(list(map(key, row))):
                break
    except Exception:  # too slow or broken behind the rows that are shown
        tally.whole = False
    finally:
        watch.cancel()
        watch.join()
    return tally.table()


def chosen(question, what, names):
    name = question[what]
    if not name:
        return names[0]
    if name not in names:
        raise Refused(what + "_not_found", "there is no %s %r: there are %s" % (what, name, spelled(names)))
    return name


def read_excel(path, question, notes, modules):
    import warnings
    import zipfile

    try:
        with zipfile.ZipFile(path) as z:
            for part in z.infolist():
                # Sheets are read as streams; all else would be held in memory. What is declared is what can be unpacked.
                if part.file_size > 100 << 20 and not part.filename.startswith(("xl/worksheets/", "xl/media/")):
                    raise Refused("too_large", "a part of the workbook, %s, unpacks to %d MiB" % (cut(part.filename, 60), part.file_size >> 20))
    except zipfile.BadZipFile:
        raise Refused("not_readable", "the file is no .xlsx workbook: it is broken, encrypted, or of the old .xls format") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = modules[0].load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            names = [s.title for s in book.worksheets]
            if not names:
                raise Refused("not_readable", "the workbook has no sheets with cells")
            name = chosen(question, "sheet", names)
            table = excel_rows(book[name], question)
        finally:
            book.close()
    table["more"] = {"sheets": names, "sheet": name}
    return table


def excel_rows(sheet, question):
    wide, want = question["max_columns"], question["head_rows"]
    most = max(want, 100)
    every = sheet.iter_rows(max_row=FEW + 2, max_col=wide, values_only=True)
    first = list(itertools.islice(every, most + 1))
    rows = [list(map(kept, r)) for r in first]
    while rows and all(v is None for v in rows[-1]):
        rows.pop()
    header = rows.pop(0) if rows else []
    width = max((i + 1 for r in [header, *rows] for i, v in enumerate(r) if v is not None), default=0)
    labels = ["Unnamed: %d" % i if v is None else v if type(v) is str else str(v) for i, v in enumerate(header[:width])]
    columns = [[r[i] for r in rows] for i in range(width)]
    tally, blank = Tally(), 0
    for i, r in enumerate(itertools.chain(first[1:], every), 1):
        if i > FEW or not tally.whole or i > most and time.monotonic() > tally.until:
            tally.whole = False
            break
        if all(v is None for v in r[:width]):
            blank += 1  # is a row only if others follow
        else:
            for _ in range(blank):
                tally.add(())
            tally.add(list(map(key, r[:width])))
            blank = 0
    counted = tally.table()
    # What a sheet declares of its size is a bound: empty rows and columns that are formatted count there.
    bound = (sheet.max_row or 0) - 1
    return {
        "labels": labels, "dtypes": [joined(map(kind_name, c)) for c in columns], "columns": [c[:want] for c in columns],
        "rows": tally.n if tally.whole else None, "estimate": None if tally.whole or bound <= most else bound,
        "counted": counted,
        "width": max(width, sheet.max_column or 0) if width == wide else width,
    }


def read_parquet(path, question, notes, modules):
    arrow, parquet, _ = modules
    with parquet.ParquetFile(path, memory_map=False, pre_buffer=False, buffer_size=1 << 16) as f:
        meta, schema, wide = f.metadata, f.schema_arrow, question["max_columns"]
        group = next((i for i in range(meta.num_row_groups) if meta.row_group(i).num_rows), None)
        names, batch = schema.names, None
        few = names[:wide] if len(names) > wide else None
        if group is not None:
            batch = next(f.iter_batches(question["head_rows"], row_groups=[group], columns=few, use_threads=False), None)
        size = min(10_000, (16 << 20) * len(batch) // max(batch.nbytes, 1) + 1) if batch else 1
        return arrow_head(arrow, schema, batch, meta.num_rows, wide, notes, lambda: f.iter_batches(size, columns=few, use_threads=False))


def read_feather(path, question, notes, modules):
    arrow, ipc, _ = modules
    wide = question["max_columns"]
    with arrow.OSFile(path) as f:
        magic = f.read(6)
        f.seek(0)
        if magic[:4] == b"FEA1":
            raise Refused("not_readable", "the file is of Feather's first version, which is not read a part at a time: pyarrow.feather.read_table reads it")
        if magic != b"ARROW1":
            with ipc.open_stream(f) as s:
                batch = next((b for b in s if b.num_rows), None)
                return arrow_head(arrow, s.schema, batch, None, wide, notes, lambda: itertools.chain([batch] if batch else [], s))
        schema = ipc.open_file(f).schema
        some = list(range(min(len(schema), wide)))
        with ipc.open_file(f, options=ipc.IpcReadOptions(use_threads=False, included_fields=some)) as r:
            every = range(r.num_record_batches)
            batch = next((b for b in map(r.get_batch, every) if b.num_rows), None)
            return arrow_head(arrow, schema, batch, arrow_count(path), wide, notes, lambda: map(r.get_batch, every))


def arrow_count(path):
    """By what the file says of its parts, without reading them."""
    try:
        from pyarrow import dataset

        return dataset.dataset(path, format="feather").count_rows()
    except (ImportError, ValueError, OSError):
        return None


def arrow_head(arrow, schema, batch, rows, wide, notes, batches):
    columns = [[] for _ in range(min(len(schema), wide))]
    if batch is not None:
        columns = [arrow_values(arrow, batch.column(i).slice(0, 100), schema.field(i).name, notes) for i in range(len(columns))]
    return {
        "labels": schema.names, "dtypes": [str(f.type) for f in schema][:wide], "columns": columns, "rows": rows,
        "counted": arrow_counted(arrow, schema, batches, wide),
    }


def arrow_counted(arrow, schema, batches, wide):
    """The first rows as a table, which is described as that of a data frame is."""
    until, some, n, seen, held, whole = figures_end(), [], 0, 0, 0, False
    try:
        for b in batches():
            some.append(b.slice(0, FEW - n))
            n, seen, held = n + len(some[-1]), seen + len(b), held + b.nbytes
            if seen > FEW or held > BATCHES or time.monotonic() > until:
                break
        else:
            whole = True
        table = arrow.Table.from_batches(some) if some else schema.empty_table()
    except Exception:  # there is not the memory, or a later part is broken
        return None
    return (arrow_table(table, wide), n, whole) if n or whole else None


# By format: what reads it, the package that it takes, and the modules of it.
READERS = {
    "csv": (read_delimited, "", ()),
    "tsv": (lambda *args: read_delimited(*args, tabs=True), "", ()),
    "jsonl": (read_jsonl, "", ()),
    "sqlite": (read_sqlite, "sqlite3", ("sqlite3",)),
    "excel": (read_excel, "openpyxl", ("openpyxl",)),
    "parquet": (read_parquet, "pyarrow", ("pyarrow", "pyarrow.parquet", "pyarrow.compute")),
    "feather": (read_feather, "pyarrow", ("pyarrow", "pyarrow.ipc", "pyarrow.compute")),
}
