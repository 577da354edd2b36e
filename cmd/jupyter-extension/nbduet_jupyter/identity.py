"""Authenticates the program when it works on the server itself.

A server with a password only, or with an external login, has no token, and a token that it has
belongs to its users. So the program gets its own secret, which only it and this process know, and
which ends with it.
"""

from __future__ import annotations

import hmac
import inspect
import secrets
from typing import Any

from jupyter_server.auth import IdentityProvider, User

PROGRAM = User(username="nbduet", name="nbduet", display_name="nbduet", initials="nb")


class ProgramIdentity:
    """Recognises the program by its secret in the Authorization header, before the server's identity
    provider is asked for a request's user."""

    def __init__(self) -> None:
        self._secret = ""

    def renew(self) -> str:
        """Makes a new secret; earlier ones are no longer valid."""
        self._secret = secrets.token_hex(32)
        return self._secret

    def install(self, provider: IdentityProvider) -> None:
        """Puts the check before the provider's. Its class stays, because sites choose it."""
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
