// A process that holds Yjs documents, plain ones and notebooks of JupyterLab's model, for the differential tests. It reads one JSON request a line from stdin, an array
// of commands, and answers each with one line, an array of results. The first command that fails ends the request with
// {"error": …}; the process goes on. It exits when stdin ends.
//
// Commands: [name, document, …arguments]; bytes are base64. See `commands` at the end.
import * as Y from 'yjs'
import * as lab from './lab_notebook.mjs'
import * as person from './person.mjs'
import { at, base64, bytes, decode, element, encode, mod } from './peer_values.mjs'
import { serve } from './serve.mjs'

// Only answers are written to stdout.
console.log = console.error

const docs = new Map()

// ---- operations; numbers are taken modulo what there is, so that any operation can be done on any document

const types = ['code', 'markdown', 'raw']

function makeCell (id, type, source, metadata) {
  const entries = [
    ['cell_type', type], ['id', id], ['source', new Y.Text(source)],
    ['metadata', new Y.Map(Object.entries(metadata))]
  ]
  if (type === 'code') entries.push(['outputs', new Y.Array()], ['execution_count', null], ['execution_state', 'idle'])
  return new Y.Map(entries)
}

function makeOutput (o) {
  const m = new Y.Map()
  for (const [k, v] of Object.entries(o)) m.set(k, k === 'text' && typeof v === 'string' ? new Y.Text(v) : v)
  return m
}

function clone (v) {
  return v instanceof Y.AbstractType ? v.clone() : v
}

// cell returns the n-th cell if it has the part asked for in the right shared type.
function cell (doc, n, part, type) {
  const cells = doc.getArray('cells')
  const m = cells.get(mod(n, cells.length))
  if (!(m instanceof Y.Map)) return null
  return part === undefined || m.get(part) instanceof type ? m : null
}

// plain is the text without what is embedded in it, as long as the text.
function plain (text) {
  return text.toDelta().map(d => typeof d.insert === 'string' ? d.insert : 'x').join('')
}

const operations = {
  // init is what a server makes of a new notebook.
  init (doc) {
    const meta = doc.getMap('meta')
    meta.set('nbformat', 4)
    meta.set('nbformat_minor', 5)
    meta.set('metadata', new Y.Map([['kernelspec', { name: 'python3', display_name: 'Python 3' }]]))
  },
  insert (doc, { n, id, s, v }) {
    const cells = doc.getArray('cells')
    cells.insert(mod(n[0], cells.length + 1), [makeCell(id, types[mod(n[1], 3)], s, v)])
  },
  delete (doc, { n }) {
    const cells = doc.getArray('cells')
    if (cells.length > 1) cells.delete(mod(n[0], cells.length), 1)
  },
  move (doc, { n }) {
    const cells = doc.getArray('cells')
    if (cells.length < 2) return
    const from = mod(n[0], cells.length)
    const copy = clone(cells.get(from))
    cells.delete(from, 1)
    cells.insert(mod(n[1], cells.length + 1), [copy])
  },
  type (doc, { n }) {
    const old = cell(doc, n[0], 'source', Y.Text)
    if (old === null) return
    const cells = doc.getArray('cells')
    const i = mod(n[0], cells.length)
    const made = makeCell(old.get('id'), types[mod(n[1], 3)], old.get('source').toString(), {})
    cells.delete(i, 1)
    cells.insert(i, [made])
  },
  source (doc, { n, s }) {
    const text = cell(doc, n[0], 'source', Y.Text)?.get('source')
    if (!text) return
    const was = text.toString()
    const from = at(was, n[1])
    const rest = Array.from(was.slice(from))
    const del = rest.slice(0, mod(n[2], Math.min(rest.length, 8) + 1)).join('').length
    if (del > 0) text.delete(from, del)
    if (s !== '') text.insert(from, s)
  },
  rewrite (doc, { n, s }) {
    const text = cell(doc, n[0], 'source', Y.Text)?.get('source')
    if (!text) return
    text.delete(0, text.length)
    text.insert(0, s)
  },
  meta (doc, { n, s, v }) {
    cell(doc, n[0], 'metadata', Y.Map)?.get('metadata').set(s, decode(v))
  },
  unmeta (doc, { n, s }) {
    cell(doc, n[0], 'metadata', Y.Map)?.get('metadata').delete(s)
  },
  nbmeta (doc, { s, v }) {
    doc.getMap('meta').get('metadata')?.set(s, decode(v))
  },
  start (doc, { n }) {
    const m = cell(doc, n[0], 'outputs', Y.Array)
    if (m === null) return
    const outputs = m.get('outputs')
    outputs.delete(0, outputs.length)
    m.set('execution_count', null)
    m.set('execution_state', 'running')
  },
  finish (doc, { n }) {
    const m = cell(doc, n[0], 'outputs', Y.Array)
    m?.set('execution_count', n[1])
    m?.set('execution_state', 'idle')
  },
  stream (doc, { n, s }) {
    const outputs = cell(doc, n[0], 'outputs', Y.Array)?.get('outputs')
    if (!outputs) return
    const name = mod(n[1], 2) === 0 ? 'stdout' : 'stderr'
    const last = outputs.length > 0 ? outputs.get(outputs.length - 1) : null
    if (last instanceof Y.Map && last.get('name') === name && last.get('text') instanceof Y.Text) {
      last.get('text').insert(last.get('text').length, s)
    } else {
      outputs.push([makeOutput({ output_type: 'stream', name, text: s })])
    }
  },
  output (doc, { n, v }) {
    const outputs = cell(doc, n[0], 'outputs', Y.Array)?.get('outputs')
    outputs?.push([mod(n[1], 2) === 0 ? makeOutput(decode(v)) : decode(v)])
  },
  clear (doc, { n }) {
    const outputs = cell(doc, n[0], 'outputs', Y.Array)?.get('outputs')
    outputs?.delete(0, outputs.length)
  },
  // Cells that are not as they should be.
  broken (doc, { n, v }) {
    const cells = doc.getArray('cells')
    cells.insert(mod(n[0], cells.length + 1), [element(v)])
  },
  unset (doc, { n, s }) {
    cell(doc, n[0])?.delete(s)
  },
  // Other roots, which the notebook model does not know.
  state (doc, { s, v }) {
    doc.getMap('state').set(s, decode(v))
  },
  map (doc, { s, v }) {
    doc.getMap('map').set(s, decode(v))
  },
  unmap (doc, { s }) {
    doc.getMap('map').delete(s)
  },
  list (doc, { n, v }) {
    const list = doc.getArray('list')
    list.insert(mod(n[0], list.length + 1), v.map(element))
  },
  unlist (doc, { n }) {
    const list = doc.getArray('list')
    const from = mod(n[0], list.length + 1)
    list.delete(from, mod(n[1], Math.min(list.length - from, 4) + 1))
  },
  rich (doc, { n, s, v }) {
    const text = doc.getText('rich')
    const was = plain(text)
    const from = at(was, n[0])
    switch (mod(n[1], 4)) {
      case 0: text.insert(from, s, decode(v)); break
      case 1: text.insertEmbed(from, decode(v)); break
      case 2: {
        const to = at(was, n[2])
        text.format(Math.min(from, to), Math.abs(to - from), decode(v))
        break
      }
      case 3: text.delete(from, at(was.slice(from), mod(n[2], 4))); break
    }
  },
  xml (doc, { n, s, v }) {
    const root = doc.getXmlFragment('xml')
    const i = mod(n[0], root.length + 1)
    switch (mod(n[1], 4)) {
      case 0: root.insert(i, [new Y.XmlElement('p')]); break
      case 1: root.insert(i, [new Y.XmlText(s)]); break
      case 2: if (root.length > 0) root.delete(mod(n[0], root.length), 1); break
      case 3: {
        const e = root.length > 0 ? root.get(mod(n[0], root.length)) : null
        if (e instanceof Y.XmlElement) e.setAttribute('a', s)
      }
    }
  },
  subdoc (doc, { n, s }) {
    doc.getMap('map').set(s, new Y.Doc({ guid: `doc-${n[0]}`, autoLoad: n[0] % 2 === 0, meta: { n: n[0] } }))
  }
}

// ---- what a document is

// read returns all roots. Those that nobody has written to are as if they were not there.
function read (doc) {
  const roots = {
    cells: encode(doc.getArray('cells')),
    meta: encode(doc.getMap('meta')),
    state: encode(doc.getMap('state')),
    map: encode(doc.getMap('map')),
    list: encode(doc.getArray('list')),
    rich: encode(doc.getText('rich').toDelta()),
    xml: doc.getXmlFragment('xml').toString()
  }
  return roots
}

// deleted lists the deleted ranges by client, which replicas that agree have in common.
function deleted (doc) {
  const ds = Y.createDeleteSetFromStructStore(doc.store)
  return Object.fromEntries([...ds.clients].map(([c, ranges]) => [c, ranges.map(r => [r.clock, r.len])]))
}

function stateVector (doc) {
  return base64(Y.encodeStateVector(doc))
}

function all (doc) {
  const pending = doc.store.pendingStructs !== null || doc.store.pendingDs !== null
  return { roots: read(doc), sv: stateVector(doc), deleted: deleted(doc), pending }
}

const commands = {
  // new makes a document with a client id, a plain one or a notebook.
  new (name, client, isNotebook) {
    const notebook = isNotebook ? lab.open(client) : null
    const doc = isNotebook ? notebook.ydoc : new Y.Doc()
    doc.clientID = client
    const held = { doc, notebook, updates: [], own: [] }
    doc.on('update', (u, origin) => {
      held.updates.push(base64(u))
      if (origin !== 'remote') held.own.push(base64(u))
    })
    docs.set(name, held)
  },
  drop (name) {
    docs.get(name)?.notebook?.dispose()
    docs.delete(name)
  },
  // edit does operations, on a plain document in one transaction, and returns the updates.
  edit (name, ops) {
    const held = docs.get(name)
    held.updates = []
    if (held.notebook !== null) {
      lab.edit(held.notebook, ops)
      return held.updates
    }
    held.doc.transact(() => { for (const op of ops) operations[op.op](held.doc, op) })
    return held.updates
  },
  // apply takes updates and returns those that a server passes on, and among them the document's own: yjs removes format
  // marks that have become idle.
  apply (name, ...updates) {
    const held = docs.get(name)
    held.updates = []
    held.own = []
    for (const u of updates) lab.tolerate(() => Y.applyUpdate(held.doc, bytes(u), 'remote'))
    return { all: held.updates, own: held.own }
  },
  // act has a person do something in a notebook, and returns what was done, with the updates.
  act (name, op) {
    const held = docs.get(name)
    held.updates = []
    const done = person.act(held.notebook, op)
    return done && { ...done, updates: held.updates }
  },
  // pass is apply for one update of what was done at a place. It says whether that was still there.
  pass (name, update, place) {
    const { doc } = docs.get(name)
    let live = true
    if (place !== null) {
      const struct = Y.getItem(doc.store, Y.createID(...place))
      live = struct instanceof Y.Item && !struct.deleted
    }
    return { live, ...commands.apply(name, update) }
  },
  sv (name) { return stateVector(docs.get(name).doc) },
  diff (name, sv) { return base64(Y.encodeStateAsUpdate(docs.get(name).doc, bytes(sv))) },
  // read returns content, state vector, deletions, whether something is held back, and the notebook in the model's own
  // reading.
  read (name) {
    const { doc, notebook } = docs.get(name)
    return { ...all(doc), notebook: notebook?.toJSON() ?? null }
  },
  // load is read of a fresh document that is made from one update.
  load (_, update) {
    const doc = new Y.Doc()
    Y.applyUpdate(doc, bytes(update))
    return all(doc)
  },
  // open is the notebook that JupyterLab's model reads in a fresh document that is made from one update.
  open (_, update) {
    const notebook = lab.open()
    Y.applyUpdate(notebook.ydoc, bytes(update))
    const json = notebook.toJSON()
    notebook.dispose()
    return json
  }
}

await serve(commands)
