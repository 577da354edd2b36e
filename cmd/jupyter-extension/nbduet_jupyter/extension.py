"""The extension and its configuration."""

from __future__ import annotations

import os
import re
import sys

from jupyter_server.extension.application import ExtensionApp
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from traitlets import Bool, List, Unicode, default

from nbduet import find_nbduet_bin

from .child import Child
from .elsewhere import WHY, ElsewhereHandler, hands_sockets_down
from .handler import MCPHandler
from .identity import ProgramIdentity
from .log import wants_debug
from .websocket import MCPSocketHandler

LOCAL = "local"

# Variables that would name another server, admit other clients, or change how the program serves.
_OURS = re.compile(
    r"JUPYTER_SERVER_URL|JUPYTER_TOKEN(_FILE)?|(NBDUET_)?(DOCUMENT|RUNTIME)_(URL|TOKEN|TOKEN_FILE|ID)"
    r"|NBDUET_(TRANSPORT|HOST|AUTH_TOKEN|AUTH_TOKEN_FILE|TLS_CERT|TLS_KEY|RESOURCE_URL|OIDC_[A-Z]+)|MCP_PORT"
)


class JupyterMCPServerExtensionApp(ExtensionApp):
    """nbduet at {base_url}/mcp. The class has the name of Datalayer's extension, so that
    its configuration works here."""

    name = "nbduet_jupyter"
    load_other_extensions = True

    document_url = Unicode(LOCAL, help="The Jupyter server with the documents; 'local' is this one.").tag(config=True)
    document_token = Unicode(
        "", help="The token of document_url, if that is another server; DOCUMENT_TOKEN in the environment."
    ).tag(config=True)
    document_id = Unicode("", help="Path of the notebook that clients work on until they name another one.").tag(
        config=True
    )
    runtime_url = Unicode(LOCAL, help="The Jupyter server with the kernels; 'local' is this one.").tag(config=True)
    runtime_token = Unicode(
        "", help="The token of runtime_url, if that is another server; RUNTIME_TOKEN in the environment."
    ).tag(config=True)
    runtime_id = Unicode("", help="Id of the kernel to use.").tag(config=True)

    toolsets = Unicode(
        "", help="Toolsets to offer, as --toolsets of nbduet takes them; NBDUET_TOOLSETS in the environment."
    ).tag(config=True)
    read_only = Bool(False, help="Offer only tools that change nothing.").tag(config=True)
    args = List(Unicode(), help="Further arguments of nbduet. Other users can see them: no tokens.").tag(config=True)
    program = Unicode(help="The program to start; by default the one of the package nbduet.").tag(config=True)

    @default("program")
    def _default_program(self) -> str:
        return find_nbduet_bin()

    @default("document_token")
    def _default_document_token(self) -> str:
        return os.environ.get("DOCUMENT_TOKEN", "")

    @default("runtime_token")
    def _default_runtime_token(self) -> str:
        return os.environ.get("RUNTIME_TOKEN", "")

    child: Child | None = None  # until initialize, and where the program cannot be served
    _initialized = False

    def initialize(self) -> None:
        """Does nothing the second time: if both of the extension's names are enabled, the server has two of these
        apps, but loads the one that it finds under their common name, twice."""
        if not self._initialized:
            self._initialized = True
            super().initialize()

    def initialize_handlers(self) -> None:
        if not hands_sockets_down(sys.platform):
            self.log.warning("/mcp is not served: %s", WHY)
            self.handlers.append((r"/mcp(|/.*)", ElsewhereHandler))
            return
        self._local_server: HTTPServer | None = None
        self._local_port = 0
        self._identity = ProgramIdentity()
        self._identity.install(self.serverapp.identity_provider)
        self.child = Child(self._command, self.log)
        self.handlers.append((r"/mcp(/ws)", MCPSocketHandler, {"child": self.child}))
        self.handlers.append((r"/mcp(|/.*)", MCPHandler, {"child": self.child}))

    async def stop_extension(self) -> None:
        if self.child is None:
            return
        await self.child.stop()
        if self._local_server is not None:
            self._local_server.stop()

    def _command(self) -> tuple[list[str], dict[str, str]]:
        """The program's arguments and environment. Tokens are in the environment, which only its owner can read."""
        env = {k: v for k, v in os.environ.items() if not _OURS.fullmatch(k)}
        env["JUPYTER_SERVER_URL"], env["JUPYTER_TOKEN"] = self._own_url(), self._identity.renew()
        for name, url, token in (
            ("DOCUMENT", self.document_url, self.document_token),
            ("RUNTIME", self.runtime_url, self.runtime_token),
        ):
            if url not in ("", LOCAL):
                env[f"{name}_URL"], env[f"{name}_TOKEN"] = url, token
        for name, value in (
            ("DOCUMENT_ID", self.document_id),
            ("RUNTIME_ID", self.runtime_id),
            ("NBDUET_TOOLSETS", self.toolsets),
        ):
            if value:
                env[name] = value
        if self.read_only:
            env["NBDUET_READ_ONLY"] = "true"
        env.setdefault("LOG_LEVEL", "debug" if wants_debug(self.log) else "info")
        return [self.program, *self.args], env

    def _own_url(self) -> str:
        """The address of this server for the program."""
        app = self.serverapp
        if app.sock or app.certfile or app.ssl_options:
            return f"http://127.0.0.1:{self._listen_locally()}{app.base_url}"
        host = "127.0.0.1" if app.ip in ("", "*", "0.0.0.0", "::") else app.ip
        return f"http://{f'[{host}]' if ':' in host else host}:{app.port}{app.base_url}"

    def _listen_locally(self) -> int:
        """Opens a loopback port for the program, if the server listens at a Unix socket, or with a certificate that
        may not be valid for the loopback address. The server authenticates requests there, too."""
        if self._local_server is None:
            sockets = bind_sockets(0, "127.0.0.1")
            self._local_port = sockets[0].getsockname()[1]
            self._local_server = HTTPServer(self.serverapp.web_app)
            self._local_server.add_sockets(sockets)
        return self._local_port
