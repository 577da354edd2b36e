"""A process that holds pycrdt documents, plain ones and notebooks of the server's model, for the differential tests.

It speaks the protocol of ../node/yjs_peer.mjs: one JSON request a line on stdin, an array of commands; one line on stdout
with an array of results, or {"error": ...}.
"""

import base64
import json
import sys
import traceback

import nbformat
from jupyter_ydoc import YNotebook
from pycrdt import Array, Doc, Map, Text

from peer_values import decode_value, encode_bytes, encode_value, mod
from server_notebook import Notebook

docs = {}


class Held:
    """A document and the updates that it has made since the last command."""

    def __init__(self, doc, notebook=None):
        self.doc = doc
        self.notebook = notebook
        self.updates = []
        # The subscription ends when nobody holds it.
        self.subscription = doc.observe(lambda event: self.updates.append(encode_bytes(event.update)))
        declare(doc)


def declare(doc):
    for name, kind in ROOTS.items():
        doc.get(name, type=kind)


ROOTS = {"cells": Array, "meta": Map, "state": Map, "map": Map, "list": Array}


TYPES = ["code", "markdown", "raw"]


def make_cell(id, type, source, metadata):
    entries = {"cell_type": type, "id": id, "source": Text(source), "metadata": Map(metadata)}
    if type == "code":
        entries |= {"outputs": Array(), "execution_count": None, "execution_state": "idle"}
    return Map(entries)


def make_output(o):
    return Map({k: Text(v) if k == "text" and isinstance(v, str) else v for k, v in o.items()})


def cell(doc, n, part=None, kind=None):
    cells = doc["cells"]
    if len(cells) == 0:
        return None
    m = cells[mod(n, len(cells))]
    if not isinstance(m, Map):
        return None
    if part is not None and not isinstance(m.get(part), kind):
        return None
    return m


def part(doc, n, name, kind):
    m = cell(doc, n, name, kind)
    return None if m is None else m[name]


# Texts are addressed by bytes of UTF-8.


def splice(text, n1, n2, s):
    was = str(text)
    start = mod(n1, len(was) + 1)
    count = mod(n2, min(len(was) - start, 8) + 1)
    at = len(was[:start].encode())
    size = len(was[start : start + count].encode())
    if size > 0:
        del text[at : at + size]
    if s != "":
        text.insert(at, s)


def op_init(doc, o):
    meta = doc["meta"]
    meta["nbformat"] = 4
    meta["nbformat_minor"] = 5
    meta["metadata"] = Map({"kernelspec": {"name": "python3", "display_name": "Python 3"}})


def op_insert(doc, o):
    cells, n = doc["cells"], o["n"]
    cells.insert(mod(n[0], len(cells) + 1), make_cell(o["id"], TYPES[mod(n[1], 3)], o["s"], o["v"]))


def op_delete(doc, o):
    cells = doc["cells"]
    if len(cells) > 1:
        del cells[mod(o["n"][0], len(cells))]


def op_source(doc, o):
    text = part(doc, o["n"][0], "source", Text)
    if text is not None:
        splice(text, o["n"][1], o["n"][2], o["s"])


def op_rewrite(doc, o):
    text = part(doc, o["n"][0], "source", Text)
    if text is not None:
        text.clear()
        text += o["s"]


def op_meta(doc, o):
    m = part(doc, o["n"][0], "metadata", Map)
    if m is not None:
        m[o["s"]] = decode_value(o["v"])


def op_unmeta(doc, o):
    m = part(doc, o["n"][0], "metadata", Map)
    if m is not None:
        m.pop(o["s"], None)


def op_nbmeta(doc, o):
    m = doc["meta"].get("metadata")
    if isinstance(m, Map):
        m[o["s"]] = decode_value(o["v"])


def op_start(doc, o):
    m = cell(doc, o["n"][0], "outputs", Array)
    if m is not None:
        m["outputs"].clear()
        m["execution_count"] = None
        m["execution_state"] = "running"


def op_finish(doc, o):
    m = cell(doc, o["n"][0], "outputs", Array)
    if m is not None:
        m["execution_count"] = o["n"][1]
        m["execution_state"] = "idle"


def op_stream(doc, o):
    outputs = part(doc, o["n"][0], "outputs", Array)
    if outputs is None:
        return
    name = "stdout" if mod(o["n"][1], 2) == 0 else "stderr"
    last = outputs[len(outputs) - 1] if len(outputs) > 0 else None
    if isinstance(last, Map) and last.get("name") == name and isinstance(last.get("text"), Text):
        text = last["text"]
        text += o["s"]
    else:
        outputs.append(make_output({"output_type": "stream", "name": name, "text": o["s"]}))


def op_output(doc, o):
    outputs = part(doc, o["n"][0], "outputs", Array)
    if outputs is not None:
        v = decode_value(o["v"])
        outputs.append(make_output(v) if mod(o["n"][1], 2) == 0 else v)


def op_clear(doc, o):
    outputs = part(doc, o["n"][0], "outputs", Array)
    if outputs is not None:
        outputs.clear()


def op_state(doc, o):
    doc["state"][o["s"]] = decode_value(o["v"])


def op_map(doc, o):
    doc["map"][o["s"]] = decode_value(o["v"])


def op_unmap(doc, o):
    doc["map"].pop(o["s"], None)


def op_list(doc, o):
    values = doc["list"]
    at = mod(o["n"][0], len(values) + 1)
    for i, v in enumerate(o["v"]):
        values.insert(at + i, decode_value(v))


def op_unlist(doc, o):
    values = doc["list"]
    start = mod(o["n"][0], len(values) + 1)
    count = mod(o["n"][1], min(len(values) - start, 4) + 1)
    if count > 0:
        del values[start : start + count]


OPERATIONS = {name[3:]: f for name, f in list(globals().items()) if name.startswith("op_")}


def read(doc):
    return {
        "roots": {name: encode_value(doc[name].to_py()) for name in ROOTS},
        "sv": encode_bytes(doc.get_state()),
    }


def command_new(name, client, is_notebook):
    doc = Doc(client_id=client)
    docs[name] = Held(doc, Notebook(doc, client) if is_notebook else None)


def command_drop(name):
    docs.pop(name, None)


def command_edit(name, ops):
    held = docs[name]
    held.updates = []
    if held.notebook is not None:
        held.notebook.edit(ops, OPERATIONS)
        return held.updates
    with held.doc.transaction():
        for o in ops:
            OPERATIONS[o["op"]](held.doc, o)
    return held.updates


def command_apply(name, *updates):
    held = docs[name]
    held.updates = []
    for u in updates:
        held.doc.apply_update(base64.b64decode(u))
    return {"all": held.updates, "own": []}


def command_sv(name):
    return encode_bytes(docs[name].doc.get_state())


def command_diff(name, sv):
    return encode_bytes(docs[name].doc.get_update(base64.b64decode(sv)))


def command_read(name):
    """What is in a document, and the notebook in the model's own reading."""
    held = docs[name]
    notebook = held.notebook and encode_value(held.notebook.model.get(deduplicate=False))
    return read(held.doc) | {"notebook": notebook}


def command_load(_, update):
    doc = Doc()
    doc.apply_update(base64.b64decode(update))
    declare(doc)
    return read(doc)


def command_file(_, update, others_undid):
    """The notebook that the server would write to the file, checked."""
    doc = YNotebook()
    doc.ydoc.apply_update(base64.b64decode(update))
    notebook = doc.get()
    written = encode_value(notebook)
    for cell in notebook["cells"]:
        if others_undid and cell["cell_type"] == "code":
            # The undo of Jupyter's models lets a cell return without what somebody else has set in it since.
            cell.setdefault("execution_count", None)
    nbformat.validate(nbformat.from_dict(notebook))
    return written


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
