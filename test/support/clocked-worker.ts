import worker from '../../src/worker.ts'

export { PasswordHasher } from '../../src/worker.ts'

/** Where `clocked-site.ts` moves the clock. */
const CLOCK_PATH = '/clock-of-a-test'

/** The address of a device, which the front server would read from its connection. */
const ADDRESS_HEADER = 'Address-In-A-Test'

const readClock = Date.now
let movedMilliseconds = 0
Date.now = () => readClock() + movedMilliseconds

/**
 * The Worker of a site whose clock can be moved, and whose devices say where they are. It stands in
 * the copy of `ClockedSite` only.
 */
export default {
  ...worker,
  async fetch(request, env, context) {
    if (new URL(request.url).pathname === CLOCK_PATH) {
      movedMilliseconds = Number(await request.text())
      return new Response()
    }
    const address = request.headers.get(ADDRESS_HEADER)
    if (address === null) return worker.fetch(request, env, context)
    const moved = new Request(request)
    moved.headers.set('CF-Connecting-IP', address)
    return worker.fetch(moved, env, context)
  },
} satisfies ExportedHandler<Env>
