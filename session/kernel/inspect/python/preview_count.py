# How often each value is in a column of the first rows, and the same figures of that as of a data frame.
import collections
import itertools

FIGURES = 1.5  # seconds for it, while the rows are read
HELD = 1_000_000  # different values in all columns
BATCHES = 128 << 20  # bytes of the batches of Arrow
WHOLE = 100  # characters by which two texts are compared, besides their hash


def figures_end():
    """Reading for the figures alone must not make the file too slow."""
    return min(time.monotonic() + FIGURES, clock["read"] - 1)


class Tally:
    """Counts the values of rows until there are too many, or it takes too long."""

    def __init__(self, gap=None):
        self.n, self.whole, self.rows, self.gap = 0, True, [], gap
        self.counts = collections.defaultdict(collections.Counter)  # by the column's index
        self.until = figures_end()

    def add(self, row):
        if self.n + len(self.rows) == FEW:
            self.whole = False
        if self.whole:
            self.rows.append(row)
            if len(self.rows) == 100:
                self.flush()
                self.whole = self.whole and time.monotonic() < self.until and sum(map(len, self.counts.values())) < HELD
        return self.whole

    def flush(self):
        try:
            for i, column in enumerate(itertools.zip_longest(*self.rows, fillvalue=self.gap)):
                self.counts[i].update(column)
            self.n += len(self.rows)
        except MemoryError:
            self.counts, self.whole = None, False
        self.rows = []

    def table(self, typed=None):
        """What figures needs. typed makes values of a column's texts: see typed_column."""
        self.flush()

        def column(i):
            count, values = collections.Counter(), list(self.counts[i])
            kind, values = typed(values) if typed else (joined(map(kind_name, values)), values)
            for v, n in zip(values, self.counts[i].values()):
                if v is not None and v == v:
                    count[v] += n
            # Of several types none can be sorted.
            return "mixed" if " | " in kind else kind, count

        known = {
            "column": column, "missing": lambda c: self.n - sum(c[1].values()),
            "describe": lambda c, *_: counted(c[1], NUMBER.match(c[0]), MOMENT.match(c[0])),
        }
        return None if self.counts is None or not self.n and not self.whole else (known, self.n, self.whole)


def key(v):
    """A value as it is counted: it can be hashed, and is of bounded length."""
    if type(v) in (dict, list):
        v = json.dumps(v, ensure_ascii=False, sort_keys=True)
    if type(v) is str and len(v) > WHOLE:
        return v[:WHOLE] + "…%x" % hash(v)
    return v[:WHOLE] + b"%x" % hash(v) if type(v) is bytes and len(v) > WHOLE else v


def counted(count, number, moment):
    out = {"unique": len(count)}
    if not count:
        return out
    if not number and not moment:
        out["top"], out["freq"] = count.most_common(1)[0]
        return out
    out["min"], out["max"] = min(count), max(count)
    try:
        if number:
            out.update(number_figures(sorted(count.elements())))
    except OverflowError:  # of integers that no float can hold
        pass
    return out


def number_figures(values):
    n = len(values)
    mean = sum(values) / n
    out = {"mean": mean}
    if n > 1:
        out["std"] = (sum((v - mean) * (v - mean) for v in values) / (n - 1)) ** 0.5
    for name, q in (("25%", 0.25), ("50%", 0.5), ("75%", 0.75)):
        low, part = divmod((n - 1) * q, 1)
        v = values[int(low)]
        out[name] = v + (values[int(low) + 1] - v) * part if part else v
    return out
