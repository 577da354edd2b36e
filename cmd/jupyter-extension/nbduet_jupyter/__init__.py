"""nbduet inside Jupyter Server.

The extension starts the program nbduet with the first request, and serves it below
``{base_url}/mcp`` to the users of the server:

- ``extension.py``: the extension and its configuration
- ``handler.py``: checks a request and forwards it to the program
- ``websocket.py``: the same for WebSocket connections
- ``child.py``: starts and stops the program
- ``log.py``: takes in its log
- ``identity.py``: authenticates the program when it works on the server itself
- ``elsewhere.py``: what is served where the program cannot be

The program is that of the package ``nbduet``, which has the same version.

All of it runs on the server's event loop.
"""

from __future__ import annotations

from typing import Any

from .extension import JupyterMCPServerExtensionApp

__all__ = ["JupyterMCPServerExtensionApp"]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": "nbduet_jupyter", "app": JupyterMCPServerExtensionApp}]
