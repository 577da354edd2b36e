// A client made with version 1 of the MCP SDK for TypeScript, for the tests: what works here works in the many hosts that
// are built on that SDK. It speaks the revisions of the protocol that begin with `initialize`.
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { serve, tell } from './lines.mjs'

let client, transport

function transportFor ({ command, args, env, url, sse, headers, oauth }) {
  if (command) return new StdioClientTransport({ command, args: args ?? [], env: env ?? {}, stderr: 'inherit' })
  if (url.startsWith('ws')) {
    const Plain = globalThis.WebSocket
    // The transport has no way to send a header, and Node's WebSocket makes none of the address.
    globalThis.WebSocket = class extends Plain {
      constructor (at, protocols) { super(at, { protocols, headers: headers ?? {} }) }
    }
    return new WebSocketClientTransport(new URL(url))
  }
  const options = { requestInit: { headers: headers ?? {} }, ...(oauth && { authProvider: new ClientCredentialsProvider(oauth) }) }
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

await serve({
  async connect (options, given) {
    if (given.modern) throw new Error('version 1 of the SDK knows no revision without initialize')
    const capabilities = given.elicit ? { elicitation: {} } : {}
    client = new Client({ name: given.name ?? 'typescript', version: '1' }, { capabilities })
    client.onerror = error => console.error(`client: ${error?.stack ?? error}`)
    client.fallbackNotificationHandler = async ({ method, params }) => tell(method, params)
    if (given.elicit) {
      client.setRequestHandler(ElicitRequestSchema, ({ method, params }) => {
        tell(method, params)
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
    ...(progress && { onprogress: params => tell('notifications/progress', params) })
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
  // end tells a server over HTTP that the session is over.
  end: () => transport.terminateSession?.()
})
await client?.close()
