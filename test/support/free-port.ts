import { createServer } from 'node:net'

/** A port of this machine that nobody listens on now. */
export async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return String(typeof address === 'object' ? address?.port : '')
}
