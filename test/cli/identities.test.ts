import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { GITHUB_ISSUER } from '../../src/core/base/sso-platforms.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { oldHash, writeOpenListDatabase } from '../support/openlist-database.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../support/sso-client.ts'

let clone: Clone
let site: Client
let admin: string

let putBack: () => void

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
  admin = (await site.signIn('admin', ADMIN_PASSWORD)).data.token
  putBack = clone.remember()
})
afterEach(() => {
  putBack()
  rmSync(clone.path('data.db'))
})
afterAll(() => clone.remove())

/** Imports a site of OpenList whose users have signed in with this provider. */
async function move(platform: string, ssoIds: Record<string, string>): Promise<void> {
  const path = clone.path('data.db')
  const settings = {
    sso_login_enabled: 'true',
    sso_login_platform: platform,
    sso_client_id: CLIENT_ID,
    sso_client_secret: CLIENT_SECRET,
  }
  writeOpenListDatabase(path, {
    users: Object.entries(ssoIds).map(([username, ssoId], place) => ({
      id: 31 + place,
      username,
      role: 0,
      ...oldHash(`${username}-Passw0rd`, 's'),
      sso_id: ssoId,
    })),
    settings: Object.entries(settings).map(([key, value]) => ({ key, value })),
  })
  expect(await clone.command(['import', path])).toMatchObject({ code: 0 })
}

async function identitiesOf(id: number) {
  const path = `/api/admin/user/identity/list?uid=${id}`
  const listed = await site.call('GET', path, { token: admin })
  return listed.data.content
}

const ssoIdOf = async (username: string) => {
  const { token } = (await site.signIn(username, `${username}-Passw0rd`)).data
  return (await site.call('GET', '/api/me', { token })).data.sso_id
}

test('GitHub numbers of OpenList become linked accounts, which operators list and unlink', async () => {
  await move('Github', { anna: '583231', ben: 'ben@example.org', clara: '7', dora: '7' })
  const linked = {
    issuer: GITHUB_ISSUER,
    subject: '583231',
    platform: 'Github',
    name: '',
    linked_at: expect.any(String),
    linked_by: 'import',
    last_used_at: null,
    last_way_in: false,
  }
  expect(await identitiesOf(31)).toEqual([linked])
  // Neither a text that users can change nor a number of two users is one.
  for (const id of [32, 33, 34]) expect(await identitiesOf(id)).toEqual([])
  expect(await ssoIdOf('anna')).toBe('583231')
  expect(await ssoIdOf('ben')).toBe('ben@example.org')
  const { data } = await site.call('GET', '/api/public/settings')
  expect(data).toMatchObject({ sso_login_enabled: 'true', sso_login_platform: 'Github' })
  const [secret] = clone.sql(`select value from settings where key = 'sso_client_secret'`)
  expect(secret?.['value']).toMatch(/^[\w-]+\.[\w-]+$/)

  const listed = await clone.command(['--json', 'identity', 'list', 'anna'])
  expect(JSON.parse(listed.stdout)).toEqual({ content: [linked], total: 1 })
  const shown = await clone.command(['user', 'show', 'anna'])
  expect(shown.stdout).toMatch(
    /\napp passwords +0\ngroups +user\nlinked accounts +Github: 583231\n/,
  )
  const unknown = await clone.command(['identity', 'delete', 'anna', '583232'])
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('see: npm run latchkey -- identity list'),
  })
  const unlinked = await clone.command(['identity', 'delete', 'anna', '583231'])
  expect(unlinked).toMatchObject({ code: 0, stdout: 'Unlinked "583231" at Github from anna.\n' })
  expect(await identitiesOf(31)).toEqual([])
  expect(await ssoIdOf('anna')).toBe('')
  expect(await clone.command(['identity', 'list', 'anna'])).toMatchObject({
    code: 0,
    stderr: 'anna has no linked accounts.\n',
  })
})

test('names of other providers stay texts, until their users confirm them', async () => {
  await move('OIDC', { anna: 'Anna A', ben: '4711' })
  expect(await identitiesOf(31)).toEqual([])
  expect(await identitiesOf(32)).toEqual([])
  expect(await ssoIdOf('anna')).toBe('Anna A')
})

test('the only way in is unlinked after a question alone', async () => {
  await move('Github', { anna: '583231' })
  clone.sql(`update users set password_hash = null where username = 'anna'`)
  const command = ['identity', 'delete', 'anna', '583231']
  expect(await clone.command(command)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('confirm with --yes'),
  })
  const question: [string, string] = ['It is the only way in of anna. Unlink it? [y/N]', 'n']
  expect((await clone.typed(command, [question])).stdout).toContain('Nothing was changed.')
  expect(await identitiesOf(31)).toMatchObject([{ last_way_in: true }])
  const unlinked = await clone.command([...command, '--issuer', GITHUB_ISSUER, '--yes'])
  expect(unlinked).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('anna can not sign in: npm run latchkey -- user password anna'),
  })
  expect(await identitiesOf(31)).toEqual([])
})
