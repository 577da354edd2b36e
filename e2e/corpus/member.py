"""Makes the edits of a plain member of the room, and prints the notebook's file as the server then writes it.

Arguments: the file, the index of a cell and its new source, and the source, outputs and execution count of a new last cell,
as JSON on standard input: {"at": 0, "source": "", "new": {...}, "language_info": {...}}.
"""

import json
import sys

import nbformat
from jupyter_ydoc import YNotebook
from pycrdt import Map

with open(sys.argv[1], encoding="utf-8") as file:
    notebook = nbformat.read(file, as_version=4)
edit = json.load(sys.stdin)

room = YNotebook()
room.set(json.loads(json.dumps(notebook)))
source = room.ycells[edit["at"]]["source"]
source.clear()
source.insert(0, edit["source"])
room.append_cell(edit["new"])
if edit.get("language_info"):
    room._ymeta["metadata"]["language_info"] = edit["language_info"]

made = nbformat.from_dict(room.get())
for cell in made.cells:
    cell.metadata.pop("trusted", None)  # as Jupyter Server does when it writes
print(nbformat.writes(made, version=nbformat.NO_CONVERT))
