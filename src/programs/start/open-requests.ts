import type { ServerResponse } from 'node:http'
import { networkOf } from '../../core/base/network.ts'

/**
 * How many requests one network has open at once, to the file server and to the site: more than a
 * browser that shows a folder of pictures. Each client that does not read a file holds about 2 MB
 * in the processes of the site and 7 MB in the kernel; 300 filled what a machine of 23 GB has for
 * sockets. Each one that does not end its request to the site holds up to 64 KiB of its body.
 */
const MAX_OPEN = 200

/** Counts open requests by network. */
export class OpenRequests {
  readonly #open = new Map<string, number>()

  /** Counts a request until its response is closed. @returns False when its network has too many. */
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
