import type { ServerResponse } from 'node:http'
import { networkOf } from '../../base/network.ts'

/**
 * How many requests to the file server one network has open at once: more than a browser that shows
 * a folder of pictures. Each client that does not read holds about 2 MB in the processes of the
 * site and 7 MB in the kernel; 300 filled what a machine of 23 GB has for sockets.
 */
const MAX_OPEN = 200

/** Counts the open requests to the file server. */
export class OpenStreams {
  readonly #open = new Map<string, number>()

  /** Counts a request until its response is closed. @returns Whether its network may have one more. */
  enter(address: string, response: ServerResponse): boolean {
    const network = networkOf(address)
    const open = this.#open.get(network) ?? 0
    if (open >= MAX_OPEN) return false
    this.#open.set(network, open + 1)
    response.once('close', () => this.#leave(network))
    return true
  }

  #leave(network: string): void {
    const open = (this.#open.get(network) ?? 0) - 1
    if (open > 0) this.#open.set(network, open)
    else this.#open.delete(network)
  }
}
