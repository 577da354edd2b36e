// The protocol of the peers of the differential tests; see yjs_peer.mjs.
import * as readline from 'node:readline'

// serve answers requests until stdin ends.
export async function serve (commands) {
  for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    let answer
    try {
      answer = JSON.parse(line).map(([name, ...args]) => commands[name](...args) ?? null)
    } catch (e) {
      answer = { error: String(e.stack ?? e) }
    }
    process.stdout.write(JSON.stringify(answer) + '\n')
  }
}
