import type { Deps } from '../../src/core/deps.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, SECOND } from '../support/site.ts'

export const PASSWORD = 'alice-Passw0rd'
export const ALICE = 3
export const HOOK = 'https://hooks.example.org/a-secret-path'

/** What the stand-in for every receiver got. */
export interface Got {
  url: string
  headers: Record<string, string>
  // oxlint-disable-next-line typescript/no-explicit-any -- Its form is what the tests look at.
  body: any
  reach: string
}

export const got: Got[] = []
/** What the stand-in answers, in turn; then 200. */
export const answers: (Response | Promise<Response> | Error | 'hang')[] = []
export let site: CheapSite
export let admin: string

const sendOut: Deps['sendOut'] = async (url, init, reach) => {
  const headers = Object.fromEntries(new Headers(init.headers))
  got.push({
    url,
    headers,
    body: JSON.parse(typeof init.body === 'string' ? init.body : ''),
    reach,
  })
  const answer = answers.shift() ?? new Response('ok')
  if (answer instanceof Error) throw answer
  if (answer !== 'hang') return answer
  return new Promise((_, reject) => {
    init.signal?.addEventListener('abort', () => reject(new Error('aborted')))
  })
}

const signInAdmin = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD })
  return arranged.token('admin', ADMIN_PASSWORD)
})

/** Opens the site of the test again, for example where it can send mail. */
export function openSite(options: Partial<Deps> = {}): void {
  site = new CheapSite({ sendOut, ...options })
}

/** Arranges a test: the site, its users, and a stand-in that has got nothing yet. */
export async function arrange(): Promise<void> {
  got.length = 0
  answers.length = 0
  openSite()
  admin = await signInAdmin(site)
}

export const webhook = { kind: 'webhook', name: 'hook', address: HOOK }

export async function addChannel(channel: object = {}, topics: string[] = ['new_network']) {
  const wish = { ...webhook, topics, ...channel }
  const { data, message } = await site.post('/api/admin/notice/create', wish, { token: admin })
  if (data === null) throw new Error(message)
  await site.settle()
  return data
}

export const channels = async () =>
  (await site.get('/api/admin/notice/list', { token: admin })).data.content

export async function signIn(network = '198.51.100.7', username = 'alice', country?: string) {
  const call = {
    headers: { 'CF-Connecting-IP': network },
    ...(country !== undefined && { country }),
  }
  const { data } = await site.post('/api/auth/login', { username, password: PASSWORD }, call)
  await site.settle()
  return data.token
}

export const run = () => runFrequently(site.deps)
export const byText = (a: unknown, b: unknown) => String(a).localeCompare(String(b))
export const titles = () => got.map(({ body }) => body.data.title)

export const send = (id = 1) =>
  site.post(`/api/admin/notice/test?id=${id}`, undefined, { token: admin })

/** The time between two tests of a channel. */
export const PAUSE = 15 * SECOND
export const testedLately = (seconds: number) => ({
  code: 429,
  message: `this channel was tested a moment ago, try again in ${seconds} seconds`,
  data: null,
})
