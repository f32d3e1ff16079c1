import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Of /proc/net/tcp: a socket that listens. */
const LISTEN = '0A'

/** The TCP ports on which a program or one it has started listens, and whether on loopback alone. */
export function listenersOf(pid: number): { port: number; isLoopback: boolean }[] {
  const inodes = new Set(descendantsOf(pid).flatMap(socketsOf))
  return ['tcp', 'tcp6'].flatMap((family) =>
    readFileSync(`/proc/net/${family}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = '']) => state === LISTEN && inodes.has(inode))
      .map(([, local = '']) => {
        const [address = '', port = ''] = local.split(':')
        const isLoopback = address === '0100007F' || address === '00000000000000000000000001000000'
        return { port: parseInt(port, 16), isLoopback }
      }),
  )
}

/** The processes of workerd that a program has started. */
export function workerdsOf(pid: number): number[] {
  return descendantsOf(pid).filter((child) => {
    const name = orNothing(() => readFileSync(`/proc/${child}/comm`, 'utf8'), '')
    return name === 'workerd\n'
  })
}

/** Every process that a program has started, or that one of those has. */
export function childrenOf(pid: number): number[] {
  return descendantsOf(pid).filter((child) => child !== pid)
}

function descendantsOf(pid: number): number[] {
  const found = [pid]
  for (const known of found) found.push(...startedBy(known))
  return found
}

/** Returns the processes that a process has started, by any of its threads. */
function startedBy(pid: number): number[] {
  const threads = orNothing(() => readdirSync(`/proc/${pid}/task`), [])
  return threads.flatMap((thread) => {
    const pids = orNothing(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'), '')
    return pids.split(' ').filter(Boolean).map(Number)
  })
}

/** Processes end while they are looked at. */
function orNothing<Result>(read: () => Result, nothing: Result): Result {
  try {
    return read()
  } catch {
    return nothing
  }
}

function socketsOf(pid: number): string[] {
  const names = orNothing(() => readdirSync(`/proc/${pid}/fd`), [])
  return names.flatMap((name) => {
    const target = orNothing(() => readlinkSync(`/proc/${pid}/fd/${name}`), '')
    return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []
  })
}
