"""What the program is let in with when it works on the server itself.

A server may have no token: one with a password alone, or one that asks somebody else who its
users are. And where it has one, it is the users'. So the program gets a secret of its own, which
only it and this process know, and which ends with it.
"""

from __future__ import annotations

import hmac
import inspect
import secrets
from typing import Any

from jupyter_server.auth import IdentityProvider, User

PROGRAM = User(username="nbduet", name="nbduet", display_name="nbduet", initials="nb")


class Admission:
    """Lets the program in: before the server's identity provider is asked who sends a request,
    its Authorization header is looked at for the program's secret."""

    def __init__(self) -> None:
        self._secret = ""

    def renew(self) -> str:
        """A new secret; those before are worth nothing any more."""
        self._secret = secrets.token_hex(32)
        return self._secret

    def install(self, provider: IdentityProvider) -> None:
        """Asks before the provider does. Its class stays what it is, since sites choose it."""
        ask = provider.get_user

        async def get_user(handler: Any) -> User | None:
            if self._knows(handler.request.headers.get_list("Authorization")):
                handler._token_authenticated = True  # no page can have sent it: no XSRF check
                return PROGRAM
            user = ask(handler)
            return await user if inspect.isawaitable(user) else user

        provider.get_user = get_user  # type: ignore[method-assign]

    def _knows(self, headers: list[str]) -> bool:
        scheme, _, token = "".join(headers).partition(" ")
        given, known = token.strip().encode(), self._secret.encode()
        return len(headers) == 1 and scheme.lower() == "token" and bool(known) and hmac.compare_digest(given, known)
