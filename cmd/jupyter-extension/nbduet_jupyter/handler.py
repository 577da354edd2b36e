"""One request, from who sends it to the program and back."""

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
    "/sse": "/sse",
    "/message": "/message",
    "/metrics": "/metrics",
}
"""What stands behind {base_url}/mcp, and where the program has it."""

# What of a request's header the program is to see: not who sends it, and not what it is let in with.
_PASSED = ("Accept", "Content-Type", "Last-Event-Id", "User-Agent")
_PASSED_PREFIX = "Mcp-"
# What of an answer's header belongs to the connection with the program, or is Jupyter's to say.
_DROPPED = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server", "www-authenticate"}

MAX_BODY = 16 << 20
"""Bytes of a request's body, as many as the program takes."""

NEEDED = (("write", "contents"), ("execute", "kernels"))
"""What the program can do on the server, and so whoever uses it must be allowed to."""


class MCPHandler(NamedLocalProxyHandler, APIHandler):
    """Lets in whom the server lets in, and hands the request on.

    jupyter-server-proxy would wait for an answer to be whole where it is not sure that it is a stream,
    cut streams after two hours, and not notice that a client has gone; so the way to the program
    and back is written here.
    """

    name = "nbduet"
    mappath = ROUTES

    def initialize(self, child: Child) -> None:
        self.child = child
        self.proxy_base = "mcp"
        self._relaying: asyncio.Future[None] | None = None
        self._gone = False

    # Who is let in.

    def skip_check_origin(self) -> bool:
        """Pages of other origins are refused although they have a token, as MCP wants it."""
        return self.request.method == "OPTIONS"  # asks whether it may

    def check_xsrf_cookie(self) -> None:
        """As for Jupyter's own API: whoever has sent a token is not asked."""
        if getattr(self, "_jupyter_current_user", self) is not None:  # known, or not asked for yet
            JupyterHandler.check_xsrf_cookie(self)

    async def prepare(self, *args: Any, **kwargs: Any) -> None:
        if not self.check_origin():
            raise HTTPError(
                403, "pages of this origin may not send requests: c.ServerApp.allow_origin names those that may"
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
            raise HTTPError(400, "there is no websocket here")
        if len(self.request.body) > MAX_BODY:
            raise HTTPError(413, f"the body is longer than {MAX_BODY} bytes")

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
        """What the program sees of the request's header."""
        given = self.request.headers
        headers = {k: v for k, v in given.items() if k in _PASSED or k.startswith(_PASSED_PREFIX)}
        headers["X-Forwarded-Prefix"] = url_path_join(self.base_url, self.proxy_base)
        headers[USER_HEADER] = self._person()
        return headers

    def _person(self) -> str:
        """Whom the request is from, where the server tells people apart. Whoever has the server's one token
        is nobody in particular: Jupyter makes up a name for each such request."""
        if self.token_authenticated and getattr(self.identity_provider, "token", ""):
            return ""
        return quote(self.current_user.username, safe="")

    async def proxy(self, port: int, path: str) -> None:
        target = self.mappath.get(path)
        if target is None:
            raise HTTPError(
                404, "there is nothing here: /mcp, /mcp/sse, /mcp/healthz, /mcp/tools/list and /mcp/tools/call are"
            )
        try:
            run = await self.child.run()
        except OSError as e:
            self.log.error("nbduet cannot be started: %s", e)
            raise HTTPError(503, "nbduet cannot be started; the server's log says why") from e
        self._relaying = asyncio.ensure_future(self._relay(run, target))
        await asyncio.wait({self._relaying, run.ended}, return_when=asyncio.FIRST_COMPLETED)
        if not self._relaying.done():  # nobody is left to answer it, or even to take it
            self._relaying.cancel()
            await asyncio.wait({self._relaying})
        if not self._relaying.cancelled():
            self._relaying.result()
        elif not self._gone:
            self._cut("nbduet has ended meanwhile; the next request starts it again")

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
                    raise HTTPError(502, "nbduet does not know its own server")
                self.set_status(answer.status, answer.reason)
                for name, value in answer.headers.items():
                    if name.lower() not in _DROPPED:
                        self.set_header(name, value)
                if self.request.headers.get("Origin"):
                    self.set_header("Access-Control-Expose-Headers", "Mcp-Session-Id, Retry-After")
                await JupyterHandler.flush(self)  # a stream on which nothing is said yet is one
                async for chunk in answer.content.iter_any():
                    self._record_activity()
                    JupyterHandler.write(self, chunk)
                    await JupyterHandler.flush(self)  # as fast as the client takes it
        except StreamClosedError:
            pass  # the client has gone
        except aiohttp.ClientError as e:
            self.log.debug("the connection with nbduet: %s", e)
            self._cut("nbduet did not answer; the next request starts it again if it has ended")

    def _cut(self, why: str) -> None:
        """Answers that there is no answer. Half of one is left without an end, so that it is not taken for a whole."""
        if not self._headers_written:
            raise HTTPError(502, why)
        self.request.connection.stream.close()  # type: ignore[union-attr]

    def on_connection_close(self) -> None:
        """The client has gone: the program is to know, which cancels what was asked."""
        self._gone = True
        if self._relaying is not None:
            self._relaying.cancel()
