// A client made with version 2 of the MCP SDK for TypeScript, for the tests. It speaks the protocol of both eras: the
// revisions that begin with `initialize`, and, where it is asked to, the one without sessions.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { serve, tell } from './lines.mjs'

let client, transport
const streams = new Map() // what is subscribed to in the newer era, by its address

function transportFor ({ command, args, env, url, sse, headers }) {
  if (command) return new StdioClientTransport({ command, args: args ?? [], env: env ?? {}, stderr: 'inherit' })
  const options = { requestInit: { headers: headers ?? {} } }
  return sse ? new SSEClientTransport(new URL(url), options) : new StreamableHTTPClientTransport(new URL(url), options)
}

await serve({
  async connect (options, given) {
    client = new Client({ name: given.name ?? 'typescript', version: '2' }, {
      capabilities: given.elicit ? { elicitation: {} } : {},
      versionNegotiation: { mode: given.modern ? 'auto' : 'legacy' }
    })
    client.onerror = error => console.error(`client: ${error?.stack ?? error}`)
    client.fallbackNotificationHandler = async ({ method, params }) => tell(method, params)
    if (given.elicit) {
      client.setRequestHandler('elicitation/create', ({ method, params }) => {
        tell(method, params)
        return given.elicit
      })
    }
    transport = transportFor(given)
    await client.connect(transport, options)
    return {
      protocol: client.getNegotiatedProtocolVersion(),
      session: transport.sessionId ?? '',
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions() ?? ''
    }
  },
  tools: async options => (await client.listTools(undefined, options)).tools,
  call: (options, name, args, progress) => client.callTool({ name, arguments: args }, {
    ...options,
    ...(progress && { onprogress: params => tell('notifications/progress', params) })
  }),
  resources: async options => (await client.listResources(undefined, options)).resources,
  templates: async options => (await client.listResourceTemplates(undefined, options)).resourceTemplates,
  read: async (options, uri) => (await client.readResource({ uri }, options)).contents,
  async subscribe (options, uri) {
    if (client.getProtocolEra() === 'legacy') return client.subscribeResource({ uri }, options)
    const stream = await client.listen({ resourceSubscriptions: [uri] }, { timeout: options.timeout })
    if (!stream.honoredFilter.resourceSubscriptions?.includes(uri)) {
      await stream.close()
      throw new Error(`the server does not tell of ${uri}`)
    }
    streams.set(uri, stream)
  },
  async unsubscribe (options, uri) {
    if (client.getProtocolEra() === 'legacy') return client.unsubscribeResource({ uri }, options)
    await streams.get(uri).close()
    streams.delete(uri)
  },
  prompts: async options => (await client.listPrompts(undefined, options)).prompts,
  prompt: (options, name, args) => client.getPrompt({ name, arguments: args }, options),
  complete: async (options, ref, argument, context) => (await client.complete({ ref, argument, ...(context && { context }) }, options)).completion,
  ping: options => client.ping(options),
  end: () => transport.terminateSession?.()
})
await client?.close()
