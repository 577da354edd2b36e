// A client made with the MCP SDK for TypeScript, for the tests: what works here works in the many hosts that are built on
// that SDK. The Go package e2e/sdk starts it and is its other side; there its commands have types and descriptions.
//
// It reads a request a line from stdin, {"id", "command", "args"}, and answers each, as soon as it has the answer, with a
// line {"id", "result"} or {"id", "error": {"message", "code"}}. The first has to be `connect`. What the server sends of
// its own accord is told as {"message": {"method", "params"}}. At the end of stdin it closes the connection, as a host
// that is quit does, and exits.
import * as readline from 'node:readline'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

// Only answers are written to stdout.
console.log = console.error

// How long a request may take, in milliseconds. The tests have limits of their own.
const timeout = 20 * 60_000

let client, transport
const running = new Map() // AbortControllers of requests, by their ids

function write (line) {
  process.stdout.write(JSON.stringify(line) + '\n')
}

function transportFor ({ command, args, env, url, sse, headers }) {
  if (command) return new StdioClientTransport({ command, args: args ?? [], env: env ?? {}, stderr: 'inherit' })
  const options = { requestInit: { headers: headers ?? {} } }
  return sse ? new SSEClientTransport(new URL(url), options) : new StreamableHTTPClientTransport(new URL(url), options)
}

// all is what a list has on all its pages together.
async function all (list, key, options) {
  const items = []
  let cursor
  do {
    const page = await list.call(client, cursor === undefined ? {} : { cursor }, options)
    items.push(...page[key])
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return items
}

const commands = {
  async connect (options, given) {
    const capabilities = given.elicit ? { elicitation: {} } : {}
    client = new Client({ name: given.name ?? 'typescript', version: '1' }, { capabilities })
    client.onerror = error => console.error(`client: ${error?.stack ?? error}`)
    client.fallbackNotificationHandler = async ({ method, params }) => write({ message: { method, params } })
    if (given.elicit) {
      client.setRequestHandler(ElicitRequestSchema, ({ method, params }) => {
        write({ message: { method, params } })
        return given.elicit
      })
    }
    transport = transportFor(given)
    let protocol = ''
    const set = transport.setProtocolVersion?.bind(transport)
    transport.setProtocolVersion = version => { protocol = version; set?.(version) }
    await client.connect(transport, options)
    return {
      protocol,
      session: transport.sessionId ?? '',
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions() ?? ''
    }
  },
  async tools (options) {
    const tools = await all(client.listTools, 'tools', options)
    // The SDK checks answers by the schemas of the page it saw last; here it is to know them all.
    client.cacheToolMetadata(tools)
    return tools
  },
  call: (options, name, args, progress) => client.callTool({ name, arguments: args }, undefined, {
    ...options,
    ...(progress && { onprogress: params => write({ message: { method: 'notifications/progress', params } }) })
  }),
  resources: options => all(client.listResources, 'resources', options),
  templates: options => all(client.listResourceTemplates, 'resourceTemplates', options),
  read: async (options, uri) => (await client.readResource({ uri }, options)).contents,
  subscribe: (options, uri) => client.subscribeResource({ uri }, options),
  unsubscribe: (options, uri) => client.unsubscribeResource({ uri }, options),
  prompts: options => all(client.listPrompts, 'prompts', options),
  prompt: (options, name, args) => client.getPrompt({ name, arguments: args }, options),
  complete: async (options, ref, argument, context) => (await client.complete({ ref, argument, ...(context && { context }) }, options)).completion,
  ping: options => client.ping(options),
  cancel: (options, id) => { running.get(id)?.abort('cancelled by the test') },
  // end tells a server over HTTP that the session is over.
  end: () => transport.terminateSession?.()
}

async function answer ({ id, command, args }) {
  const control = new AbortController()
  running.set(id, control)
  try {
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
await client?.close()
