"""A client made with the MCP SDK for Python, for the tests. It speaks the protocol of both eras: the revisions that begin
with `initialize`, and, where it is asked to, the one without sessions.

The Go package e2e/sdk is its other side. It reads a request a line from stdin, {"id", "command", "args"}, and answers
each, as soon as it has the answer, with a line {"id", "result"} or {"id", "error": {"message", "code"}}. The first has to
be `connect`. What the server sends of its own accord is told as {"message": {"method", "params"}}. At the end of stdin it
closes the connection, as a host that is quit does, and exits.
"""

import json
import sys
import warnings

import anyio
import anyio.lowlevel
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import ElicitResult, Implementation, PromptReference, ResourceTemplateReference

# Requests of the older era are made here on purpose.
warnings.simplefilter("ignore", MCPDeprecationWarning)

TIMEOUT = 20 * 60  # of a request, in seconds; the tests have limits of their own


def write(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def tell(method, params):
    write({"message": {"method": method, "params": params}})


def plain(value):
    """What a model of the SDK is in JSON."""
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


async def all_pages(ask, key):
    items, cursor = [], None
    while True:
        page = await ask(cursor=cursor)
        items += [plain(item) for item in getattr(page, key)]
        if (cursor := page.next_cursor) is None:
            return items


def transport_for(given, http):
    if given.get("command"):
        return StdioServerParameters(command=given["command"], args=given.get("args") or [], env=given.get("env") or {})
    if given.get("sse"):
        return sse_client(given["url"], headers=given.get("headers") or {})
    return streamable_http_client(given["url"], http_client=http)


def client_for(given, http):
    async def heard(message):
        if isinstance(message, Exception):
            print(f"client: {message!r}", file=sys.stderr)
        elif getattr(message, "method", "") != "notifications/progress":  # call has a callback for that
            sent = plain(message)
            tell(sent["method"], sent.get("params") or {})

    async def asked(_context, params):
        tell("elicitation/create", plain(params))
        return ElicitResult(**given["elicit"])

    return Client(
        transport_for(given, http),
        mode="auto" if given.get("modern") else "legacy",
        client_info=Implementation(name=given.get("name") or "python", version="1"),
        elicitation_callback=asked if given.get("elicit") else None,
        message_handler=heard,
        read_timeout_seconds=TIMEOUT,
    )


class Commands:
    """The commands, by their names, on a connected client."""

    def __init__(self, client, tasks):
        self.client, self.tasks = client, tasks
        self.listening = {}  # how to stop hearing of each address

    def hello(self):
        info = self.client.server_info
        return {
            "protocol": self.client.protocol_version,
            "server": plain(info) if info else {},
            "capabilities": plain(self.client.server_capabilities),
            "instructions": self.client.instructions or "",
        }

    async def tools(self):
        return await all_pages(self.client.list_tools, "tools")

    async def call(self, name, arguments, progress):
        async def told(progress, total, message):
            tell("notifications/progress", {"progress": progress, "total": total, "message": message})

        return plain(await self.client.call_tool(name, arguments, progress_callback=told if progress else None))

    async def resources(self):
        return await all_pages(self.client.list_resources, "resources")

    async def templates(self):
        return await all_pages(self.client.list_resource_templates, "resource_templates")

    async def read(self, uri):
        return [plain(content) for content in (await self.client.read_resource(uri)).contents]

    async def subscribe(self, uri):
        try:
            self.listening[uri] = await self.tasks.start(self.listen, uri)
        except ListenNotSupportedError:
            await self.client.subscribe_resource(uri)

    async def listen(self, uri, task_status):
        """Tells of changes of what is at an address, in the newer era."""
        with anyio.CancelScope() as scope:
            async with self.client.listen(resource_subscriptions=[uri]) as stream:
                if uri not in (stream.honored.resource_subscriptions or ()):
                    raise RuntimeError(f"the server does not tell of {uri}")
                task_status.started(scope)
                async for event in stream:
                    tell("notifications/resources/updated", {"uri": event.uri})

    async def unsubscribe(self, uri):
        if uri in self.listening:
            self.listening.pop(uri).cancel()
        else:
            await self.client.unsubscribe_resource(uri)

    async def prompts(self):
        return await all_pages(self.client.list_prompts, "prompts")

    async def prompt(self, name, arguments):
        return plain(await self.client.get_prompt(name, arguments))

    async def complete(self, ref, argument, context):
        kind = PromptReference if ref["type"] == "ref/prompt" else ResourceTemplateReference
        result = await self.client.complete(kind(**ref), argument, (context or {}).get("arguments"))
        return plain(result.completion)

    async def ping(self):
        return plain(await self.client.send_ping())

    async def end(self):
        """The SDK says so itself when it closes the connection."""


def failure(e):
    while isinstance(e, BaseExceptionGroup) and len(e.exceptions) == 1:
        e = e.exceptions[0]
    return {"message": str(e) or repr(e), "code": e.error.code if isinstance(e, MCPError) else 0}


async def serve(lines, commands, tasks):
    running = {}  # the scopes of requests, by their ids

    async def answer(number, command, args):
        with anyio.CancelScope() as running[number]:
            try:
                write({"id": number, "result": await getattr(commands, command)(*args)})
            except Exception as e:
                write({"id": number, "error": failure(e)})
        if running.pop(number).cancelled_caught:
            write({"id": number, "error": {"message": "cancelled by the test", "code": 0}})

    async for line in lines:
        request = json.loads(line)
        if request["command"] != "cancel":
            tasks.start_soon(answer, request["id"], request["command"], request["args"])
            continue
        if scope := running.get(request["args"][0]):
            scope.cancel()
        write({"id": request["id"], "result": None})


async def main():
    lines = anyio.wrap_file(sys.stdin)
    first = json.loads(await lines.readline())
    given = first["args"][0]
    connected = leaving = False
    try:
        try:
            async with (
                httpx2.AsyncClient(headers=given.get("headers") or {}, timeout=TIMEOUT) as http,
                client_for(given, http) as client,
                anyio.create_task_group() as tasks,
            ):
                commands = Commands(client, tasks)
                write({"id": first["id"], "result": commands.hello()})
                connected = True
                await serve(lines, commands, tasks)
                tasks.cancel_scope.cancel()
                leaving = True
        except* anyio.BrokenResourceError:
            # The SDK's reader of HTTP+SSE had a message from the server that nobody was there to take any more.
            if not (leaving and given.get("sse")):
                raise
    except Exception as e:
        if connected:
            raise
        write({"id": first["id"], "error": failure(e)})


anyio.run(main)
