// The line protocol of the clients that the tests drive: the Go package e2e/sdk is the other side, and there the commands
// have types and descriptions.
//
// A client reads a request a line from stdin, {"id", "command", "args"}, and answers each, as soon as it has the answer,
// with a line {"id", "result"} or {"id", "error": {"message", "code"}}. The first has to be `connect`. What the server
// sends of its own accord is told as {"message": {"method", "params"}}. At the end of stdin the client closes the
// connection, as a host that is quit does, and exits.
import * as readline from 'node:readline'

// Only answers are written to stdout.
console.log = console.error

// How long a request may take, in milliseconds. The tests have limits of their own.
const timeout = 20 * 60_000

function write (line) {
  process.stdout.write(JSON.stringify(line) + '\n')
}

// tell tells of what the server sent.
export function tell (method, params) {
  write({ message: { method, params } })
}

// serve carries out commands, by their names, until the end of stdin. Each gets the options of a request first.
export async function serve (commands) {
  const running = new Map() // AbortControllers of requests, by their ids
  async function answer ({ id, command, args }) {
    const control = new AbortController()
    running.set(id, control)
    try {
      if (command === 'cancel') {
        running.get(args[0])?.abort('cancelled by the test')
        return write({ id, result: null })
      }
      const result = await commands[command]({ timeout, signal: control.signal }, ...args)
      write({ id, result: result ?? null })
    } catch (e) {
      write({ id, error: { message: String(e?.message ?? e), code: Number.isInteger(e?.code) ? e.code : 0 } })
    } finally {
      running.delete(id)
    }
  }
  for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    answer(JSON.parse(line))
  }
}
