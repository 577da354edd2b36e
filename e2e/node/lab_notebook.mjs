// Notebooks of @jupyter/ydoc, JupyterLab's own model of shared documents, as peers of the differential tests: edits go
// through its methods, as JupyterLab's do.
import { YNotebook } from '@jupyter/ydoc'
import { at, decode, mod } from './peer_values.mjs'

const types = ['code', 'markdown', 'raw']

// open makes an empty notebook as JupyterLab does, with a random client id unless one is given. Each cell has an undo of
// its own, and the notebook one for the order of the cells. Each edit is one step to be undone: by itself, the clock
// would say which edits belong together.
export function open (client) {
  const notebook = new YNotebook({ disableDocumentWideUndoRedo: true })
  if (client !== undefined) notebook.ydoc.clientID = client
  notebook.undoManager.captureTimeout = 0
  return notebook
}

// edit does operations one after the other: what the model says of its cells is known after each.
export function edit (notebook, ops) {
  for (const op of ops) {
    if (operations[op.op] === undefined) throw new Error(`no such operation: ${op.op}`)
    tolerate(() => operations[op.op](notebook, op))
  }
}

// tolerate runs f. The observer of the model's code cells fails on an execution count or state that comes in only to be
// overruled by another one, set at the same time: yjs then lists no change of that key. It has the document as it should
// be all the same, and JupyterLab goes on.
export function tolerate (f) {
  try {
    f()
  } catch (e) {
    if (!(e instanceof TypeError && e.message.includes("'oldValue'") && e.stack.includes('getChanges'))) throw e
  }
}

function cell (notebook, n, code) {
  const c = notebook.cells[mod(n, notebook.cells.length)]
  if (c === undefined || (code && c.cell_type !== 'code')) return null
  c.undoManager.captureTimeout = 0
  return c
}

function makeCell (type, { id, s, v }) {
  const made = { id, cell_type: type, source: s, metadata: decode(v) }
  if (type === 'code') Object.assign(made, { outputs: [], execution_count: null })
  return made
}

// range is where a change of a text begins and ends.
function range (was, n) {
  const from = at(was, n[1])
  const rest = Array.from(was.slice(from))
  return [from, from + rest.slice(0, mod(n[2], Math.min(rest.length, 8) + 1)).join('').length]
}

const empty = () => ({
  cells: [], metadata: { kernelspec: { name: 'python3', display_name: 'Python 3' } }, nbformat: 4, nbformat_minor: 5
})

const operations = {
  init (notebook, { v }) {
    notebook.setSource(v === null ? empty() : structuredClone(v))
  },
  insert (notebook, op) {
    notebook.insertCell(mod(op.n[0], notebook.cells.length + 1), makeCell(types[mod(op.n[1], 3)], op))
  },
  delete (notebook, { n }) {
    const from = mod(n[0], notebook.cells.length)
    const to = Math.min(from + 1 + mod(n[1], 2), notebook.cells.length)
    if (to - from < notebook.cells.length) notebook.deleteCellRange(from, to)
  },
  move (notebook, { n }) {
    const count = Math.min(1 + mod(n[2], 2), notebook.cells.length)
    if (count === 0) return
    const from = mod(n[0], notebook.cells.length - count + 1)
    let to = mod(n[1], notebook.cells.length)
    if (to >= from) to = Math.max(to, from + count - 1)
    notebook.moveCells(from, to, count)
  },
  // type replaces a cell, as the menu of JupyterLab does.
  type (notebook, { n }) {
    const c = cell(notebook, n[0])
    if (c === null) return
    const i = notebook.cells.indexOf(c)
    const { id, source, metadata } = c.toJSON()
    notebook.transact(() => {
      notebook.deleteCell(i)
      notebook.insertCell(i, { id, cell_type: types[mod(n[1], 3)], source, metadata })
    })
  },
  source (notebook, { n, s }) {
    const c = cell(notebook, n[0])
    c?.updateSource(...range(c.source, n), s)
  },
  rewrite (notebook, { n, s }) {
    cell(notebook, n[0])?.setSource(s)
  },
  meta (notebook, { n, s, v }) {
    cell(notebook, n[0])?.setMetadata(s, decode(v))
  },
  unmeta (notebook, { n, s }) {
    cell(notebook, n[0])?.deleteMetadata(s)
  },
  nbmeta (notebook, { s, v }) {
    notebook.setMetadata(s, decode(v))
  },
  nbunmeta (notebook, { s }) {
    if (notebook.metadata !== undefined) notebook.deleteMetadata(s)
  },
  attach (notebook, { n, v }) {
    const c = cell(notebook, n[0])
    if (c !== null && c.cell_type !== 'code') c.attachments = decode(v)
  },
  start (notebook, { n }) {
    const c = cell(notebook, n[0], true)
    if (c === null) return
    c.clearOutputs()
    c.execution_count = null
    c.executionState = 'running'
  },
  finish (notebook, { n }) {
    const c = cell(notebook, n[0], true)
    if (c === null) return
    c.execution_count = n[1]
    c.executionState = 'idle'
  },
  stream (notebook, { n, s }) {
    const c = cell(notebook, n[0], true)
    if (c === null) return
    const name = mod(n[1], 2) === 0 ? 'stdout' : 'stderr'
    const last = c.outputs.length - 1
    if (c.outputs[last]?.name === name && isStream(c, last)) {
      c.appendStreamOutput(last, s)
    } else {
      c.updateOutputs(last + 1, last + 1, [{ output_type: 'stream', name, text: s }])
    }
  },
  tail (notebook, { n }) {
    const c = cell(notebook, n[0], true)
    const last = c === null ? -1 : c.outputs.length - 1
    if (last >= 0 && isStream(c, last)) c.removeStreamOutput(last, at(c.outputs[last].text, n[2]))
  },
  output (notebook, { n, v }) {
    const c = cell(notebook, n[0], true)
    if (c === null) return
    const i = mod(n[1], c.outputs.length + 1)
    c.updateOutputs(i, i + mod(n[2], 2), [decode(v)])
  },
  outputs (notebook, { n, v }) {
    cell(notebook, n[0], true)?.setOutputs(decode(v))
  },
  clear (notebook, { n }) {
    cell(notebook, n[0], true)?.clearOutputs()
  },
  undo (notebook, { n }) {
    (mod(n[1], 2) === 0 ? notebook : cell(notebook, n[0]))?.undo()
  },
  redo (notebook, { n }) {
    (mod(n[1], 2) === 0 ? notebook : cell(notebook, n[0]))?.redo()
  },
  // set replaces the whole notebook by a changed copy.
  set (notebook, op) {
    const made = notebook.toJSON()
    // Before all of a notebook has come, the model cannot write what it reads.
    if (made.cells.length === 0 || made.nbformat === undefined || made.metadata === undefined) return
    const c = made.cells[mod(op.n[0], made.cells.length)]
    switch (mod(op.n[1], 4)) {
      case 0: c.source = op.s; break
      case 1: made.cells.splice(mod(op.n[2], made.cells.length + 1), 0, makeCell('code', op)); break
      case 2: made.cells.reverse(); break
      case 3: made.metadata.k = op.s
    }
    notebook.setSource(made)
  }
}

// isStream says whether an output has a text that can be appended to.
function isStream (cell, i) {
  const output = cell.youtputs.get(i)
  return output.get?.('output_type') === 'stream' && typeof output.get('text') === 'object'
}
