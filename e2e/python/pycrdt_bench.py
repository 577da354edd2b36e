"""A process that times pycrdt for the benchmark: what ../node/yjs_bench.mjs does, with the same requests."""

import base64
import gc
import json
import sys
import time
import traceback

from pycrdt import Array, Doc, Map, Text

given = {}


def load(updates):
    doc = Doc()
    for u in updates:
        doc.apply_update(u)
    return doc


def cells(doc):
    return doc.get("cells", type=Array)


def code_cell():
    doc = Doc()
    cell = Map({
        "cell_type": "code",
        "id": "c",
        "source": Text(),
        "metadata": Map(),
        "outputs": Array(),
        "execution_count": None,
        "execution_state": "idle",
    })
    cells(doc).append(cell)
    return cell, cell["outputs"]


def timed(f):
    start = time.perf_counter()
    size = f()
    return {"ms": (time.perf_counter() - start) * 1e3, "size": size}


def apply_state(update):
    return timed(lambda: len(cells(load([update]))))


def apply_and_read(update):
    return timed(lambda: len(cells(load([update])).to_py()))


def encode(update):
    doc = load([update])
    return timed(lambda: len(doc.get_update()))


def inserts(read):
    text = Doc().get("source", type=Text)

    def work():
        for at in given["positions"]:
            text.insert(at, "x")
            if read:
                str(text)
        return len(text)

    return timed(work)


def stream(read):
    cell, outputs = code_cell()
    line = given["line"]

    def work():
        for _ in range(given["appends"]):
            last = outputs[len(outputs) - 1] if len(outputs) > 0 else None
            if last is not None and last["output_type"] == "stream" and last["name"] == "stdout":
                text = last["text"]
                text += line
            else:
                outputs.append(Map({"output_type": "stream", "name": "stdout", "text": Text(line)}))
            if read:
                cell.to_py()
        return len(outputs[0]["text"])

    return timed(work)


def append_outputs():
    _, outputs = code_cell()

    def work():
        for _ in range(given["appends"]):
            outputs.append(Map({"output_type": "display_data", "data": {"text/plain": "x"}, "metadata": {}}))
        return len(outputs)

    return timed(work)


def history():
    text = Doc().get("source", type=Text)

    def work():
        for at, n, s in given["history"]:
            if n > 0:
                del text[at : at + n]
            if s != "":
                text.insert(at, s)
        return len(text)

    return timed(work)


def resident():
    """The megabytes of this process that are in memory; the library's own are not Python's to count."""
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    raise OSError("the system does not say how much memory the process has")


def memory(count, state):
    gc.collect()
    before = resident()
    docs = [load([state]) for _ in range(count)]
    gc.collect()
    return {"rssMB": resident() - before, "size": len(docs)}


WORKLOADS = {
    "apply": lambda: apply_state(given["fresh"]),
    "applyRead": lambda: apply_and_read(given["fresh"]),
    "encode": lambda: encode(given["fresh"]),
    "applyEdited": lambda: apply_state(given["edited"]),
    "applyReadEdited": lambda: apply_and_read(given["edited"]),
    "encodeEdited": lambda: encode(given["edited"]),
    "inserts": lambda: inserts(False),
    "insertsRead": lambda: inserts(True),
    "stream": lambda: stream(False),
    "streamRead": lambda: stream(True),
    "streamRemote": lambda: timed(lambda: len(cells(load(given["stream"])))),
    "outputs": append_outputs,
    "history": history,
    "historyRemote": lambda: timed(lambda: len(load(given["historyUpdates"]).get("source", type=Text))),
    "memory": lambda: memory(100, given["small"]),
    "memoryEdited": lambda: memory(10, given["edited"]),
}


def command_give(g):
    for k in ("fresh", "edited", "small"):
        g[k] = base64.b64decode(g[k])
    for k in ("stream", "historyUpdates"):
        g[k] = [base64.b64decode(u) for u in g[k]]
    given.update(g)


def command_run(name):
    gc.collect()
    return WORKLOADS[name]()


def main():
    for line in sys.stdin:
        try:
            answer = [globals()["command_" + name](*args) for name, *args in json.loads(line)]
        except BaseException:  # a panic in pycrdt's Rust is no Exception
            answer = {"error": traceback.format_exc()}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
