import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import type { Sites } from './sites.ts'

const targetsSchema = v.array(v.object({ id: v.string(), webSocketDebuggerUrl: v.string() }))
const answerSchema = v.object({ id: v.optional(v.number()), result: v.unknown() })
const usageSchema = v.object({ usedSize: v.number(), backingStorageSize: v.number() })

/**
 * Measures what one Worker's isolate keeps alive: its JavaScript objects, and the bytes of their
 * ArrayBuffers, which lie outside of the heap. What workerd itself holds is not in it, nor the
 * simulated D1 and KV: these are Workers too, each with an isolate of its own.
 *
 * Attached for the moment only: who is attached is sent every line that is logged, and keeps the
 * objects in it alive.
 *
 * @returns Bytes.
 */
export async function liveHeapBytes(sites: Sites, name: string): Promise<number> {
  const inspector = await Inspector.attach(await addressOf(sites, name))
  try {
    // V8 keeps the last thousand lines for whoever attaches.
    await inspector.call('Runtime.discardConsoleEntries')
    await collectGarbage(inspector, sites.url(name))
    const usage = v.parse(usageSchema, await inspector.call('Runtime.getHeapUsage'))
    return usage.usedSize + usage.backingStorageSize
  } finally {
    await inspector.detach()
  }
}

async function addressOf(sites: Sites, name: string): Promise<string> {
  const list = new URL('/json', await sites.inspector())
  list.protocol = 'http:'
  const targets = v.parse(targetsSchema, await (await fetch(list)).json())
  const target = targets.find(({ id }) => id === `core:user:${name}`)
  if (target === undefined) throw new Error(`no isolate is called ${name}`)
  return target.webSocketDebuggerUrl
}

/** V8 collects in a task of its own, which workerd runs when the isolate is next asked something. */
async function collectGarbage(inspector: Inspector, url: URL): Promise<void> {
  const collected = inspector.call('HeapProfiler.collectGarbage').then(() => true)
  do await (await fetch(new URL('/ping', url))).text()
  while (!(await Promise.race([collected, pause(1, false)])))
}

/** Speaks the Chrome DevTools protocol to one isolate. */
class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #closed: Promise<void>
  #calls = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#hear(String(data)))
    this.#closed = new Promise((resolve) => {
      socket.addEventListener('close', () => {
        for (const { reject } of this.#waiting.values()) reject(new Error('the inspector has gone'))
        resolve()
      })
    })
  }

  static async attach(address: string): Promise<Inspector> {
    const socket = new WebSocket(address)
    const inspector = new Inspector(socket)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', () => reject(new Error(`nobody listens at ${address}`)))
    })
    return inspector
  }

  call(method: string): Promise<unknown> {
    const id = (this.#calls += 1)
    const answer = Promise.withResolvers<unknown>()
    this.#waiting.set(id, answer)
    this.#socket.send(JSON.stringify({ id, method }))
    return answer.promise
  }

  detach(): Promise<void> {
    this.#socket.close()
    return this.#closed
  }

  #hear(text: string): void {
    const { id, result } = v.parse(answerSchema, JSON.parse(text))
    // Events have no id; nobody asked for any.
    if (id === undefined) return
    this.#waiting.get(id)?.resolve(result)
    this.#waiting.delete(id)
  }
}
