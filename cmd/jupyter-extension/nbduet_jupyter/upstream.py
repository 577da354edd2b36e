"""Sends requests to the program, over connections that are kept.

aiohttp, which the WebSocket connections use, takes twice as long for a request, and cannot say that an answer has come
whole, which is then passed on in one piece. What the program sends is HTTP/1.1 as Go's net/http writes it; anything else
ends the connection.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque

CONNECT_SECONDS = 30
"""How long the system may take to connect."""

KEPT_SECONDS = 15
"""How long a connection is kept for the next request. The program closes one that is idle, too, but much later, so that
it does not close one that is just being used."""

KEPT = 32
"""How many connections are kept at most."""

_HIGH = 1 << 18  # bytes that are read before somebody takes them
_HEAD = 1 << 16  # the most for an answer's header
_LINE = 1 << 10  # the most for the line before a chunk
_BREAKS = re.compile(r"[\r\n\0]")
_DIGITS = re.compile(r"[0-9A-Fa-f]{1,15}")
_STATUS = re.compile(r"HTTP/1\.1 ([1-5]\d\d) ?(.*)")


class BrokenError(ConnectionError):
    """The program sent what is no answer."""


class HeaderError(ValueError):
    """A request has a header that cannot be sent."""


class Answer:
    """An answer as far as it has come: the header, and the body in pieces."""

    def __init__(self, status: int, reason: str, headers: list[tuple[str, str]], bodiless: bool) -> None:
        self.status = status
        self.reason = reason
        self.headers = headers
        fields = {name.lower(): value for name, value in headers}
        self.reusable = fields.get("connection", "").lower() != "close"
        self.whole = bodiless  # nothing is to come any more
        self._chunked = fields.get("transfer-encoding", "").lower() == "chunked"
        self._left: int | None = None  # of the body, or of the chunk; None if only the connection's end says
        self._between = False  # after a chunk, and before the end of its line
        if self._chunked:
            self._left = 0
        elif (length := fields.get("content-length")) is not None:
            self._left = _number(length, 10)
            self.whole = self.whole or self._left == 0
        else:
            self.reusable = self.reusable and bodiless

    def take(self, buffer: bytearray, ended: bool) -> bytes:
        """Takes out of a connection's buffer what there is of the body."""
        if self.whole:
            return b""
        if self._chunked:
            return self._take_chunks(buffer)
        piece = bytes(buffer if self._left is None else buffer[: self._left])
        del buffer[: len(piece)]
        if self._left is None:
            self.whole = ended
        else:
            self._left -= len(piece)
            self.whole = self._left == 0
        return piece

    def _take_chunks(self, buffer: bytearray) -> bytes:
        pieces = []
        while True:
            if self._left:
                piece = buffer[: self._left]
                del buffer[: len(piece)]
                pieces.append(piece)
                self._left -= len(piece)
                if self._left:
                    break
                self._between = True
            if self._between:
                if len(buffer) < 2:
                    break
                if not buffer.startswith(b"\r\n"):
                    raise BrokenError("a chunk is longer than it says")
                del buffer[:2]
                self._between = False
            at = buffer.find(b"\r\n", 0, _LINE)
            if at < 0:
                if len(buffer) >= _LINE:
                    raise BrokenError("a chunk has no length")
                break
            length = _number(buffer[:at].decode("latin1"), 16)
            if length == 0:
                if len(buffer) < at + 4:
                    break  # the end has not come whole
                if not buffer.startswith(b"\r\n", at + 2):  # the program sends no trailers
                    raise BrokenError("there is something after the last chunk")
                del buffer[: at + 4]
                self.whole = True
                break
            del buffer[: at + 2]
            self._left = length
        return b"".join(pieces)


def _number(text: str, base: int) -> int:
    if not _DIGITS.fullmatch(text):
        raise BrokenError(f"no length: {text!r}")
    try:
        return int(text, base)
    except ValueError as e:
        raise BrokenError(f"no length: {text!r}") from e


class Connection(asyncio.Protocol):
    """One connection with the program. It has one request at a time."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._buffer = bytearray()
        self._ended = False
        self._paused = False
        self._waiter: asyncio.Future[None] | None = None
        self.since = 0.0  # when its last request ended

    @property
    def fresh(self) -> bool:
        """Whether it can have one more request."""
        return not self._ended and not self._buffer and time.monotonic() - self.since < KEPT_SECONDS

    async def ask(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Answer:
        """Sends a request, and waits for the answer's header."""
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        if body or method not in ("GET", "HEAD", "DELETE"):
            lines.append(f"Content-Length: {len(body)}")
        if any(_BREAKS.search(line) for line in lines):
            raise HeaderError("a header has more than one line")
        self._transport.write("\r\n".join((*lines, "", "")).encode() + body)
        while True:
            if (end := self._buffer.find(b"\r\n\r\n")) < 0:
                if len(self._buffer) > _HEAD:
                    raise BrokenError("the header is too long")
                await self._more()
                continue
            first, *rest = self._buffer[:end].decode("latin1").split("\r\n")
            del self._buffer[: end + 4]
            status = _STATUS.fullmatch(first)
            if not status:
                raise BrokenError("this is no answer of HTTP/1.1")
            if (code := int(status[1])) < 200:
                continue  # the answer is still to come
            fields = []
            for line in rest:
                name, colon, value = line.partition(":")
                if not colon:
                    raise BrokenError("a header has no value")
                fields.append((name, value.strip()))
            self._answer = Answer(code, status[2], fields, method == "HEAD" or code in (204, 304))
            return self._answer

    def take(self) -> bytes:
        """What has come of the answer's body, without waiting. When it is whole, the connection is free for others."""
        piece = self._answer.take(self._buffer, self._ended)
        if self._answer.whole:
            self._pool.give_back(self, self._answer.reusable)
        return piece

    async def more(self) -> bytes:
        """What comes next of the answer's body."""
        while not (piece := self.take()) and not self._answer.whole:
            await self._more()
        return piece

    async def _more(self) -> None:
        """Waits for more of what the program sends."""
        if self._ended:
            raise ConnectionError("the connection has ended")
        if self._paused:
            self._paused = False
            self._transport.resume_reading()
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def abort(self) -> None:
        """Ends the connection at once, which cancels the request in the program."""
        self._ended = True
        self._transport.abort()
        self._wake()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > _HIGH and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        self._wake()
        self._pool.lost(self)


class Pool:
    """The connections with one run of the program."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._all: set[Connection] = set()
        self._kept: deque[Connection] = deque()  # the last at the end
        self._closed = False
        self.opened = 0
        """How many connections were opened so far."""

    async def get(self) -> Connection:
        """A connection for one request. OSError says why there is none."""
        while self._kept:
            if (kept := self._kept.pop()).fresh:
                return kept
            kept.abort()
        if self._closed:
            raise ConnectionError("the program has ended")
        made = asyncio.get_running_loop().create_connection(lambda: Connection(self), self._host, self._port)
        try:
            _, connection = await asyncio.wait_for(made, CONNECT_SECONDS)
        except asyncio.TimeoutError as e:
            raise ConnectionError("there is no connection with the program") from e
        self._all.add(connection)
        self.opened += 1
        if self._closed:
            connection.abort()
        return connection

    def give_back(self, connection: Connection, reusable: bool) -> None:
        connection.since = time.monotonic()
        if not reusable or not connection.fresh or self._closed:
            connection.abort()
            return
        self._kept.append(connection)
        while len(self._kept) > KEPT or not self._kept[0].fresh:
            self._kept.popleft().abort()

    def lost(self, connection: Connection) -> None:
        self._all.discard(connection)

    def close(self) -> None:
        """Ends all connections, and the requests that wait on them."""
        self._closed = True
        self._kept.clear()
        for connection in list(self._all):
            connection.abort()
