"""The name of Datalayer's extension for nbduet's: a server that is configured with

    c.ServerApp.jpserver_extensions = {"jupyter_mcp_server": True}

loads ``nbduet_jupyter``. The two packages of this name cannot be installed side by side.
"""

from __future__ import annotations

from typing import Any

from nbduet_jupyter import JupyterMCPServerExtensionApp

__all__ = ["JupyterMCPServerExtensionApp"]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": "jupyter_mcp_server", "app": JupyterMCPServerExtensionApp}]
