"""Checks the extension's parts by themselves: how it reads answers, how it keeps connections, and how it takes in a log."""

import asyncio
import logging
import os

from nbduet_jupyter import log, upstream


class Transport:
    """A transport that records."""

    def __init__(self, connection):
        self.connection, self.sent, self.reading = connection, [], True
        connection.connection_made(self)

    def write(self, data):
        self.sent.append(data)

    def pause_reading(self):
        self.reading = False

    def resume_reading(self):
        self.reading = True

    def abort(self):
        self.connection.connection_lost(None)


async def ask(method, pieces, ends=False):
    """Asks over a connection on which the answer comes in pieces: the answer, and its body's pieces."""
    pool = upstream.Pool("", 0)
    connection = upstream.Connection(pool)
    Transport(connection)

    async def comes():
        for piece in pieces:
            connection.data_received(piece)
            for _ in range(3):
                await asyncio.sleep(0)  # whoever waits for it has it now
        if ends:
            connection.connection_lost(None)

    coming = asyncio.ensure_future(comes())
    try:
        answer = await connection.ask(method, "/mcp", {"Host": "x"}, b"{}")
        got = [connection.take()]
        while not answer.whole:
            got.append(await connection.more())
        await coming
        return answer, got, list(pool._kept) == [connection]
    finally:
        coming.cancel()


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
ANSWERS = [
    # method, answer, whether the connection's end belongs to it, the body, whether the connection is kept
    ("POST", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{\r\n}\n", False, b"{\r\n}\n", True),
    ("POST", CHUNKED + b"4\r\nab\r\n\r\n1b\r\n" + b"c" * 27 + b"\r\n0\r\n\r\n", False, b"ab\r\n" + b"c" * 27, True),
    ("POST", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", False, b"", True),
    ("GET", b"HTTP/1.1 204 No Content\r\n\r\n", False, b"", True),
    ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n", False, b"", True),
    ("POST", b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno", False, b"no", False),
    ("GET", b"HTTP/1.1 200 OK\r\n\r\nuntil the end", True, b"until the end", False),
]
BROKEN = [
    b"HTTP/1.0 200 OK\r\n\r\n",
    b"220 mail ready\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70000,
    CHUNKED + b"2\r\nabc\r\n",
    CHUNKED + b"zz\r\nab\r\n",
    CHUNKED + b"0\r\nTrailer: x\r\n\r\n",
    CHUNKED + b"0" * 2000,
]


async def answers():
    for method, text, ends, body, kept in ANSWERS:
        for at in range(len(text) + 1):  # in two pieces, cut anywhere, and in one
            answer, got, is_kept = await ask(method, [text[:at], text[at:]], ends)
            assert b"".join(got) == body and is_kept == kept, (text, at, got, is_kept)
        answer, got, _ = await ask(method, [text[i : i + 1] for i in range(len(text))], ends)
        assert b"".join(got) == body, (text, got)
        answer, got, _ = await ask(method, [text], ends)
        assert ends or got == [body], "what has come whole is taken in one piece"
        assert answer.status == int(text.split(b"HTTP/1.1 ")[-1][:3])
    for text in BROKEN:
        try:
            await ask("POST", [text], True)
        except upstream.BrokenError:
            continue
        raise AssertionError(text)
    for header in ("a\r\nB: c", "a\nb", "a\0"):
        try:
            await upstream.Connection(upstream.Pool("", 0)).ask("POST", "/mcp", {"X": header}, b"")
        except upstream.HeaderError:
            continue
        raise AssertionError(header)


async def slow():
    """What nobody takes is not read without end."""
    connection = upstream.Connection(upstream.Pool("", 0))
    transport = Transport(connection)
    asked = asyncio.ensure_future(connection.ask("GET", "/sse", {}, b""))
    await asyncio.sleep(0)
    connection.data_received(CHUNKED)
    answer = await asked
    while transport.reading:
        connection.data_received(b"400\r\n" + b"x" * 1024 + b"\r\n")
    assert len(connection._buffer) < 1 << 19 and not answer.whole
    await connection.more()
    more = asyncio.ensure_future(connection.more())
    await asyncio.sleep(0)
    assert transport.reading
    connection.abort()
    try:
        await more
    except ConnectionError:
        return
    raise AssertionError("an answer that was cut off")


async def connections():
    """One connection serves one request after another, and each request at the same time has its own."""
    upstream.KEPT_SECONDS = 1e9
    gate, lost = asyncio.Event(), []

    async def serve(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(2)
                if b"/waits " in head:
                    await gate.wait()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        except asyncio.IncompleteReadError:
            lost.append(1)
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    pool = upstream.Pool(*server.sockets[0].getsockname())

    async def call(path):
        connection = await pool.get()
        answer = await connection.ask("POST", path, {"Host": "x"}, b"{}")
        body = connection.take()
        while not answer.whole:
            body += await connection.more()
        assert body == b"ok"

    for _ in range(50):
        await call("/")
    assert pool.opened == 1, pool.opened
    waiting = [asyncio.ensure_future(call("/waits")) for _ in range(3)]
    while pool.opened < 3:
        await asyncio.sleep(0)
    await call("/")
    assert pool.opened == 4, pool.opened
    gate.set()
    await asyncio.gather(*waiting)
    await call("/")
    assert pool.opened == 4, pool.opened

    gate.clear()
    late = asyncio.ensure_future(call("/waits"))
    await asyncio.sleep(0.01)
    pool.close()  # the program has ended
    for end in (late, asyncio.ensure_future(call("/"))):
        try:
            await end
        except ConnectionError:
            continue
        raise AssertionError("a request outlives the program")
    gate.set()
    while pool._all:
        await asyncio.sleep(0.01)
    server.close()


async def logs():
    records = []

    class Keep(logging.Handler):
        def emit(self, record):
            records.append((record.levelname, record.getMessage()))

    logger = logging.Logger("program")
    logger.addHandler(Keep())
    pipe = log.LogPipe(logger)
    end = os.dup(pipe.writer)
    pipe.begun()
    os.write(end, b"time=1 level=WARN msg=first\ntime=2 level=INFO msg=sec")
    while not records:
        await asyncio.sleep(0.01)
    os.write(end, b"ond\n\npanic: third")
    os.close(end)
    pipe.close()
    assert records == [("WARNING", "time=1 level=WARN msg=first"), ("INFO", "time=2 level=INFO msg=second"), ("INFO", "panic: third")], records


def levels():
    """The program writes lines of level debug if a handler takes them, wherever it is."""
    for above, own, handler, propagates, want in (
        (logging.DEBUG, logging.DEBUG, logging.DEBUG, True, True),
        (logging.DEBUG, logging.DEBUG, logging.INFO, True, False),
        (logging.INFO, logging.NOTSET, logging.DEBUG, True, False),
        (logging.DEBUG, logging.NOTSET, logging.NOTSET, True, True),
        (logging.DEBUG, logging.DEBUG, logging.DEBUG, False, False),
    ):
        parent, child = logging.Logger("app", above), logging.Logger("app.extension", own)
        child.parent, child.propagate = parent, propagates
        taker = logging.NullHandler()
        taker.setLevel(handler)
        parent.addHandler(taker)
        for log_ in (child, logging.LoggerAdapter(child, {})):
            assert log.wants_debug(log_) == want, (above, own, handler, propagates)


async def main():
    levels()
    await answers()
    await slow()
    await connections()
    await logs()


asyncio.run(main())
