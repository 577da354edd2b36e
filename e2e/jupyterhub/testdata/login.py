"""A client made with the MCP SDK for Python, which logs in. It is given an address of the server and one to be sent back to,
prints the address that it would open in the browser, reads from stdin where the browser was sent, and prints the names of
the tools that it is offered."""

import sys

import anyio
import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata


class Kept:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def show(url):
    print(url, flush=True)


async def answered():
    line = await anyio.to_thread.run_sync(sys.stdin.readline)
    query = httpx2.URL(line.strip()).params
    return AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))


async def main(url, back):
    metadata = OAuthClientMetadata(client_name="MCP SDK", redirect_uris=[back])
    login = OAuthClientProvider(url, metadata, Kept(), redirect_handler=show, callback_handler=answered)
    async with httpx2.AsyncClient(auth=login, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            print(*[tool.name for tool in (await client.list_tools()).tools], flush=True)


anyio.run(main, *sys.argv[1:])
