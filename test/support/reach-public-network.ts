import { createServer } from 'node:http'
import { once } from 'node:events'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { PUBLIC_NETWORK } from '../../src/programs/site/local-site.ts'

/**
 * Prints which of the hosts in its arguments the network for the addresses of users reaches. It
 * runs where every address leads to this machine, and none to another one.
 */
const PORT = 8788
const server = createServer((_, response) => response.end('reached'))
await once(server.listen(PORT, '::'), 'listening')
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    modules: true,
    script: `export default { async fetch(request, env) {
      const url = await request.text()
      return env.PUBLIC_NETWORK.fetch(url).catch(() => new Response('refused'))
    } }`,
    serviceBindings: { PUBLIC_NETWORK },
  }),
)
const outcomes: Record<string, string> = {}
for (const host of process.argv.slice(2)) {
  const body = `http://${host}:${PORT}/`
  const answer = await miniflare.dispatchFetch('http://x/', { method: 'POST', body })
  outcomes[host] = await answer.text()
}
console.log(JSON.stringify(outcomes))
await miniflare.dispose()
server.close()
