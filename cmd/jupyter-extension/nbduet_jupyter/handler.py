"""Checks a request and forwards it to the program."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import aiohttp
from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.utils import ensure_async, url_path_join
from jupyter_server_proxy.handlers import NamedLocalProxyHandler
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

NEEDED = (("write", "contents"), ("execute", "kernels"))
"""The permissions that the program uses on the server, which its user needs, too."""


class MCPHandler(NamedLocalProxyHandler, APIHandler):
    """Authenticates a request as the server does, and forwards it.

    jupyter-server-proxy waits for the whole answer unless it is sure of a stream, cuts streams after
    two hours, and does not notice that a client has gone; so this class forwards by itself.
    """

    name = "nbduet"
    mappath = ROUTES

    def initialize(self, child: Child) -> None:
        self.child = child
        self.proxy_base = "mcp"
        self._relaying: asyncio.Future[None] | None = None
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

    def proxy_request_headers(self) -> dict[str, str]:
        """The request's headers for the program."""
        given = self.request.headers
        headers = {k: v for k, v in given.items() if k in _PASSED or k.startswith(_PASSED_PREFIX)}
        headers["X-Forwarded-Prefix"] = url_path_join(self.base_url, self.proxy_base)
        headers[USER_HEADER] = self._user_name()
        return headers

    def _user_name(self) -> str:
        """The request's user, if the server knows users. With the server's one token there is none: Jupyter makes
        up a name for each such request."""
        if self.token_authenticated and getattr(self.identity_provider, "token", ""):
            return ""
        return quote(self.current_user.username, safe="")

    async def proxy(self, port: int, path: str) -> None:
        target = self.mappath.get(path)
        if target is None:
            raise HTTPError(
                404, "unknown path: use /mcp, /mcp/ws, /mcp/sse, /mcp/healthz, /mcp/tools/list or /mcp/tools/call"
            )
        run = await self.program()
        self._relaying = asyncio.ensure_future(self._relay(run, target))
        await asyncio.wait({self._relaying, run.ended}, return_when=asyncio.FIRST_COMPLETED)
        if not self._relaying.done():  # the program has ended and will not answer
            self._relaying.cancel()
            await asyncio.wait({self._relaying})
        if not self._relaying.cancelled():
            self._relaying.result()
        elif not self._gone:
            self._cut("nbduet has ended during the request; the next request starts it again")

    async def program(self) -> Run:
        """The program, which is started if it does not run."""
        try:
            return await self.child.run()
        except OSError as e:
            self.log.error("nbduet cannot be started: %s", e)
            raise HTTPError(503, "nbduet cannot be started; the server's log says why") from e

    async def _relay(self, run: Run, target: str) -> None:
        query = urlencode([(k, v) for k, v in parse_qsl(self.request.query, keep_blank_values=True) if k != "token"])
        headers = {**self.proxy_request_headers(), "Authorization": f"Bearer {run.token}"}
        self._record_activity()
        try:
            async with run.http.request(
                self.request.method or "GET",
                f"http://{run.address}{target}" + (f"?{query}" if query else ""),
                headers=headers,
                data=self.request.body or None,
                allow_redirects=False,
                skip_auto_headers=("Accept-Encoding", "Accept", "User-Agent", "Content-Type"),
            ) as answer:
                if answer.status == 401:
                    raise HTTPError(502, "nbduet refused the extension's token")
                self.set_status(answer.status, answer.reason)
                for name, value in answer.headers.items():
                    if name.lower() not in _DROPPED:
                        self.set_header(name, value)
                if self.request.headers.get("Origin"):
                    self.set_header("Access-Control-Expose-Headers", "Mcp-Session-Id, Retry-After")
                await JupyterHandler.flush(self)  # a stream that is still empty has to begin, too
                async for chunk in answer.content.iter_any():
                    self._record_activity()
                    JupyterHandler.write(self, chunk)
                    await JupyterHandler.flush(self)  # as fast as the client reads
        except StreamClosedError:
            pass  # the client has gone
        except aiohttp.ClientError as e:
            self.log.debug("the connection with nbduet: %s", e)
            self._cut("nbduet did not answer; the next request starts it again if it has ended")

    def _cut(self, why: str) -> None:
        """Answers with an error. An answer that has begun is cut off, so that nobody takes it for complete."""
        if not self._headers_written:
            raise HTTPError(502, why)
        self.request.connection.stream.close()  # type: ignore[union-attr]

    def on_connection_close(self) -> None:
        """Ends the connection to the program when the client has gone, which cancels the request there."""
        self._gone = True
        if self._relaying is not None:
            self._relaying.cancel()
