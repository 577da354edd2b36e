"""Another program in a notebook's room, by pycrdt and a websocket.

Reads one JSON object a line from stdin and answers each with one on stdout:

    {"do": "open", "url": room, "token": token}   a new, empty document, connected
    {"do": "insert", "at": n, "id": id, "source": text}
    {"do": "delete", "cell": n}
    {"do": "text", "cell": n, "at": code point, "del": code points, "ins": text}
    {"do": "flush"}                               until the room has everything
    {"do": "away"}, {"do": "back"}                disconnect, connect again
    {"do": "read"}                                [[id, source], ...]
    {"do": "close"}
"""

import asyncio
import json
import sys
import traceback

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
    def __init__(self, url, token):
        self.request = HTTPRequest(url, headers={"Authorization": "token " + token})
        self.doc = Doc()
        self.cells = self.doc.get("cells", type=Array)
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

    async def connect(self):
        self.ws = await websocket_connect(self.request, max_message_size=1 << 30)
        self.reader = asyncio.ensure_future(self.read(self.ws))
        self.theirs = None
        await self.flush()
        while self.theirs is None:
            await asyncio.sleep(0.001)
        self.synced = True
        self.ws.write_message(frame(1, self.doc.get_update(self.theirs)), binary=True)

    async def read(self, ws):
        while (b := await ws.read_message()) is not None:
            if b[0] != 0:
                continue
            p = payload(b)
            if b[1] == 0:
                self.theirs = p
                if self.synced:
                    ws.write_message(frame(1, self.doc.get_update(p)), binary=True)
            else:
                self.apply(p)
                if b[1] == 1:
                    self.answers.pop(0).set_result(None)

    async def flush(self):
        answer = asyncio.get_running_loop().create_future()
        self.answers.append(answer)
        self.ws.write_message(frame(0, self.doc.get_state()), binary=True)
        await answer

    async def disconnect(self):
        self.synced = False
        self.answers = []
        self.ws.close()
        self.reader.cancel()

    def insert(self, at, id, source):
        self.cells.insert(
            at % (len(self.cells) + 1),
            Map(
                {
                    "id": id,
                    "cell_type": "code",
                    "source": Text(source),
                    "metadata": Map({}),
                    "outputs": Array([]),
                    "execution_count": None,
                    "execution_state": "idle",
                }
            ),
        )

    def delete(self, cell):
        if len(self.cells) > 2:
            del self.cells[cell % len(self.cells)]

    def text(self, cell, at, count, ins):
        if len(self.cells) == 0:
            return
        text = self.cells[cell % len(self.cells)]["source"]
        was = str(text)  # offsets are bytes here
        at %= len(was) + 1
        start = len(was[:at].encode())
        end = len(was[: at + count].encode())
        with self.doc.transaction():
            if end > start:
                del text[start:end]
            if ins:
                text.insert(start, ins)


async def answer(peer, c):
    match c["do"]:
        case "open":
            peer = Peer(c["url"], c["token"])
            await peer.connect()
        case "insert":
            peer.insert(c["at"], c["id"], c["source"])
        case "delete":
            peer.delete(c["cell"])
        case "text":
            peer.text(c["cell"], c["at"], c["del"], c["ins"])
        case "flush":
            await peer.flush()
        case "away" | "close":
            await peer.disconnect()
        case "back":
            await peer.connect()
        case "read":
            return peer, [[cell["id"], str(cell["source"])] for cell in peer.cells]
    return peer, None


async def main():
    stdin = asyncio.StreamReader(limit=1 << 24)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    peer = None
    while line := await stdin.readline():
        try:
            peer, value = await asyncio.wait_for(answer(peer, json.loads(line)), 60)
            result = {"value": value}
        except BaseException:  # a panic in pycrdt's Rust is no Exception
            result = {"error": traceback.format_exc()}
        print(json.dumps(result), flush=True)


asyncio.run(main())
