"""nbduet inside Jupyter Server.

The extension starts the program nbduet beside the server when it is first asked for, and
offers it below ``{base_url}/mcp`` to those whom the server lets in:

- ``extension.py``: the extension, with what can be configured
- ``handler.py``: one request, from who sends it to the program and back
- ``child.py``: the program: its start, its log, and its end
- ``identity.py``: what the program is let in with when it works on the server itself

All of it runs on the server's event loop.
"""

from __future__ import annotations

import sys
from typing import Any

if sys.platform == "win32":
    raise ImportError("nbduet_jupyter hands a socket down to nbduet, which works on Linux and macOS only")

from .extension import JupyterMCPServerExtensionApp

__all__ = ["JupyterMCPServerExtensionApp"]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": "nbduet_jupyter", "app": JupyterMCPServerExtensionApp}]
