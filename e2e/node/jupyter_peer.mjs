// A process that holds notebooks of @jupyter/ydoc, JupyterLab's own model of shared documents, for the differential
// tests. The protocol is that of yjs_peer.mjs.
import { YNotebook } from '@jupyter/ydoc'
import * as Y from 'yjs'
import { base64, bytes } from './peer_values.mjs'
import { serve } from './serve.mjs'

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

await serve(commands)
