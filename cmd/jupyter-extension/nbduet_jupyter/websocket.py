"""Passes MCP over WebSocket on to the program."""

from __future__ import annotations

import asyncio

import aiohttp
from tornado.web import HTTPError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from .child import Child
from .handler import MAX_BODY, ROUTES, MCPHandler

PROTOCOL = "mcp"
"""The subprotocol, which a client has to offer."""

PING_SECONDS = 25
"""Between two pings; a client that does not answer one before the next is gone."""

FAILED = 1011
"""The code of a connection that ends because the program has, without a word."""


class MCPSocketHandler(MCPHandler, WebSocketHandler):
    """Authenticates a connection as a request, and passes its messages on, each as it comes.

    Both directions wait for who reads: no more is read of the client while a message of its own is written to the
    program, and no more of the program while one of its is written to the client. The program has the limits.
    """

    ping_interval = PING_SECONDS
    ping_timeout = PING_SECONDS
    # The program says what is wrong with a message that is longer than its limit. One that is much longer is too much
    # for this process, too.
    max_message_size = MAX_BODY + (1 << 20)

    def initialize(self, child: Child) -> None:
        super().initialize(child)
        self._passing: asyncio.Future[None] | None = None

    def check_upgrade(self) -> None:
        if self.request.method != "GET" or self.request.headers.get("Upgrade", "").lower() != "websocket":
            raise HTTPError(400, "a WebSocket connection is opened with GET and Upgrade: websocket")
        if PROTOCOL not in (p.strip() for p in self.request.headers.get("Sec-WebSocket-Protocol", "").split(",")):
            raise HTTPError(400, f'offer the subprotocol "{PROTOCOL}": Sec-WebSocket-Protocol: {PROTOCOL}')

    def select_subprotocol(self, subprotocols: list[str]) -> str | None:
        return PROTOCOL

    def get_compression_options(self) -> None:
        """No compression: a short frame could become a long message."""

    async def get(self, path: str) -> None:  # type: ignore[override]
        if not self.request.headers.get("Upgrade"):
            await self.forward(path)
            return
        self._peer = await self._connect()
        try:
            await WebSocketHandler.get(self, path)  # until the end of the connection
        finally:
            await self._peer.close()

    async def _connect(self) -> aiohttp.ClientWebSocketResponse:
        """Connects with the program before the client is told that it is connected."""
        run = await self.program()
        headers = {**self.request_headers(), "Authorization": f"Bearer {run.token}"}
        self.record_activity()
        try:
            return await run.http.ws_connect(
                f"ws://{run.address}{ROUTES['/ws']}", protocols=(PROTOCOL,), headers=headers, max_msg_size=0
            )
        except aiohttp.WSServerHandshakeError as e:
            raise HTTPError(e.status if e.status == 503 else 502, "nbduet accepts no connection now") from e
        except aiohttp.ClientError as e:
            raise HTTPError(502, "nbduet did not answer; the next request starts it again if it has ended") from e

    async def open(self, path: str) -> None:  # type: ignore[override]
        self._passing = asyncio.ensure_future(self._pass_back())

    async def on_message(self, message: str | bytes) -> None:  # type: ignore[override]
        self.record_activity()
        try:
            if isinstance(message, str):
                await self._peer.send_str(message)
            else:
                await self._peer.send_bytes(message)  # which the program refuses
        except (aiohttp.ClientError, ConnectionError):
            pass  # _pass_back hears of it, too

    async def _pass_back(self) -> None:
        """Passes what the program sends to the client, and its end."""
        code, reason = FAILED, "nbduet has ended: connect again, which starts it again"
        try:
            while True:
                message = await self._peer.receive()
                if message.type is aiohttp.WSMsgType.TEXT:
                    self.record_activity()
                    await self.write_message(message.data)
                    continue
                if message.type is aiohttp.WSMsgType.CLOSE and message.data:
                    code, reason = message.data, message.extra or ""
                break
        except WebSocketClosedError:
            return  # the client has gone
        self.close(code, reason)

    def on_ping(self, data: bytes) -> None:
        """Tornado has answered it."""

    def on_pong(self, data: bytes) -> None:
        """Tornado has noted it."""

    def on_connection_close(self) -> None:
        MCPHandler.on_connection_close(self)
        WebSocketHandler.on_connection_close(self)

    def on_close(self) -> None:
        """get ends the connection with the program."""
        if self._passing is not None:
            self._passing.cancel()
