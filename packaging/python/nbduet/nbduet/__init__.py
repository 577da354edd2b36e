"""nbduet, an MCP server whose agent works in JupyterLab's shared notebooks.

The package is only a way to the program, which is installed as the script ``nbduet``:
``python -m nbduet`` runs it, and ``find_nbduet_bin()`` says where it is.
"""

from __future__ import annotations

from ._find import find_nbduet_bin

__all__ = ["find_nbduet_bin"]
