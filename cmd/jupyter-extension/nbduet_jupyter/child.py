"""Starts and stops the program."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import socket
from collections.abc import Awaitable, Callable
from typing import TypeVar

import aiohttp
from yarl import URL

from .log import LogPipe

LEAVE_SECONDS = 10.0
"""How long the program may take to leave its notebooks before it is killed."""

USER_HEADER = "Nbduet-User"
"""The header that names a request's user to the program, so that users do not share a client."""


T = TypeVar("T")


class Run:
    """One run of the program, and the connections with it, which are kept from one request to the next."""

    def __init__(self, process: asyncio.subprocess.Process, port: int, token: str, pipe: LogPipe, log: logging.Logger) -> None:
        self.address = f"127.0.0.1:{port}"
        self.token = token
        self.http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),  # connections last as long as they last
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),  # the client's own, or none
        )
        self.waiting: set[asyncio.Task] = set()
        """The tasks that wait for the program. They are cancelled when it ends."""
        self.ended = asyncio.ensure_future(self._watch())
        self._urls: dict[str, URL] = {}  # an address is parsed once
        self._process = process
        self._pipe = pipe
        self._log = log

    def url(self, target: str) -> URL:
        """The address of a path of the program's, with its query if it has one."""
        if (url := self._urls.get(target)) is None:
            url = URL(f"http://{self.address}{target}", encoded=True)
            if "?" not in target:
                self._urls[target] = url
        return url

    async def wait(self, coming: Awaitable[T]) -> T:
        """Waits for what comes of the program, as long as that runs. ConnectionError says that it has ended: aiohttp
        lets whoever reads an answer wait for ever when the session is closed."""
        task = asyncio.current_task()
        assert task is not None
        self.waiting.add(task)
        try:
            return await coming
        except (asyncio.CancelledError, RuntimeError) as e:  # RuntimeError if the session was closed before
            if self.alive:
                raise
            raise ConnectionError("the program has ended") from e
        finally:
            self.waiting.discard(task)

    @property
    def alive(self) -> bool:
        return self._process.returncode is None and not self.ended.done()

    async def _watch(self) -> None:
        """Waits until the program ends. Then no request waits for it any more, not even one that it never took."""
        code = await self._process.wait()
        self._pipe.close()
        self._log.log(logging.INFO if code == 0 else logging.WARNING, "nbduet has ended with exit code %s", code)
        for task in self.waiting:
            task.cancel()
        await self.http.close()

    async def stop(self) -> None:
        """Ends the program, which first leaves its notebooks."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        done, _ = await asyncio.wait({self.ended}, timeout=LEAVE_SECONDS)
        if not done:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self.ended


class Child:
    """Starts the program when it is needed, and again when it has died.

    The listening socket is made here and handed down, so that no other process can take the port
    between two runs, and requests wait while the program starts. Its standard input is a pipe to
    which nothing is written: the pipe closes when this process ends, even if it is killed, and the
    program ends then, too.
    """

    def __init__(self, command: Callable[[], tuple[list[str], dict[str, str]]], log: logging.Logger) -> None:
        self._command = command  # arguments, the program's name first, and environment, before the additions in _start
        self._log = log
        self._lock = asyncio.Lock()
        self._socket: socket.socket | None = None
        self._run: Run | None = None
        self._stopped = False

    async def run(self) -> Run:
        """The current run, or a new one. OSError says why there is none."""
        if self._run is not None and self._run.alive:
            return self._run
        async with self._lock:
            if self._run is None or not self._run.alive:
                if self._stopped:
                    raise OSError("the server is shutting down")
                self._run = await self._start()
            return self._run

    async def _start(self) -> Run:
        if self._socket is None:
            self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        args, env = self._command()
        token = secrets.token_hex(32)
        fd = self._socket.fileno()
        pipe = LogPipe(self._log)
        try:
            process = await asyncio.create_subprocess_exec(
                *args,
                "--transport=streamable-http",
                f"--listen-fd={fd}",
                "--end-with-stdin",
                f"--user-header={USER_HEADER}",
                env={**env, "NBDUET_AUTH_TOKEN": token},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=pipe.writer,
                pass_fds=(fd,),
                start_new_session=True,  # Ctrl-C in the terminal is for the server, which asks for confirmation
            )
        except BaseException:
            pipe.close()
            raise
        finally:
            pipe.begun()
        self._log.info("started nbduet, process %d", process.pid)
        return Run(process, self._socket.getsockname()[1], token, pipe, self._log)

    async def stop(self) -> None:
        """Ends the program for good."""
        async with self._lock:
            self._stopped = True
            if self._run is not None:
                await self._run.stop()
            if self._socket is not None:
                self._socket.close()
