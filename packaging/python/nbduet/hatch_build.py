"""Puts the program into the wheel as its script, its platform into the wheel's name, and the skill where agents look for
skills of installed packages (https://tiangolo.com/ideas/library-agent-skills)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class ProgramHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        program, tag = os.environ.get("NBDUET_WHEEL_PROGRAM"), os.environ.get("NBDUET_WHEEL_TAG")
        if not program or not tag:
            raise RuntimeError("the wheel contains a program that has to be built first: run `make wheel`, which does both")
        build_data["pure_python"] = False
        build_data["tag"] = tag
        build_data["shared_scripts"][program] = "nbduet.exe" if tag.startswith("py3-none-win") else "nbduet"
        skill = Path(self.root).parents[2] / "skills" / "nbduet" / "SKILL.md"
        build_data["force_include"][str(skill)] = "nbduet/.agents/skills/nbduet/SKILL.md"


class ExtraHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        metadata["optional-dependencies"] = {"jupyter": [f"nbduet-jupyter =={metadata['version']}"]}
