import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ports that systems give to programs that ask for any port: between this look and its
 * use, no workerd or connection of another test gets the same port.
 *
 * @see RFC 6335 section 6; Linux gives 32768 and above.
 */
const FIRST = 20_000
const LAST = 32_000

/** A port of this machine that nobody listens on now. */
export async function freePort(): Promise<string> {
  for (;;) {
    const port = randomInt(FIRST, LAST)
    if (await isFree(port)) return String(port)
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
