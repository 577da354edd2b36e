"""Makes the wheel depend on the program of its own version, and puts the extension of JupyterLab into it."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class ProgramHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = [
            f"nbduet =={metadata['version']}",
            "jupyter-server >=2.13,<3",
            "aiohttp >=3.9,<4",  # the client of the program
            "yarl >=1.9,<2",  # its addresses
        ]


class LabextensionHook(BuildHookInterface):
    """Adds the built extension of JupyterLab, with the version of the program."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        built = Path(self.root).parent / "nbduet" / "labextension" / "built"
        about = json.loads((built / "package.json").read_text(encoding="utf-8"))
        about["version"] = os.environ["NBDUET_VERSION"]  # as nbduet says it
        self.temporary = tempfile.TemporaryDirectory()
        named = Path(self.temporary.name) / "package.json"
        named.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        for file in sorted(built.rglob("*")):
            if file.is_file():
                path = file.relative_to(built)
                source = named if path == Path("package.json") else file
                build_data["shared_data"][str(source)] = f"share/jupyter/labextensions/nbduet-jupyter/{path.as_posix()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.temporary.cleanup()
