// A process that times yjs for the benchmark. Each request names one workload; the time is taken here, so that none is
// spent on messages. The protocol is that of yjs_peer.mjs; the workloads are those of ../cmd/ybench. Run with --expose-gc.
import * as readline from 'node:readline'
import * as Y from 'yjs'

let given // what the workloads work on

const bytes = s => new Uint8Array(Buffer.from(s, 'base64'))

function load (updates) {
  const doc = new Y.Doc()
  for (const u of updates) Y.applyUpdate(doc, u)
  return doc
}

function codeCell () {
  const doc = new Y.Doc()
  const outputs = new Y.Array()
  const cell = new Y.Map([
    ['cell_type', 'code'], ['id', 'c'], ['source', new Y.Text()], ['metadata', new Y.Map()],
    ['outputs', outputs], ['execution_count', null], ['execution_state', 'idle']
  ])
  doc.getArray('cells').push([cell])
  return { doc, cell, outputs }
}

function timed (f) {
  const start = process.hrtime.bigint()
  const size = f()
  return { ms: Number(process.hrtime.bigint() - start) / 1e6, size }
}

function applyState (update) {
  return timed(() => load([update]).getArray('cells').length)
}

function applyAndRead (update) {
  return timed(() => load([update]).getArray('cells').toJSON().length)
}

function encode (update) {
  const doc = load([update])
  return timed(() => Y.encodeStateAsUpdate(doc).length)
}

function inserts (read) {
  const text = new Y.Doc().getText('source')
  return timed(() => {
    for (const at of given.positions) {
      text.insert(at, 'x')
      if (read) text.toString()
    }
    return text.length
  })
}

function stream (read) {
  const { cell, outputs } = codeCell()
  return timed(() => {
    for (let i = 0; i < given.appends; i++) {
      const last = outputs.length > 0 ? outputs.get(outputs.length - 1) : undefined
      if (last?.get('output_type') === 'stream' && last.get('name') === 'stdout') {
        const text = last.get('text')
        text.insert(text.length, given.line)
      } else {
        outputs.push([new Y.Map([['output_type', 'stream'], ['name', 'stdout'], ['text', new Y.Text(given.line)]])])
      }
      if (read) cell.toJSON()
    }
    return outputs.get(0).get('text').length
  })
}

function history () {
  const text = new Y.Doc().getText('source')
  return timed(() => {
    for (const [at, del, ins] of given.history) {
      if (del > 0) text.delete(at, del)
      if (ins !== '') text.insert(at, ins)
    }
    return text.length
  })
}

const workloads = {
  apply: () => applyState(given.fresh),
  applyRead: () => applyAndRead(given.fresh),
  encode: () => encode(given.fresh),
  applyEdited: () => applyState(given.edited),
  applyReadEdited: () => applyAndRead(given.edited),
  encodeEdited: () => encode(given.edited),
  inserts: () => inserts(false),
  insertsRead: () => inserts(true),
  stream: () => stream(false),
  streamRead: () => stream(true),
  streamRemote: () => timed(() => load(given.stream).getArray('cells').length),
  outputs () {
    const { outputs } = codeCell()
    return timed(() => {
      for (let i = 0; i < given.appends; i++) {
        outputs.push([new Y.Map([['output_type', 'display_data'], ['data', { 'text/plain': 'x' }], ['metadata', {}]])])
      }
      return outputs.length
    })
  },
  history,
  historyRemote: () => timed(() => load(given.historyUpdates).getText('source').length),
  memory () { return memory(100, given.small) },
  memoryEdited () { return memory(10, given.edited) }
}

function memory (count, state) {
  const now = () => {
    globalThis.gc()
    const m = process.memoryUsage()
    return [m.heapUsed + m.external, m.rss]
  }
  const [heapBefore, rssBefore] = now()
  const docs = Array.from({ length: count }, () => load([state]))
  const [heapAfter, rssAfter] = now()
  return { heapMB: (heapAfter - heapBefore) / 2 ** 20, rssMB: (rssAfter - rssBefore) / 2 ** 20, size: docs.length }
}

const commands = {
  give (g) {
    for (const k of ['fresh', 'edited', 'small']) g[k] = bytes(g[k])
    for (const k of ['stream', 'historyUpdates']) g[k] = g[k].map(bytes)
    given = g
  },
  run (name) {
    globalThis.gc()
    return workloads[name]()
  }
}

for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  let answer
  try {
    answer = JSON.parse(line).map(([name, ...args]) => commands[name](...args) ?? null)
  } catch (e) {
    answer = { error: String(e.stack ?? e) }
  }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
