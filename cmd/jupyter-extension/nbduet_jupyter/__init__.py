"""nbduet inside Jupyter Server.

The extension starts the program nbduet with the first request, and serves it below
``{base_url}/mcp`` to the users of the server:

- ``extension.py``: the extension and its configuration
- ``handler.py``: checks a request and forwards it to the program
- ``websocket.py``: the same for WebSocket connections
- ``child.py``: starts and stops the program
- ``log.py``: takes in its log
- ``identity.py``: authenticates the program when it works on the server itself

All of it runs on the server's event loop.
"""

from __future__ import annotations

import sys
from typing import Any

if sys.platform == "win32":
    raise ImportError("nbduet_jupyter runs on Linux and macOS only, because it hands a socket down to nbduet")

from .extension import JupyterMCPServerExtensionApp

__all__ = ["JupyterMCPServerExtensionApp"]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": "nbduet_jupyter", "app": JupyterMCPServerExtensionApp}]
