"""What is served where the program cannot be: the extension loads there like anywhere else, so that one configuration
does for all of a site's machines, and says what to do instead."""

from __future__ import annotations

from .handler import MCPHandler

WHY = (
    "on Windows the Jupyter server cannot hand nbduet the socket at which it would serve: run `nbduet` as your client's "
    "own program (stdio), or `nbduet --transport=streamable-http`, on the same machine"
)


def hands_sockets_down(platform: str) -> bool:
    """Whether a process of the platform, one of sys.platform's names, can hand a socket down to a program it starts."""
    return platform != "win32"


class ElsewhereHandler(MCPHandler):
    """Says to whoever may use the server why there is no program."""

    def initialize(self) -> None:  # type: ignore[override]
        super().initialize(child=None)  # type: ignore[arg-type]

    def check_upgrade(self) -> None:
        """A WebSocket is answered like all else."""

    async def forward(self, path: str) -> None:
        self.set_status(501)
        await self.finish({"message": WHY})
