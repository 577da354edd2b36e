"""Notebooks of jupyter_ydoc, the server's model of shared documents, as peers of the differential tests.

What a user of the model does is done through its methods; what is no matter of the model, like outputs of a run, is done
on the shared types, by the operations of pycrdt_peer.py.
"""

import copy
import warnings

from jupyter_ydoc import YNotebook, ynotebook

from peer_values import decode_value, mod

# A get() that gives a cell of a taken id another one says so.
warnings.filterwarnings("ignore", message="Non-unique cell ID")

TYPES = ["code", "markdown", "raw"]


class Names:
    """The ids that the model gives to cells: not random, so that a program does the same each time."""

    def __init__(self, client):
        self.client = client
        self.count = 0

    def __call__(self):
        self.count += 1
        return f"u{self.client}-{self.count}"


class Notebook:
    def __init__(self, doc, client):
        self.model = YNotebook(doc)
        self.names = Names(client)

    def edit(self, ops, otherwise):
        """Does operations: those of the model, which make transactions of their own, and otherwise those of a plain document."""
        ynotebook.uuid4 = self.names
        for o in ops:
            own = OPERATIONS.get(o["op"])
            if own is not None:
                own(self.model, o)
                continue
            with self.model.ydoc.transaction():
                otherwise[o["op"]](self.model.ydoc, o)


def pick(model, n):
    return mod(n, model.cell_number)


def make_cell(type, o):
    made = {"id": o["id"], "cell_type": type, "source": o["s"], "metadata": decode_value(o["v"])}
    if type == "code":
        made |= {"outputs": [], "execution_count": None}
    return made


def op_init(model, o):
    empty = {
        "cells": [],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    model.set(empty if o["v"] is None else o["v"])


def op_insert(model, o):
    n = o["n"]
    cell = make_cell(TYPES[mod(n[1], 3)], o)
    if mod(n[2], 3) == 0:
        model.append_cell(cell)
    else:
        model.ycells.insert(mod(n[0], model.cell_number + 1), model.create_ycell(cell))


def op_move(model, o):
    if model.cell_number < 2:
        return
    i = pick(model, o["n"][0])
    cell = with_id(model, i)
    with model.ydoc.transaction():
        del model.ycells[i]
        model.ycells.insert(mod(o["n"][1], model.cell_number + 1), model.create_ycell(cell))


def with_id(model, i):
    """A cell with its id, which get_cell leaves out before format 4.5."""
    cell = model.get_cell(i)
    cell["id"] = model.ycells[i]["id"]
    return cell


def op_source(model, o):
    if model.cell_number == 0:
        return
    i, n = pick(model, o["n"][0]), o["n"]
    was = model.get_cell(i)["source"]
    start = mod(n[1], len(was) + 1)
    count = mod(n[2], min(len(was) - start, 8) + 1)
    model.set_cell(i, source=was[:start] + o["s"] + was[start + count :])


def op_rewrite(model, o):
    if model.cell_number > 0:
        model.set_cell(pick(model, o["n"][0]), source=o["s"])


def op_cell(model, o):
    """Puts a changed copy in the place of a cell."""
    if model.cell_number == 0:
        return
    i = pick(model, o["n"][0])
    cell = with_id(model, i)
    cell["source"] += o["s"]
    with model.ydoc.transaction():
        model.set_cell(i, cell)


def op_get(model, o):
    """Reads all, which gives cells whose id is taken another one."""
    model.get()


def op_set(model, o):
    """Replaces the whole notebook by a changed copy, as the server does when the file has changed."""
    made = copy.deepcopy(model.get())
    cells, n = made["cells"], o["n"]
    if not cells or made["nbformat"] == 0:
        return
    cell = cells[mod(n[0], len(cells))]
    match mod(n[1], 6):
        case 0:
            cell["source"] = o["s"]
        case 1:
            cells.insert(mod(n[2], len(cells) + 1), make_cell("code", o))
        case 2:
            cells.reverse()
        case 3:
            made["metadata"]["k"] = o["s"]
        case 4 if len(cells) > 1:
            cells.remove(cell)
        case _ if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "display_data", "data": {"text/plain": o["s"]}, "metadata": {}}]
            cell["execution_count"] = n[2]
    model.set(made)


def op_state(model, o):
    match mod(o["n"][0], 3):
        case 0:
            model.dirty = mod(o["n"][1], 2) == 0
        case 1:
            model.path = o["s"]
        case 2:
            model.hash = o["s"]


def op_undo(model, o):
    """Does nothing, as nothing on the server ever undoes. (With pycrdt's undo a cell can return without its type and source.)"""


op_redo = op_undo


OPERATIONS = {name[3:]: f for name, f in list(globals().items()) if name.startswith("op_")}
