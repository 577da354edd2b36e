"""Finds the program that was installed with this package."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator

PROGRAM = "nbduet.exe" if sys.platform == "win32" else "nbduet"


def find_nbduet_bin() -> str:
    """The path of the program of this very package. Another of its name, as there may be in PATH or in the folder of
    another scheme, may be of another version. FileNotFoundError says where it was looked for."""
    looked: list[str] = []
    for folder in _scripts(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))):
        path = os.path.join(folder, PROGRAM)
        if path not in looked:
            if os.path.isfile(path):
                return path
            looked.append(path)
    raise FileNotFoundError(
        f"the program that belongs to {os.path.dirname(os.path.abspath(__file__))} is not there: "
        f"looked for {', '.join(looked)}; reinstall it with `pip install --force-reinstall nbduet`"
    )


def _scripts(packages: str) -> Iterator[str]:
    """The folders where an installer puts scripts that come with a folder of packages, the likeliest first."""
    here = {"base": sys.prefix, "platbase": sys.exec_prefix}
    # What a virtual environment sees of the Python that it was made of.
    below = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    for variables in (here, below):
        for scheme in (None, *sysconfig.get_scheme_names()):
            given = {"vars": variables} if scheme is None else {"scheme": scheme, "vars": variables}
            try:
                paths = sysconfig.get_paths(**given)
            except (AttributeError, KeyError):  # a scheme that another system's Python has
                continue
            if any(_same(packages, paths.get(kind)) for kind in ("purelib", "platlib")):
                yield paths["scripts"]
    # What no scheme of this Python names was put there by --target or --prefix.
    yield os.path.join(packages, "bin")
    yield os.path.join(packages, "Scripts")
    if os.path.basename(packages) in ("site-packages", "dist-packages"):
        yield os.path.abspath(os.path.join(packages, "..", "..", "..", "bin"))  # lib/python3.x/site-packages
        yield os.path.abspath(os.path.join(packages, "..", "..", "Scripts"))  # Lib\site-packages


def _same(a: str, b: str | None) -> bool:
    return b is not None and os.path.realpath(a) == os.path.realpath(b)
