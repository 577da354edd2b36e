// What a person does in a tab, through JupyterLab's own model of notebooks, for the tests in which two people and the
// clients of an agent write at once. Numbers are taken modulo what there is. Each answers what it was that was done: the
// cell, the place of that cell in the document (of a move or a new type another one), and which characters it was about.
import { tolerate } from './lab_notebook.mjs'
import { at, mod } from './peer_values.mjs'

// act does one thing, and returns null where there is nothing that it could be done to.
export function act (notebook, op) {
  let done = null
  tolerate(() => { done = actions[op.do](notebook, op) })
  return done
}

function report (cell, chars) {
  const { client, clock } = cell.ymodel._item.id
  return { cell: cell.id, place: [client, clock], chars }
}

const some = (cells, n) => cells[mod(n, cells.length)]

const actions = {
  type (notebook, { n, s }) {
    const c = some(notebook.cells, n[0])
    if (c === undefined) return null
    const i = at(c.source, n[1])
    const done = report(c, s)
    c.updateSource(i, i, s)
    return done
  },
  // erase deletes a character of the person's own: those are between two others.
  erase (notebook, { n, own }) {
    const is = s => s >= own[0] && s <= own[1]
    const c = some(notebook.cells.filter(c => Array.from(c.source).some(is)), n[0])
    if (c === undefined) return null
    const s = some(Array.from(c.source).filter(is), n[1])
    const i = c.source.indexOf(s)
    const done = report(c, s)
    c.updateSource(i, i + s.length, '')
    return done
  },
  // split cuts the end of a source and makes a cell of it. Which cells a person may split follows from their ids: no two
  // people split the same.
  split (notebook, { n, person, id }) {
    const c = some(notebook.cells.filter(c => owner(c.id) === person), n[0])
    if (c === undefined) return null
    const i = at(c.source, n[1])
    const tail = c.source.slice(i)
    // While a move is under way, the person may see a text twice.
    const all = notebook.cells.map(c => c.source).join('')
    const twice = Array.from(tail).filter(s => all.split(s).length > 2).join('')
    const done = { ...report(c, tail), made: id, twice }
    notebook.transact(() => {
      c.updateSource(i, c.source.length, '')
      insert(notebook, notebook.cells.indexOf(c) + 1, id, tail)
    })
    return done
  },
  add (notebook, { n, s, id }) {
    insert(notebook, mod(n[0], notebook.cells.length + 1), id, s)
    return { cell: id, place: null, chars: s }
  },
  // remove deletes a cell that the person has made.
  remove (notebook, { n, person }) {
    const c = some(notebook.cells.filter(c => c.id.startsWith(`p${person}-`)), n[0])
    if (c === undefined || notebook.cells.length < 2) return null
    const done = report(c, c.source)
    notebook.deleteCell(notebook.cells.indexOf(c))
    return done
  }
}

function insert (notebook, i, id, source) {
  notebook.insertCell(i, { id, cell_type: 'code', source, metadata: {}, outputs: [], execution_count: null })
}

// owner is the person who made a cell, or else one of the two.
function owner (id) {
  return id[0] === 'p' ? Number(id[1]) : 1 + id.charCodeAt(id.length - 1) % 2
}
