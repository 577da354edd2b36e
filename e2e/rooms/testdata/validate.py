"""Checks notebook files, named as arguments, against the schema of nbformat, and that their cell ids are unique."""

import sys

import nbformat

for name in sys.argv[1:]:
    notebook = nbformat.read(name, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    ids = [cell["id"] for cell in notebook.cells]
    if len(set(ids)) != len(ids):
        raise SystemExit(f"{name}: cell ids are not unique: {ids}")
