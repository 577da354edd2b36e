"""Checks the extension's parts by themselves: how it passes requests on to a program, and how it takes in a log."""

import asyncio
import contextlib
import logging
import os
import socket
from urllib.parse import quote

import tornado.httpserver
import tornado.web
from nbduet_jupyter import child, handler, log

KINDS = {
    # what is asked for: the pieces in which the program answers
    "length": [b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{\r\n}\n"],
    "length, in pieces": [b"HTTP/1.1 200 OK\r\nContent-Le", b"ngth: 5\r\n\r\n", b"{\r", b"\n}\n"],
    "header": [b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"],
    "chunks": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nab\r\n\r\n1b\r\n" + b"c" * 27 + b"\r\n0\r\n\r\n"],
    "accepted": [b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"],
    "nothing": [b"HTTP/1.1 204 No Content\r\n\r\n"],
    "elsewhere": [b"HTTP/1.1 302 Found\r\nLocation: /healthz\r\nSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\nno"],
    "coded": [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nzip"],
    "no token": [b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"],
    "cut": [b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{", None],
    "cut before": [None],
    "no answer": [b"220 mail ready\r\n\r\n", None],
    "stream": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"],
    "waits": [],
    "large": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"],
}
MIB = 1 << 20
LARGE = 96  # MiB of the large answer


class Program:
    """A program's process and what it serves, as KINDS says."""

    def __init__(self):
        self.opened, self.heads, self.sent = 0, [], 0
        self.writers = {}  # and what was asked for last
        self.returncode, self.over = None, asyncio.Event()

    async def wait(self):
        await self.over.wait()
        return self.returncode

    def end(self):
        self.returncode = -9
        self.over.set()

    async def serve(self, reader, writer):
        self.opened += 1
        self.writers[writer] = None
        try:
            while True:
                self.heads.append(head := await reader.readuntil(b"\r\n\r\n"))
                fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
                await reader.readexactly(int(fields.get(b"Content-Length", 0)))
                self.writers[writer] = kind = fields[b"X-Kind"].decode()
                for piece in KINDS[kind]:
                    if piece is None:
                        return
                    writer.write(piece)
                    await turns()
                for _ in range(LARGE if kind == "large" else 0):
                    writer.write(b"100000\r\n" + bytes(MIB) + b"\r\n")
                    await writer.drain()
                    self.sent += 1
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            del self.writers[writer]
            writer.close()


class Handler(handler.MCPHandler):
    """Lets everybody in, and tells the program which answer is asked for."""

    async def prepare(self):
        pass

    def _user_name(self):
        return ""

    def request_headers(self):
        return {**super().request_headers(), "X-Kind": self.get_query_argument("kind")}


class Site:
    """The handler in a server, and the program."""

    def __init__(self, program, run, port):
        self.program, self._run, self._port = program, run, port
        self._writers = []

    async def run(self):
        return self._run

    async def ask(self, kind, method="POST", body=b"{}", path="/mcp"):
        """Sends a request: what comes back."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers.append(writer)
        writer.write(
            b"%s %s?kind=%s&token=secret&a=%%2F+%%26 HTTP/1.1\r\nHost: x\r\nAuthorization: token secret\r\nCookie: c=secret\r\n"
            b"Accept-Encoding: gzip\r\nMcp-Session-Id: 7\r\nContent-Length: %d\r\n\r\n%s"
            % (method.encode(), path.encode(), quote(kind).encode(), len(body), body)
        )
        return reader, writer

    async def get(self, kind, method="POST", **more):
        """Sends a request: the whole answer's status, header and body."""
        reader, writer = await self.ask(kind, method, **more)
        status, fields = await header(reader)
        assert b"Transfer-Encoding" not in fields, "what has come whole is passed on in one piece"
        body = await reader.readexactly(0 if method == "HEAD" else int(fields.get(b"Content-Length", 0)))
        writer.close()
        return status, fields, body


@contextlib.asynccontextmanager
async def site():
    program = Program()
    server = await asyncio.start_server(program.serve, "127.0.0.1", 0)
    pipe = log.LogPipe(logging.Logger("program"))
    pipe.begun()
    run = child.Run(program, server.sockets[0].getsockname()[1], "token", pipe, logging.Logger("run"))
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    s = Site(program, run, listener.getsockname()[1])
    app = tornado.web.Application([(r"/mcp(|/.*)", Handler, {"child": s})], base_url="/", log_function=lambda _: None)
    http = tornado.httpserver.HTTPServer(app)
    http.add_socket(listener)
    try:
        yield s
    finally:
        for writer in s._writers:
            writer.close()
        program.end()
        await run.ended
        await until(lambda: not program.writers, "the program's connections end with it")
        http.stop()
        await http.close_all_connections()
        server.close()
        await server.wait_closed()


async def turns():
    """Lets others go on."""
    for _ in range(20):
        await asyncio.sleep(0)


async def until(true, what):
    for _ in range(3000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(what)


@contextlib.contextmanager
def said(name):
    """What a logger logs."""
    records, logger = [], logging.getLogger(name)
    keep = logging.Handler()
    keep.emit = lambda record: records.append(record.getMessage())
    logger.addHandler(keep)
    level, logger.propagate = logger.level, False
    logger.setLevel(logging.DEBUG)
    try:
        yield records
    finally:
        logger.removeHandler(keep)
        logger.propagate = True
        logger.setLevel(level)


async def header(reader):
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[:-2]
    return int(first.split()[1]), dict(line.split(b": ", 1) for line in lines)


async def answers(s):
    for kind, method, status, body in (
        ("length", "POST", 200, b"{\r\n}\n"),
        ("length, in pieces", "POST", 200, b"{\r\n}\n"),
        ("chunks", "POST", 200, b"ab\r\n" + b"c" * 27),
        ("header", "HEAD", 200, b""),
        ("accepted", "POST", 202, b""),
        ("nothing", "DELETE", 204, b""),
        ("elsewhere", "GET", 302, b"no"),
        ("coded", "GET", 200, b"zip"),
        ("no token", "POST", 502, None),
    ):
        got = await s.get(kind, method)
        assert got[0] == status and body in (None, got[2]), (kind, method, got)
    assert s.program.opened == 1, "the connection is kept"
    with said("tornado.application") as records:
        for kind in ("cut", "cut before", "no answer"):
            got = await s.get(kind)
            assert got[0] == 502 and b"did not answer" in got[2], (kind, got)
    assert len(records) == 6 and "Bearer" not in str(records), records  # the program's token is in no log
    got = await s.get("a\r\nB: c")
    assert got[0] == 400 and b"header" in got[2], got


async def passed_on(s):
    """The program gets what concerns it of a request, and no credentials but its own."""
    await s.get("length")
    first, *lines = s.program.heads[-1].decode().split("\r\n")[:-2]
    assert first == "POST /mcp?kind=length&a=%2F+%26 HTTP/1.1", first
    assert sorted(lines) == [
        "Authorization: Bearer token",
        "Content-Length: 2",
        f"Host: {s._run.address}",
        "Mcp-Session-Id: 7",
        "Nbduet-User: ",
        "X-Forwarded-Prefix: /mcp",
        "X-Kind: length",
    ], lines
    for size in (0, 3 * MIB):
        await s.get("length", body=bytes(size))
        assert f"Content-Length: {size}\r\n".encode() in s.program.heads[-1], size


async def streams(s):
    """A stream begins at once, is passed on as it comes, and ends with its client; so does a request that waits."""
    reader, writer = await s.ask("stream", "GET", b"")
    status, fields = await header(reader)
    assert status == 200 and fields[b"Transfer-Encoding"] == b"chunked", fields
    (program,) = s.program.writers
    for text in (b"a", b"b" * 70000):
        chunk = b"%x\r\n%s\r\n" % (len(text), text)
        program.write(chunk)
        got = b""
        while len(got) < len(text):
            size = int(await reader.readline(), 16)
            got += await reader.readexactly(size)
            await reader.readexactly(2)
        assert got == text
    program.write(b"0\r\n\r\n")
    assert await reader.readexactly(5) == b"0\r\n\r\n"
    for kind in ("stream", "waits"):
        n = len(s.program.heads)
        reader, writer = await s.ask(kind)
        await until(lambda: len(s.program.heads) > n, "the request is passed on")
        if kind == "stream":
            await header(reader)
        writer.close()
        await until(lambda: not s.program.writers, "the request ends with its client")
        await until(lambda: not s._run.waiting, "nothing of it is left")


async def slow(s):
    """What a client does not read is not read of the program without end."""
    reader, writer = await s.ask("large", "GET", b"")
    await header(reader)
    read = 0
    while read < LARGE * MIB:
        await turns()
        assert s.program.sent * MIB - read < 40 * MIB, "more is under way than the system's buffers hold"
        read += len(await reader.read(MIB))


async def connections(s):
    """One connection serves one request after another, and each request at the same time has its own."""
    for _ in range(50):
        await s.get("length")
    assert s.program.opened == 1, s.program.opened
    waiting = [await s.ask("waits") for _ in range(3)]
    await until(lambda: s.program.opened == 3 and len(s.program.heads) == 53, "each has its own")
    await s.get("length")
    assert s.program.opened == 4, s.program.opened
    for program, kind in s.program.writers.items():
        if kind == "waits":
            program.write(KINDS["length"][0])
    for reader, writer in waiting:
        status, fields = await header(reader)
        assert status == 200 and await reader.readexactly(5) == b"{\r\n}\n"
    await s.get("length")
    assert s.program.opened == 4, s.program.opened


async def ends(s):
    """No request outlives the program."""
    waiting, _ = await s.ask("waits")
    stream, _ = await s.ask("stream", "GET", b"")
    await header(stream)
    await until(lambda: len(s.program.heads) == 2, "both are there")
    s.program.end()  # and its connections go on, as those do that it never took
    status, fields = await header(waiting)
    assert status == 502, status
    try:
        raise AssertionError(await stream.readexactly(5))
    except asyncio.IncompleteReadError as e:
        assert e.partial == b"", "the stream looks complete"


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
    for part in (answers, passed_on, streams, slow, connections, ends):
        async with site() as s:
            await part(s)
    await logs()


asyncio.run(main())
