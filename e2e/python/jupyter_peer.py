"""A process that holds notebooks of jupyter_ydoc, the server's model of shared documents, for the differential tests.

It speaks the protocol of ../node/yjs_peer.mjs. Notebooks are checked with nbformat.
"""

import base64
import json
import sys
import traceback

import nbformat
from jupyter_ydoc import YNotebook
from nbformat import v4


def samples():
    """Notebooks of nbformat's own making, one for each minor version of format 4."""
    code = v4.new_code_cell(
        "print('é😀')\n",
        execution_count=3,
        metadata={"tags": ["a"], "collapsed": False, "k": {"n": None, "l": [1, 2.5, True, {}]}},
        outputs=[
            v4.new_output("stream", name="stdout", text="é😀\nline\n"),
            v4.new_output("display_data", {"text/plain": "<x>", "application/json": {"a": [1, {"b": None}]}}, metadata={"w": 2}),
            v4.new_output("execute_result", {"text/plain": "1"}, execution_count=3),
            v4.new_output("error", ename="E", evalue="v", traceback=["\x1b[31ma", "b"]),
        ],
    )
    notebooks = []
    for minor in range(6):
        nb = v4.new_notebook(
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}, "x": {"y": [0.5, -1]}},
            cells=[
                code,
                v4.new_markdown_cell("# T\n\n![a](attachment:a.png)"),
                v4.new_raw_cell("raw\r\nend", metadata={"format": "text/x-rst"}),
                v4.new_code_cell(""),
                v4.new_markdown_cell(""),
            ],
        )
        nb = json.loads(json.dumps(nb))
        nb["nbformat_minor"] = minor
        for i, cell in enumerate(nb["cells"]):
            cell.pop("id", None)
            if minor >= 5:
                cell["id"] = f"cell-{i}"
        if minor >= 1:  # attachments came with 4.1
            nb["cells"][1]["attachments"] = {"a.png": {"image/png": "iVBORw0="}}
        nbformat.validate(nb)
        notebooks.append(nb)
    return notebooks


def command_samples():
    return samples()


def command_write(notebook):
    """The state of a document that is made from a notebook."""
    doc = YNotebook()
    doc.set(notebook)
    return base64.b64encode(doc.ydoc.get_update()).decode()


def command_read(state):
    """The notebook in a state, as the server saves it."""
    doc = YNotebook()
    doc.ydoc.apply_update(base64.b64decode(state))
    return doc.get()


def command_validate(notebook):
    nbformat.validate(nbformat.from_dict(notebook))


def command_parse(text):
    """The notebook in a file, its lists of lines joined."""
    return nbformat.reads(text, as_version=nbformat.NO_CONVERT)


def main():
    for line in sys.stdin:
        try:
            answer = [globals()["command_" + name](*args) for name, *args in json.loads(line)]
        except Exception:
            answer = {"error": traceback.format_exc()}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
