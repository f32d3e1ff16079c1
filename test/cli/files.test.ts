import { appendFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { FILES_TOKEN, OpenListStandIn } from '../support/openlist-stand-in.ts'

const PASSWORD = 'alice-Passw0rd'

let openlist: OpenListStandIn
let server: Server
let address: string
let clone: Clone
let site: Client
let alice: number

beforeAll(async () => {
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  server = createServer(async (asked, answer) => {
    const chunks = await asked.toArray()
    const { method = 'GET', url = '/', headers } = asked
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
    const authorization = { Authorization: headers.authorization ?? '' }
    const given = await openlist.send(address + url, { method, headers: authorization, ...body })
    answer.writeHead(given.status, Object.fromEntries(given.headers))
    answer.end(Buffer.from(await given.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve))
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
  // After the start, which would read the configuration anew. The commands read it, not the site.
  appendFileSync(clone.path('.dev.vars'), `FILES_TOKEN=${FILES_TOKEN}\n`)
  const { token } = (await site.signIn('admin', ADMIN_PASSWORD)).data
  await site.call('POST', '/api/admin/user/create', {
    token,
    body: { username: 'alice', password: PASSWORD },
  })
  alice = Number(clone.sql('select id from users where username = ?', 'alice')[0]?.['id'])
})
afterAll(async () => {
  await clone.remove()
  server.close()
})
beforeEach(() => {
  openlist = new OpenListStandIn()
  openlist.settings['link_expiration'] = '24'
  clone.sql('delete from file_users')
})

const run = (...args: string[]) => clone.command(['files', ...args])
const withFiles = (...args: string[]) => run(...args, '--files', address)
/** Somebody who is at OpenList only. */
const THEIRS = { password: 'theirs', base_path: '/', role: 0, permission: 0, disabled: false }

describe('latchkey files', () => {
  test('check finds nothing wrong with an OpenList that is set up', async () => {
    const { code, stdout } = await withFiles('check')
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(/warn|fail/)])
    expect(stdout).toMatch(/ok {4}file server {4}http:\/\/127\.0\.0\.1:\d+ is OpenList v4\.2\.5/)
    expect(stdout).not.toContain(FILES_TOKEN)
  })

  test('check says what is wrong, and what to do', async () => {
    openlist.settings = {
      ...openlist.settings,
      site_url: 'https://old.example',
      link_expiration: '0',
    }
    openlist.settings['ldap_login_enabled'] = 'true'
    openlist.users.push({ ...THEIRS, id: 50, username: 'bob' })
    clone.sql(
      `insert into file_users (user_id, remote_id, remote_name) values (?, 60, 'alice')`,
      alice,
    )
    const { code, stdout } = await withFiles('check')
    expect(code).toBe(0)
    for (const text of [
      'https://old.example',
      'ldap_login_enabled',
      'never end',
      'alice: the user',
      'bob: at',
    ])
      expect(stdout).toContain(text)
  })

  test.each([
    ['no answer', () => (openlist.answer = () => new Response('x')), /gives no answer of OpenList/],
    ['another token', () => (openlist.token = 'another'), /refuses FILES_TOKEN\n.*→ copy/],
    ['an empty token', () => (openlist.token = ''), /refuses FILES_TOKEN/],
  ])('check fails for %s', async (_, arrange, text) => {
    arrange()
    const { code, stdout } = await withFiles('check')
    expect([code, stdout]).toEqual([1, expect.stringMatching(text)])
  })

  test('check asks for an address, where none is set', async () => {
    const { code, stderr } = await run('check')
    expect([code, stderr]).toEqual([1, expect.stringContaining('name it with --files')])
  })

  test('link makes a user be one of OpenList, status shows it, unlink ends it', async () => {
    // As OpenList numbers them after Latchkey has made one of a far id.
    const id = 1_000_000_009
    openlist.users.push({ ...THEIRS, id, username: 'old-alice' })
    const linked = await withFiles('link', 'alice', String(id))
    expect(linked.stdout).toBe(`alice is old-alice of OpenList (${id}).\n`)
    expect((await run('status')).stdout).toMatch(/alice.*1000000009.*old-alice.*not used yet/)
    expect((await withFiles('link', 'alice', String(id))).stderr).toContain('is linked already')
    expect((await run('unlink', 'alice')).stdout).toBe(
      'alice is no longer old-alice of OpenList.\n',
    )
    expect((await run('status')).stderr).toContain('No user is linked')
    expect((await run('unlink', 'alice')).stderr).toContain('is linked to no user')
  })

  test.each([
    ['admin', '50', 'Admins act as the admin'],
    ['alice', '1', 'neither admin nor guest'],
    ['alice', '2', 'neither admin nor guest'],
    ['alice', '77', 'neither admin nor guest'],
  ])('link refuses %s %s', async (name, id, text) => {
    const { code, stderr } = await withFiles('link', name, id)
    expect([code, stderr]).toEqual([1, expect.stringContaining(text)])
    expect(clone.sql('select * from file_users')).toEqual([])
  })
})
