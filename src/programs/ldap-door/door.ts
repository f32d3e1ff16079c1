import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import { Connection, type LogLine, type World } from './connection.ts'
import { Directory } from './directory.ts'
import { printDn } from './dn.ts'
import {
  type DoorOptions,
  type Listener,
  OptionError,
  readText,
  searchPasswordOf,
  shown,
} from './options.ts'
import { Site, type SiteOptions, TokenRefused } from './site.ts'

/** The door can't start, or the site refuses its token. */
export class DoorError extends Error {
  override readonly name = 'DoorError'
}

const MAX_CONNECTIONS = 256
const HANDSHAKE_MILLISECONDS = 10_000
const STOP_MILLISECONDS = 3000

/** A connection as the limit sees it; during a TLS handshake it is not served yet. */
interface Client {
  socket: Socket
  connection: Connection | undefined
  since: number
  /** Ends a TLS handshake that takes too long. */
  handshake?: NodeJS.Timeout
}

/** Runs a door until a signal ends it. @throws {DoorError} @throws {OptionError} */
export async function runDoor(options: DoorOptions): Promise<void> {
  if (options.isShow) {
    console.log(shown(options))
    return
  }
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())
  const door = await openDoor(options, (line) => process.stdout.write(`${line}\n`))
  process.on('SIGHUP', () => door.reload())
  if (!stop.signal.aborted) await once(stop.signal, 'abort')
  await door.close()
}

export interface Door {
  ports: number[]
  /** Reads certificate and key again. */
  reload: () => void
  close: () => Promise<void>
}

/**
 * Opens the listeners.
 *
 * @param pause Waits before a refusal; given by tests.
 * @throws {DoorError}
 * @throws {OptionError}
 */
export async function openDoor(
  options: DoorOptions,
  log: (line: string) => void,
  pause?: SiteOptions['pause'],
): Promise<Door> {
  const print = (text: string) => log(`${new Date().toISOString()} ${text}`)
  const directory = new Directory(options.base)
  const onState = (isAway: boolean) => print(isAway ? 'the site is away' : 'the site is back')
  const site = new Site({ ...options, onState, ...(pause && { pause }) })
  await site.accounts().catch((error: unknown) => {
    if (error instanceof TokenRefused)
      throw new DoorError('The site refuses the service token: make one with the scope ldap.')
  })
  const world: World = {
    directory,
    site,
    searchPassword: searchPasswordOf(options.token),
    appPasswordsOnly: options.appPasswordsOnly,
    log: (line) => print(logText(line)),
  }
  const clients = new Set<Client>()
  const servers = options.listeners.map((listener) =>
    createListener(listener, options, world, clients),
  )
  try {
    for (const [index, { host, port }] of options.listeners.entries())
      await listen(servers[index], host, port)
  } catch (error) {
    // An open listener would keep the process alive.
    for (const server of servers) server.close()
    throw error
  }
  print(`start ${options.listeners.map(addressOf).join(' ')} base ${printDn(options.base)}`)
  return {
    ports: servers.map((server) => portOf(server)),
    reload: () => {
      for (const server of servers) if ('setSecureContext' in server) reload(server, options)
    },
    close: async () => {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      const timer = setTimeout(() => closeAll(clients), STOP_MILLISECONDS)
      for (const { socket } of clients) socket.end()
      await Promise.all(closed)
      clearTimeout(timer)
    },
  }
}

function closeAll(clients: Set<Client>): void {
  for (const { socket } of clients) socket.destroy()
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const addressOf = ({ isTls, host, port }: Listener) =>
  `${isTls ? 'ldaps' : 'ldap'}://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Control characters of a name would change the line. */
function logText({ operation, code, dn, address, milliseconds }: LogLine): string {
  const visible = dn.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '�')
  return `${operation} ${code} "${visible}" ${address} ${milliseconds} ms`
}

function createListener(
  { isTls }: Listener,
  options: DoorOptions,
  world: World,
  clients: Set<Client>,
): Server | TlsServer {
  const admit = (socket: Socket): Client => {
    if (clients.size >= MAX_CONNECTIONS) idlest(clients)?.socket.destroy()
    const client: Client = { socket, connection: undefined, since: performance.now() }
    clients.add(client)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => clients.delete(client))
    return client
  }
  const serve = (client: Client, socket: Socket) => {
    client.connection = new Connection(world, socket)
    void client.connection.serve()
  }
  if (!isTls) return createServer({ noDelay: true }, (socket) => serve(admit(socket), socket))
  const server = createTlsServer({ ...tlsFiles(options), minVersion: 'TLSv1.2', noDelay: true })
  server.on('connection', (socket: Socket) => {
    const client = admit(socket)
    client.handshake = setTimeout(() => socket.destroy(), HANDSHAKE_MILLISECONDS)
    socket.once('close', () => clearTimeout(client.handshake))
  })
  server.on('secureConnection', (socket) => {
    const client = [...clients].find((known) => isSameSocket(known.socket, socket))
    socket.on('error', () => socket.destroy())
    clearTimeout(client?.handshake)
    if (client === undefined) socket.destroy()
    else serve(client, socket)
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}

/**
 * Tells whether a TLS socket runs over a socket: both have the same ends. A client may use one port
 * of its own for connections to two listeners.
 */
function isSameSocket(a: Socket, b: Socket): boolean {
  return (
    a.remotePort === b.remotePort &&
    a.remoteAddress === b.remoteAddress &&
    a.localPort === b.localPort &&
    a.localAddress === b.localAddress
  )
}

/** Returns the client that has sent nothing for longest, those without a bind first. */
function idlest(clients: Iterable<Client>): Client | undefined {
  const rank = ({ connection, since }: Client) =>
    [connection?.isBound === true ? 1 : 0, connection?.lastAt ?? since] as const
  return [...clients].toSorted((a, b) => {
    const [[boundA, atA], [boundB, atB]] = [rank(a), rank(b)]
    return boundA - boundB || atA - atB
  })[0]
}

function tlsFiles({ tls }: DoorOptions): { cert: string; key: string } {
  if (tls === undefined) throw new OptionError('ldaps:// needs --cert and --key.')
  return { cert: readText(tls.cert), key: readText(tls.key) }
}

function reload(server: TlsServer, options: DoorOptions): void {
  try {
    server.setSecureContext({ ...tlsFiles(options), minVersion: 'TLSv1.2' })
  } catch {
    console.error('The certificate or its key can not be read: the old one stays.')
  }
}

/** @throws {DoorError} */
async function listen(server: Server | undefined, host: string, port: number): Promise<void> {
  server?.listen(port, host)
  try {
    if (server !== undefined) await once(server, 'listening')
  } catch (error) {
    throw new DoorError(`Can't listen on ${host} port ${port}: ${String(error)}`)
  }
}
