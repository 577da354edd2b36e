"""Other programs in notebooks' rooms, by pycrdt and a websocket: one process for any number of them.

Reads one JSON object a line from stdin and answers each with one on stdout that has its "id", and "value" or "error".
Commands of one peer come one after the other, those of several at the same time:

    {"id": n, "peer": name, "do": "open", "url": room, "token": token}   a new, empty document, connected
    {… "do": "insert", "at": n, "cell": id, "source": text}
    {… "do": "delete", "cell": n}
    {… "do": "text", "cell": n, "at": code point, "del": code points, "ins": text}
    {… "do": "flush"}                               until the room has everything, and the peer what the room has
    {… "do": "away"}, {… "do": "back"}              disconnect, connect again
    {… "do": "read"}                                [[id, source], ...]
    {… "do": "cells"}                               the cells as they are in a file, with "execution_state"
    {… "do": "close"}

An edit with "flush": true waits as flush does. {"id": n, "do": "validate", "file": name} checks a notebook file against
the schema of nbformat, and that its cell ids are unique.
"""

import asyncio
import json
import sys
import traceback

import nbformat
from pycrdt import Array, Doc, Map, Text
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def frame(kind, payload):
    return bytes([0, kind]) + varint(len(payload)) + payload


def payload(b):
    n = shift = 0
    for i, c in enumerate(b[2:]):
        n |= (c & 127) << shift
        shift += 7
        if c < 128:
            return b[3 + i : 3 + i + n]
    raise ValueError("no length")


class Peer:
    def __init__(self, c):
        self.request = HTTPRequest(c["url"], headers={"Authorization": "token " + c["token"]})
        self.doc = Doc()
        self.array = self.doc.get("cells", type=Array)
        self.ws = None
        self.synced = False
        self.applying = False
        self.answers = []
        self.subscription = self.doc.observe(self.changed)

    def changed(self, event):
        if not self.applying and self.synced:
            self.ws.write_message(frame(2, event.update), binary=True)

    def apply(self, update):
        self.applying = True
        try:
            self.doc.apply_update(update)
        finally:
            self.applying = False

    async def back(self, c):
        self.ws = await websocket_connect(self.request, max_message_size=1 << 30)
        self.theirs = asyncio.get_running_loop().create_future()
        self.reader = asyncio.ensure_future(self.receive(self.ws))
        await self.flush(c)
        theirs = await self.theirs
        self.synced = True
        self.ws.write_message(frame(1, self.doc.get_update(theirs)), binary=True)

    async def receive(self, ws):
        while (b := await ws.read_message()) is not None:
            if b[0] != 0:
                continue
            p = payload(b)
            if b[1] == 0:
                if not self.theirs.done():
                    self.theirs.set_result(p)
                if self.synced:
                    ws.write_message(frame(1, self.doc.get_update(p)), binary=True)
            else:
                self.apply(p)
                if b[1] == 1:
                    self.answers.pop(0).set_result(None)

    async def flush(self, c):
        answer = asyncio.get_running_loop().create_future()
        self.answers.append(answer)
        self.ws.write_message(frame(0, self.doc.get_state()), binary=True)
        await answer

    async def away(self, c):
        self.synced = False
        self.answers = []
        self.reader.cancel()
        self.ws.close()

    async def insert(self, c):
        self.array.insert(
            c["at"] % (len(self.array) + 1),
            Map(
                {
                    "id": c["cell"],
                    "cell_type": "code",
                    "source": Text(c["source"]),
                    "metadata": Map({}),
                    "outputs": Array([]),
                    "execution_count": None,
                    "execution_state": "idle",
                }
            ),
        )

    async def delete(self, c):
        if len(self.array) > 2:
            del self.array[c["cell"] % len(self.array)]

    async def text(self, c):
        if len(self.array) == 0:
            return
        text = self.array[c["cell"] % len(self.array)]["source"]
        was = str(text)  # offsets are bytes here
        at = c["at"] % (len(was) + 1)
        start = len(was[:at].encode())
        end = len(was[: at + c["del"]].encode())
        with self.doc.transaction():
            if end > start:
                del text[start:end]
            if c["ins"]:
                text.insert(start, c["ins"])

    async def read(self, c):
        return [[cell["id"], str(cell["source"])] for cell in self.array]

    async def cells(self, c):
        return self.array.to_py()


def validate(name):
    notebook = nbformat.read(name, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    ids = [cell["id"] for cell in notebook.cells]
    if len(set(ids)) != len(ids):
        raise ValueError(f"{name}: cell ids are not unique: {ids}")


peers = {}


async def do(c):
    match c["do"]:
        case "validate":
            return validate(c["file"])
        case "open":
            peers[c["peer"]] = peer = Peer(c)
            return await peer.back(c)
        case "close":
            return await peers.pop(c["peer"]).away(c)
        case "insert" | "delete" | "text" | "flush" | "away" | "back" | "read" | "cells" as name:
            peer = peers[c["peer"]]
            value = await getattr(peer, name)(c)
            if c.get("flush"):
                await peer.flush(c)
            return value
    raise ValueError(f"no such command: {c}")


async def answer(c):
    try:
        result = {"value": await do(c)}
    except BaseException:  # a panic in pycrdt's Rust is no Exception
        result = {"error": traceback.format_exc()}
    print(json.dumps({"id": c["id"]} | result), flush=True)


async def main():
    stdin = asyncio.StreamReader(limit=1 << 24)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    tasks = set()
    while line := await stdin.readline():
        task = asyncio.ensure_future(answer(json.loads(line)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


asyncio.run(main())
