"""Runs the program that was installed with this package, with the same arguments."""

from __future__ import annotations

import os
import subprocess
import sys

from ._find import find_nbduet_bin


def main() -> int:
    try:
        program = find_nbduet_bin()
    except FileNotFoundError as e:
        print(f"nbduet: {e}", file=sys.stderr)
        return 1
    command = [program, *sys.argv[1:]]
    if sys.platform != "win32":
        os.execv(program, command)
    # Windows has no exec: there, a new process takes the place and the caller sees this one end.
    process = subprocess.Popen(command)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            pass  # the program has heard it, too, and says when it is done


if __name__ == "__main__":
    sys.exit(main())
