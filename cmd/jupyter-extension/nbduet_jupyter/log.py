"""Takes the program's log into the server's."""

from __future__ import annotations

import asyncio
import logging
import os
import re

PAUSE_SECONDS = 0.05
"""How long lines may lie before they are taken. The program writes one for each call, right before its answer: taken one
by one, they would stand before the answers on the server's event loop."""

LINE = 1 << 20
"""The most of one line that is taken, in bytes."""

_LEVEL = re.compile(rb"\blevel=(DEBUG|INFO|WARN|ERROR)\b")
_LEVELS = {b"DEBUG": logging.DEBUG, b"INFO": logging.INFO, b"WARN": logging.WARNING, b"ERROR": logging.ERROR}


def wants_debug(log: logging.Logger | logging.LoggerAdapter) -> bool:
    """Whether a line of level debug gets anywhere. Jupyter's loggers let all pass, and their handlers choose."""
    logger: logging.Logger | None = getattr(log, "logger", log)
    if not log.isEnabledFor(logging.DEBUG):
        return False
    while logger is not None:
        if any(h.level <= logging.DEBUG for h in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False


class LogPipe:
    """A pipe into which the program writes its log."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._rest = b""
        self._due: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._loop.add_reader(self._reader, self._readable)

    def begun(self) -> None:
        """Leaves the pipe's other end to the program."""
        os.close(self.writer)

    def _readable(self) -> None:
        self._loop.remove_reader(self._reader)
        self._due = self._loop.call_later(PAUSE_SECONDS, self._take)

    def _take(self) -> None:
        """Takes what there is, and waits for more."""
        self._due = None
        if self._drain():
            self._loop.add_reader(self._reader, self._readable)

    def _drain(self) -> bool:
        """Takes what there is, and tells whether more may come."""
        text, more = [self._rest], True
        for _ in range(16):  # the rest is for the next time: others have to run, too
            try:
                piece = os.read(self._reader, 1 << 16)
            except BlockingIOError:
                break
            if not piece:
                more = False
                break
            text.append(piece)
        *lines, self._rest = b"".join(text).split(b"\n")
        if len(self._rest) > LINE or not more:
            lines.append(self._rest)
            self._rest = b""
        for line in lines:
            self._put(line)
        return more

    def _put(self, line: bytes) -> None:
        if line := line[:LINE].rstrip():
            level = _LEVEL.search(line)
            self._log.log(_LEVELS[level.group(1)] if level else logging.INFO, "%s", line.decode(errors="replace"))

    def close(self) -> None:
        """Takes what the program, which has ended, has left."""
        if self._due is not None:
            self._due.cancel()
        self._loop.remove_reader(self._reader)
        self._drain()
        os.close(self._reader)
