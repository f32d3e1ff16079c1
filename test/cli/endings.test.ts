import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { loadCommands } from '../../src/programs/commands.ts'
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
  ['2fa', 'cancel', 'alice'],
  ['passkey', 'delete', 'alice', 'AAAA'],
  ['identity', 'delete', 'alice', '4711', '--yes'],
  ['user', 'delete', 'alice', '--yes'],
]

// It opens the site for each command.
test('a command tells programs of the sessions that it ends', async () => {
  const redirect = 'https://wiki.example.org/callback'
  const site = 'https://account.example.org'
  const added = await clone.command(
    ['client', 'add', 'wiki', '--redirect', redirect, '--issuer', site].concat([
      '--logout-uri',
      `${program.url}/logout`,
    ]),
  )
  expect(added.code, added.stderr).toBe(0)
  for (const words of ENDINGS) {
    await clone.command(['user', 'add', 'alice', '--without-password'])
    clone.sql(`update users set totp_seed = 'x' where username = 'alice'`)
    clone.sql(`insert into sessions (user_id, id, created_at, expires_at, network, user_agent)
      select id, 'laptop', 0, unixepoch() * 2000, '', '' from users where username = 'alice'`)
    clone.sql(`insert into openid_grants (id, issuer, client_id, user_id, session_id, scope, redirect_uri,
        auth_time, amr, code_hash, code_expires_at, used, created_at)
      select 'grant', 'https://account.example.org', openid_clients.id, users.id, 'laptop', 'openid', '',
        0, '', '', 0, 1, 0 from users, openid_clients where username = 'alice'`)
    // Sessions from before these columns end with any credential of their method.
    clone.sql(`update sessions set amr = 'passkey sso'`)
    clone.sql(`update openid_grants set amr = 'passkey sso'`)
    if (words[0] === 'passkey')
      clone.sql(`insert or ignore into passkeys (credential_id, user_id, public_key, algorithm, sign_count,
          backed_up, transports, aaguid, rp_id, name, created_at)
        select 'AAAA', id, '', -7, 0, 0, '', '', 'localhost', 'phone', 0 from users where username = 'alice'`)
    if (words[0] === 'identity')
      clone.sql(`insert or ignore into identities (issuer, subject, user_id, platform, name, linked_at, linked_by)
        select 'https://idp.example.org', '4711', id, 'OIDC', 'Alice', 0, 'user' from users
        where username = 'alice'`)
    const before = program.got.length
    const ended = await clone.command(words)
    expect(ended, words.join(' ')).toMatchObject({ code: 0, stderr: '' })
    expect(program.got.slice(before), words.join(' ')).toMatchObject([
      { path: '/logout', raw: expect.stringMatching(/^logout_token=ey/) },
    ])
    for (const table of ['openid_logouts', 'openid_grants', 'sessions'])
      expect(clone.sql(`select * from ${table}`), `${words.join(' ')}: ${table}`).toEqual([])
  }
})

/** Commands that end no session and nothing that programs got, or only the one thing that they name. */
const ENDS_NOTHING_ELSE = [
  'backup',
  'client add',
  'client list',
  'client secret',
  // Ends what the app may no longer have: see test/openid/edit.test.ts.
  'client set',
  'client show',
  'doctor',
  'event export',
  'event list',
  // A link is no credential.
  'files check',
  'files link',
  'files status',
  'files unlink',
  'folder-rule adopt',
  'folder-rule check',
  'folder-rule list',
  'folder-rule move',
  'folder-rule set',
  'folder-rule sync',
  'group add',
  'group create',
  'group delete',
  'group list',
  'group remove',
  'group rename',
  'group show',
  'identity list',
  'import',
  'key add',
  'key delete',
  'key list',
  'notice add',
  'notice delete',
  'notice list',
  'notice test',
  'notice topics',
  'invitation create',
  'ldap',
  'link delete',
  'link list',
  'passkey list',
  'secrets new',
  'secrets reseal',
  'reserved-name keep',
  'reserved-name list',
  'reserved-name release',
  'service-token add',
  'service-token delete',
  'service-token list',
  'session list',
  'setting export',
  'setting get',
  'setting import',
  'setting list',
  'setting reset',
  'setting set',
  'signing-key list',
  'signing-key rotate',
  'sso test',
  'token create',
  'token delete',
  'token introspect',
  'token list',
  'user add',
  'user approve',
  'user enable',
  // Of an account that had ended, see test/access/endings.test.ts.
  'user export',
  'user list',
  // A user who waits never had a session.
  'user reject',
  'user reset-link',
  'user set',
  'user show',
  'user unlock',
]

/** A deleted program hears nothing, and a restored site has no old sessions: see their own tests. */
const TELLS_NOBODY = ['client delete', 'restore']

test('the lists above have every command', async () => {
  const found = (await loadCommands())
    .filter(({ isGroup }) => !isGroup)
    .map(({ words }) => words.join(' '))
  const endings = new Set(ENDINGS.map((words) => words.slice(0, 2).join(' ')))
  const listed = [...endings, ...ENDS_NOTHING_ELSE, ...TELLS_NOBODY]
  expect(listed.toSorted()).toEqual(found.toSorted())
})
