import type { Server } from 'node:http'
import { createServer } from 'node:net'
import { codeOf, CommandError, UsageError } from '../kit/command-error.ts'
import type { StartOptions } from './options.ts'

/** Milliseconds that running requests get to finish when the server stops. */
const STOP_MILLISECONDS = 3000

/** Checks the port before the preparation, because the preparation takes seconds. */
export async function checkPortIsFree(options: StartOptions): Promise<void> {
  const servers = await listenOnAll(options, () => createServer())
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
}

/**
 * Starts a server on each address; an address other than the first is left out when this machine
 * lacks it.
 *
 * @throws {CommandError} When the port is taken.
 */
export async function listenOnAll<Listener extends ReturnType<typeof createServer>>(
  { hosts: [first, ...others], port }: StartOptions,
  create: () => Listener,
): Promise<Listener[]> {
  const listening: Listener[] = []
  for (const host of [first, ...others]) {
    const server = create()
    const code = await listen(server, host, port)
    if (code === undefined) listening.push(server)
    else if (host === first && code === 'EADDRNOTAVAIL')
      throw new UsageError(`This machine has no address ${host}.`)
    else if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT')
      throw new CommandError(
        `Port ${port} is in use or not allowed: choose another one with PORT, such as 8788.`,
      )
  }
  return listening
}

/** @returns The code of a failure. */
function listen(
  server: ReturnType<typeof createServer>,
  host: string,
  port: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    server
      .once('error', (error) => resolve(codeOf(error)))
      .listen(port, host, () => resolve(undefined))
  })
}

/** Closes the server. Running requests get `STOP_MILLISECONDS` to finish. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  setTimeout(() => server.closeAllConnections(), STOP_MILLISECONDS).unref()
  await closed
}
