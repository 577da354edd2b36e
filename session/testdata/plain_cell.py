"""Reads a document's whole state in base64 from stdin, puts a cell that is a plain object into it, as a careless program
would, and writes the update for that in base64 to stdout."""

import base64
import sys

from pycrdt import Array, Doc

doc = Doc()
doc.apply_update(base64.b64decode(sys.stdin.read()))
before = doc.get_state()
doc.get("cells", type=Array).append(
    {"id": "plain", "cell_type": "code", "source": "careless", "metadata": {}, "outputs": [], "execution_count": None}
)
print(base64.b64encode(doc.get_update(before)).decode())
