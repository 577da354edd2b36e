"""version.py VERSION prints what Python calls a version of nbduet.

That is semver without v: 0.1.0 of a release, 0.2.0-rc.1 of one to try (also alpha and beta), and 0.0.1-dev.gabcdef0 of the
commit abcdef0. Python's names are those of PEP 440: 0.1.0, 0.2.0rc1, 0.0.1.dev0+gabcdef0.
"""

from __future__ import annotations

import re
import sys

NUMBER = "(?:0|[1-9][0-9]*)"
VERSION = re.compile(
    rf"(?P<release>{NUMBER}\.{NUMBER}\.{NUMBER})"
    rf"(?:-(?:(?P<stage>alpha|beta|rc)\.(?P<count>{NUMBER})|dev\.(?P<commit>g[0-9a-f]{{7,40}})))?"
)


def pep440(version: str) -> str | None:
    """The version in Python's words; None if it is none of nbduet's."""
    found = VERSION.fullmatch(version)
    if found is None:
        return None
    if found["commit"]:
        return f"{found['release']}.dev0+{found['commit']}"
    if found["stage"]:
        return found["release"] + {"alpha": "a", "beta": "b", "rc": "rc"}[found["stage"]] + found["count"]
    return found["release"]


if __name__ == "__main__":
    said = pep440(sys.argv[1])
    if said is None:
        sys.exit(f"{sys.argv[1]!r} is no version of nbduet: of a release 0.1.0 or 0.2.0-rc.1, of a commit 0.0.1-dev.gabcdef0.")
    print(said)
