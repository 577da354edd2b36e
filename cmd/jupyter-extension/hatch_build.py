"""Makes the wheel depend on the program of its own version."""

from __future__ import annotations

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ProgramHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = [
            f"nbduet =={metadata['version']}",
            "jupyter-server >=2.13,<3",
            "aiohttp >=3.9,<4",  # the client of the program
            "yarl >=1.9,<2",  # its addresses
        ]
