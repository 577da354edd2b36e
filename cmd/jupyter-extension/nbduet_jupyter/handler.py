"""Checks a request and forwards it to the program."""

from __future__ import annotations

import asyncio
import io
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import aiohttp
from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.handlers import APIHandler, JupyterHandler, utcnow
from jupyter_server.utils import ensure_async, url_path_join
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError

from .child import USER_HEADER, Child, Run

ROUTES = {
    "": "/mcp",
    "/": "/mcp",
    "/healthz": "/healthz",
    "/tools/list": "/tools/list",
    "/tools/call": "/tools/call",
    "/ws": "/mcp/ws",
    "/sse": "/sse",
    "/message": "/message",
    "/metrics": "/metrics",
}
"""The paths below {base_url}/mcp, and the program's paths for them."""

# The request headers that the program gets: not the user's, and no credentials.
_PASSED = ("Accept", "Content-Type", "Last-Event-Id", "User-Agent")
_PASSED_PREFIX = "Mcp-"
# The answer headers that belong to the connection with the program, or that Jupyter sets itself.
_DROPPED = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server", "www-authenticate"}

MAX_BODY = 16 << 20
"""Bytes of a request's body, the program's own limit."""

LARGE = 1 << 20
"""Bytes of a body that aiohttp sends as they are, and of an answer that is awaited whole. What is larger goes in pieces."""

NEEDED = (("write", "contents"), ("execute", "kernels"))
"""The permissions that the program uses on the server, which its user needs, too."""


class MCPHandler(APIHandler):
    """Authenticates a request as the server does, and forwards it."""

    def initialize(self, child: Child) -> None:
        self.child = child
        self._relaying: asyncio.Task | None = None
        self._gone = False

    # Authentication.

    def skip_check_origin(self) -> bool:
        """Refuses pages of other origins even with a token, as MCP requires."""
        return self.request.method == "OPTIONS"  # a preflight only asks

    def check_xsrf_cookie(self) -> None:
        """As for Jupyter's own API: a request with a token needs no XSRF cookie."""
        if getattr(self, "_jupyter_current_user", self) is not None:  # known, or not yet asked for
            JupyterHandler.check_xsrf_cookie(self)

    async def prepare(self, *args: Any, **kwargs: Any) -> None:
        if not self.check_origin():
            raise HTTPError(
                403, "pages of this origin may not send requests: to allow them, set c.ServerApp.allow_origin"
            )
        await ensure_async(JupyterHandler.prepare(self))
        if self.request.method == "OPTIONS":
            return
        user = self.current_user
        if user is None:
            raise HTTPError(403, "send the token of this Jupyter server: Authorization: token TOKEN")
        for action, resource in NEEDED:
            if not await ensure_async(self.authorizer.is_authorized(self, user, action, resource)):
                raise HTTPError(403, f"the user may not {action} {resource} on this server")
        if self.request.headers.get("Upgrade"):
            self.check_upgrade()
        if len(self.request.body) > MAX_BODY:
            raise HTTPError(413, f"the body is longer than {MAX_BODY} bytes")

    def check_upgrade(self) -> None:
        raise HTTPError(400, "websockets are not supported here: open them at /mcp/ws, or send plain HTTP requests")

    @allow_unauthenticated
    def options(self, path: str) -> None:  # type: ignore[override]
        """Answers a browser that asks whether a page may send a request."""
        APIHandler.options(self)
        self.set_header("Access-Control-Allow-Methods", "GET, POST, DELETE")
        self.set_header(
            "Access-Control-Allow-Headers",
            "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, X-XSRFToken",
        )
        self.set_status(204)

    # To the program and back.

    def request_headers(self) -> dict[str, str]:
        """The request's headers for the program."""
        given = self.request.headers
        headers = {k: v for k, v in given.items() if k in _PASSED or k.startswith(_PASSED_PREFIX)}
        headers["X-Forwarded-Prefix"] = url_path_join(self.base_url, "mcp")
        headers[USER_HEADER] = self._user_name()
        return headers

    def record_activity(self) -> None:
        """Keeps the server from taking itself for idle."""
        self.settings["api_last_activity"] = utcnow()

    def compute_etag(self) -> None:
        """None: the program says what a client may keep."""

    def _user_name(self) -> str:
        """The request's user, if the server knows users. With the server's one token there is none: Jupyter makes
        up a name for each such request. A hub's tokens are their users', and `token` is there the server's own."""
        provider = self.identity_provider
        if self.token_authenticated and getattr(provider, "token", "") and not hasattr(provider, "hub_auth"):
            return ""
        return quote(self.current_user.username, safe="")

    async def get(self, path: str) -> None:
        await self.forward(path)

    head = post = put = patch = delete = get

    async def forward(self, path: str) -> None:
        """Answers as the program does."""
        target = ROUTES.get(path)
        if target is None:
            raise HTTPError(
                404, "unknown path: use /mcp, /mcp/ws, /mcp/sse, /mcp/healthz, /mcp/tools/list or /mcp/tools/call"
            )
        if self.request.query:
            query = [(k, v) for k, v in parse_qsl(self.request.query, keep_blank_values=True) if k != "token"]
            target += f"?{urlencode(query)}" if query else ""
        run = await self.program()
        if self._gone:
            return
        self.record_activity()
        self._relaying = asyncio.current_task()
        try:
            await self._relay(run, target)
        except StreamClosedError:
            pass  # the client has gone
        except asyncio.CancelledError:
            if not self._gone:
                raise
        except (aiohttp.ClientError, OSError) as e:
            if not self._gone:
                self.log.debug("the connection with nbduet: %s: %s", type(e).__name__, e)  # repr would show the token
                self._cut("nbduet did not answer; the next request starts it again if it has ended")
        finally:
            self._relaying = None

    async def program(self) -> Run:
        """The program, which is started if it does not run."""
        try:
            return await self.child.run()
        except OSError as e:
            self.log.error("nbduet cannot be started: %s", e)
            raise HTTPError(503, "nbduet cannot be started; the server's log says why") from e

    async def _relay(self, run: Run, target: str) -> None:
        headers = {**self.request_headers(), "Authorization": f"Bearer {run.token}"}
        body = self.request.body
        try:
            answer = await run.wait(
                run.http.request(
                    self.request.method or "GET",
                    run.url(target),
                    headers=headers,
                    data=body if len(body) <= LARGE else io.BytesIO(body),
                    allow_redirects=False,
                )
            )
        except ValueError as e:
            raise HTTPError(400, "a header cannot be passed on") from e
        try:
            if answer.status == 401:
                raise HTTPError(502, "nbduet refused the extension's token")
            self.set_status(answer.status, answer.reason or None)
            self.clear_header("Content-Type")  # tornado's own
            for name, value in answer.headers.items():
                if name.lower() not in _DROPPED:
                    self.set_header(name, value)
            if self.request.headers.get("Origin"):
                self.set_header("Access-Control-Expose-Headers", "Mcp-Session-Id, Retry-After")
            content, length = answer.content, answer.content_length
            piece = content.read_nowait() if length is None or length > LARGE else await run.wait(content.read())
            while not content.at_eof():
                self.write(piece)
                await JupyterHandler.flush(self)  # as fast as the client reads; a stream that is empty has to begin, too
                piece = await run.wait(content.readany())
                self.record_activity()
            if piece:
                self.write(piece)
        finally:
            answer.close()  # which ends the request in the program, if it goes on
        JupyterHandler.finish(self)  # what has come whole goes out in one piece

    def _cut(self, why: str) -> None:
        """Answers with an error. An answer that has begun is cut off, so that nobody takes it for complete."""
        if not self._headers_written:
            raise HTTPError(502, why)
        self.request.connection.stream.close()  # type: ignore[union-attr]

    def on_connection_close(self) -> None:
        """Ends the request to the program when the client has gone."""
        self._gone = True
        if self._relaying is not None:
            self._relaying.cancel()
