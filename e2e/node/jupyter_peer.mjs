// A process that holds notebooks of @jupyter/ydoc, JupyterLab's own model of shared documents, for the differential
// tests. The protocol is that of yjs_peer.mjs.
import * as readline from 'node:readline'
import { YNotebook } from '@jupyter/ydoc'
import * as Y from 'yjs'

const bytes = s => new Uint8Array(Buffer.from(s, 'base64'))
const base64 = b => Buffer.from(b).toString('base64')

const commands = {
  // write returns the state of a document that is made from a notebook.
  write (notebook) {
    const doc = YNotebook.create({ disableDocumentWideUndoRedo: true })
    doc.fromJSON(notebook)
    const state = base64(Y.encodeStateAsUpdate(doc.ydoc))
    doc.dispose()
    return state
  },
  // read returns the notebook in a state. (YNotebook.create would write a format of its own.)
  read (state) {
    const doc = new YNotebook({ disableDocumentWideUndoRedo: true })
    Y.applyUpdate(doc.ydoc, bytes(state))
    const notebook = doc.toJSON()
    doc.dispose()
    return notebook
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
