import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Clone } from '../support/clone.ts'
import { Receiver } from '../support/receiver.ts'

let clone: Clone
let program: Receiver

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  program = await Receiver.open()
})
afterAll(async () => {
  program.close()
  await clone.remove()
})

/** Commands that end what programs got of alice. */
const ENDINGS = [
  ['session', 'end', 'alice', '--all'],
  ['session', 'end', '--everyone'],
  ['session', 'end', 'alice', '--session', 'laptop'],
  ['user', 'password', 'alice', '--generate'],
  ['user', 'disable', 'alice'],
  ['user', 'delete', 'alice', '--yes'],
]

// It opens the site for each command.
test('a command tells programs of the sessions that it ends', async () => {
  await clone.command(
    ['client', 'add', 'wiki', '--redirect', 'https://wiki.example.org/callback'].concat([
      '--logout-uri',
      `${program.url}/logout`,
    ]),
  )
  for (const words of ENDINGS) {
    await clone.command(['user', 'add', 'alice', '--without-password'])
    clone.sql(`insert into sessions (user_id, id, created_at, expires_at, network, user_agent)
      select id, 'laptop', 0, unixepoch() * 2000, '', '' from users where username = 'alice'`)
    clone.sql(`insert into openid_grants (id, issuer, client_id, user_id, session_id, scope, redirect_uri,
        auth_time, amr, code_hash, code_expires_at, used, created_at)
      select 'grant', 'https://account.example.org', openid_clients.id, users.id, 'laptop', 'openid', '',
        0, '', '', 0, 1, 0 from users, openid_clients where username = 'alice'`)
    const before = program.got.length
    const ended = await clone.command(words)
    expect(ended, words.join(' ')).toMatchObject({ code: 0, stderr: '' })
    expect(program.got.slice(before), words.join(' ')).toMatchObject([
      { path: '/logout', raw: expect.stringMatching(/^logout_token=ey/) },
    ])
    expect(clone.sql('select * from openid_logouts')).toEqual([])
  }
})
