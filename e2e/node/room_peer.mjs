// Other programs in notebooks' rooms, by yjs and a websocket: one process for any number of them. It reads one JSON object
// a line from stdin and answers each with one on stdout; the commands are those of rooms/testdata/peer.py. Commands of one
// peer come one after the other, those of several at the same time.
import { randomBytes } from 'node:crypto'
import * as http from 'node:http'
import * as readline from 'node:readline'
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'

// Socket is a websocket client (RFC 6455) of binary messages. Node has one of its own only from version 22 on.
class Socket {
  constructor (tcp, head, onMessage) {
    this.tcp = tcp
    this.onMessage = onMessage
    this.buffer = head
    tcp.setNoDelay(true)
    tcp.on('data', b => { this.buffer = Buffer.concat([this.buffer, b]); this.parse() })
    tcp.on('error', () => {}) // the end that follows says it all
  }

  static connect (url, token, onMessage) {
    return new Promise((resolve, reject) => {
      const request = http.get(url.replace(/^ws/, 'http'), {
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': 13,
          'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
          Authorization: `token ${token}`
        }
      })
      request.on('upgrade', (_, tcp, head) => resolve(new Socket(tcp, head, onMessage)))
      request.on('response', r => reject(new Error(`the room answers with ${r.statusCode}`)))
      request.on('error', reject)
    })
  }

  parse () {
    for (;;) {
      const b = this.buffer
      if (b.length < 2) return
      let size = b[1] & 127
      let at = 2
      if (size === 126) {
        if (b.length < 4) return
        size = b.readUInt16BE(2)
        at = 4
      } else if (size === 127) {
        if (b.length < 10) return
        size = Number(b.readBigUInt64BE(2))
        at = 10
      }
      if (b.length < at + size) return
      const payload = b.subarray(at, at + size)
      this.buffer = b.subarray(at + size)
      switch (b[0]) {
        case 0x82: this.onMessage(new Uint8Array(payload)); break
        case 0x89: this.write(0x8a, payload); break // a ping
        case 0x88: this.close(); return
        default: throw new Error(`a frame that begins with ${b[0]}`) // servers of rooms send no parts and no text
      }
    }
  }

  write (kind, payload) {
    const size = payload.length
    const head = size < 126 ? Buffer.from([kind, 128 | size]) : Buffer.alloc(size < 65536 ? 4 : 10)
    if (size >= 126) {
      head[0] = kind
      head[1] = 128 | (size < 65536 ? 126 : 127)
      if (size < 65536) head.writeUInt16BE(size, 2)
      else head.writeBigUInt64BE(BigInt(size), 2)
    }
    // With a mask of zeros the masked payload is the payload.
    this.tcp.write(Buffer.concat([head, Buffer.alloc(4), payload]))
  }

  send (b) { this.write(0x82, b) }

  close () { this.tcp.destroy() }
}

const cut = (text, n) => Array.from(text).slice(0, n).join('').length

class Peer {
  constructor ({ url, token, cells = [] }) {
    this.url = url
    this.token = token
    this.doc = new Y.Doc()
    this.cells = this.doc.getArray('cells')
    cells.forEach((source, at) => this.insert({ at, cell: `c${at}`, source })) // as if it had loaded them itself
    this.answers = []
    this.doc.on('update', (update, origin) => { if (origin !== this && this.synced) this.send(2, update) })
  }

  send (kind, payload) {
    const e = encoding.createEncoder()
    encoding.writeVarUint(e, 0)
    encoding.writeVarUint(e, kind)
    encoding.writeVarUint8Array(e, payload)
    this.socket.send(encoding.toUint8Array(e))
  }

  receive (b) {
    const d = decoding.createDecoder(b)
    if (decoding.readVarUint(d) !== 0) return
    const kind = decoding.readVarUint(d)
    const payload = decoding.readVarUint8Array(d)
    if (kind === 0) {
      this.heard(payload)
      if (this.synced) this.send(1, Y.encodeStateAsUpdate(this.doc, payload))
    } else {
      Y.applyUpdate(this.doc, payload, this)
      if (kind === 1) this.answers.shift()()
    }
  }

  async back ({ url = this.url }) {
    this.url = url // of another server, after a restart
    const theirs = new Promise(resolve => { this.heard = resolve })
    const visit = {} // what an earlier socket still has to say is not for this one
    this.visit = visit
    this.socket = await Socket.connect(this.url, this.token, b => { if (this.visit === visit) this.receive(b) })
    await this.flush()
    const sv = await theirs
    this.synced = true
    this.send(1, Y.encodeStateAsUpdate(this.doc, sv))
  }

  flush () {
    return new Promise(resolve => {
      this.answers.push(resolve)
      this.send(0, Y.encodeStateVector(this.doc))
    })
  }

  away () {
    this.synced = false
    this.visit = null
    this.answers = []
    this.socket.close()
  }

  insert ({ at, cell, source }) {
    this.cells.insert(at % (this.cells.length + 1), [new Y.Map([
      ['id', cell], ['cell_type', 'code'], ['source', new Y.Text(source)], ['metadata', new Y.Map()],
      ['outputs', new Y.Array()], ['execution_count', null], ['execution_state', 'idle']
    ])])
  }

  delete ({ cell }) {
    if (this.cells.length > 2) this.cells.delete(cell % this.cells.length, 1)
  }

  clear () { this.cells.delete(0, this.cells.length) }

  text ({ cell, at, del, ins }) {
    if (this.cells.length === 0) return
    const text = this.cells.get(cell % this.cells.length).get('source')
    const was = text.toString() // offsets are UTF-16 code units here
    const start = cut(was, at % (Array.from(was).length + 1))
    const count = cut(was.slice(start), del)
    this.doc.transact(() => {
      if (count > 0) text.delete(start, count)
      if (ins !== '') text.insert(start, ins)
    })
  }

  read () { return this.cells.map(c => [c.get('id'), c.get('source').toString()]) }
}

const peers = new Map()

async function answer (c) {
  switch (c.do) {
    case 'open': {
      const peer = new Peer(c)
      peers.set(c.peer, peer)
      return await peer.back(c)
    }
    case 'close':
      peers.get(c.peer).away()
      peers.delete(c.peer)
      return
  }
  const value = await peers.get(c.peer)[c.do](c)
  if (c.flush) await peers.get(c.peer).flush()
  return value
}

const say = result => process.stdout.write(JSON.stringify(result) + '\n')

for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const command = JSON.parse(line)
  answer(command).then(
    value => say({ id: command.id, value: value ?? null }),
    error => say({ id: command.id, error: String(error.stack ?? error) }))
}
process.exit(0) // rooms that are still open would keep it
