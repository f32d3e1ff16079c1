import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { Clone } from '../support/clone.ts'
import { FILES_TOKEN } from '../support/openlist-stand-in.ts'

let clone: Clone

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  for (const name of ['alice', 'bob'])
    await clone.command(['user', 'add', name, '--without-password'])
})
afterAll(() => clone.remove())

const run = (...args: string[]) => clone.command(args)

async function json(...args: string[]) {
  const { code, stdout } = await run('--json', ...args)
  expect(code).toBe(0)
  return JSON.parse(stdout)
}

/** Puts a file server behind the site that does not answer. */
function setFileServer(): void {
  const path = clone.path('wrangler.toml')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace('FILES_ORIGIN = ""', 'FILES_ORIGIN = "http://127.0.0.1:1"'))
  appendFileSync(clone.path('.dev.vars'), `FILES_TOKEN=${FILES_TOKEN}\n`)
}

// In this order: they work on one site.
describe('latchkey group', () => {
  test('makes groups, and says who is in them', async () => {
    expect((await run('group', 'list')).stderr).toBe('There are no groups yet.\n')
    expect((await run('group', 'create', 'editors', '--note', 'They write')).stdout).toBe(
      'Created the group "editors".\n',
    )
    expect((await run('group', 'add', 'Editors', 'alice', 'bob')).stdout).toBe(
      'In the group "editors": alice, bob.\n',
    )
    expect((await run('group', 'remove', 'editors', 'bob')).stdout).toBe(
      'No longer in the group "editors": bob.\n',
    )
    const { content, total } = await json('group', 'list')
    expect(total).toBe(1)
    expect(content[0]).toMatchObject({ name: 'editors', note: 'They write', members: 1, rules: 0 })
    const shown = await json('group', 'show', 'editors')
    expect(shown.members).toMatchObject([{ username: 'alice', added_by: '' }])
    expect((await run('group', 'show', 'editors')).stdout).toMatch(/^members +alice$/m)
    expect((await run('user', 'show', 'alice')).stdout).toMatch(/^groups +user, editors$/m)
    expect(await json('user', 'export', 'alice')).toMatchObject({
      groups: [{ name: 'editors', source: 'command' }],
      folder_rules: [],
    })
  })

  test('renames and deletes groups', async () => {
    await run('group', 'create', 'board')
    expect((await run('group', 'rename', 'board', 'Directors')).stdout).toBe(
      'The group "board" is now "Directors".\n',
    )
    expect((await run('group', 'delete', 'directors')).stdout).toBe(
      'Deleted the group "Directors".\n',
    )
  })

  test.each([
    [['group', 'create', 'Editors'], 'a group with this name exists'],
    [['group', 'create', 'admins'], 'this name is reserved'],
    [['group', 'show', 'board'], 'There is no group "board", see: npm run latchkey -- group list'],
    [['group', 'add', 'editors', 'guest'], 'the guest is in no group'],
    [
      ['group', 'add', 'editors', 'nobody'],
      'There is no user "nobody": npm run latchkey -- user list shows all.',
    ],
  ])('%j is refused', async (words, message) => {
    const { code, stderr } = await run(...words)
    expect([code, stderr.trim()]).toEqual([1, message])
  })
})

describe('latchkey folder-rule', () => {
  test('needs a file server to set rules, and not to list them', async () => {
    const { code, stderr } = await run('folder-rule', 'set', '/a', 'read', '--user', 'alice')
    expect([code, stderr]).toEqual([1, 'there is no file server\n'])
    expect((await run('folder-rule', 'list')).stderr).toBe('There are no folder rules.\n')
  })

  test('sets, changes and deletes rules, and tells what a user may do', async () => {
    setFileServer()
    const set = (...words: string[]) => run('folder-rule', 'set', ...words)
    const wait =
      /^\/a: editors read\. Not finished, waiting: 1 \(.*; .*latchkey -- doctor says what\.\n$/
    const made = await set('/a', '--group', 'editors', 'read')
    expect(made.stdout).toMatch(wait)
    expect(made.stderr).toMatch(/^OpenList does not have all of this yet: [^{}]+\.\n$/)
    expect((await set('/a/', '--group', 'Editors', 'write')).stdout).toContain('write')
    expect(await json('folder-rule', 'set', '/a', '--user', 'bob', 'none')).toMatchObject({
      path: '/a',
      group: null,
      username: 'bob',
      access: 'none',
      waiting: 1,
    })
    const { content } = await json('folder-rule', 'list', '--path', '/a')
    expect(content).toMatchObject([
      { path: '/a', group: 'editors', access: 'write' },
      { path: '/a', username: 'bob', access: 'none' },
    ])
    expect((await run('folder-rule', 'check', 'alice', '/a/b')).stdout).toBe(
      'alice at /a/b: write, by the rule of editors at /a; the account has no permission that changes files.\n',
    )
    await run('user', 'set', 'alice', '--permission', '+make')
    expect((await run('folder-rule', 'check', 'alice', '/a/b')).stdout).toBe(
      'alice at /a/b: write, by the rule of editors at /a.\n',
    )
    expect((await run('folder-rule', 'check', 'bob', '/A/b')).stdout).toBe(
      'bob at /A/b: none, by the rule of bob at /a; the path may be another spelling of /a, which has rules.\n',
    )
    await set('/a/b/c', '--user', 'bob', 'read')
    expect((await run('folder-rule', 'check', 'bob', '/a/b')).stdout).toBe(
      'bob at /a/b: none (only the way to folders below), by the rule of bob at /a.\n',
    )
    await set('/a/b/c', '--user', 'bob', 'unset')
    expect((await run('folder-rule', 'check', 'guest', '/b')).stdout).toBe(
      'guest at /b: no rule decides, the permissions do; the account is disabled, so this holds once it is enabled.\n',
    )
    expect(await json('folder-rule', 'check', 'bob', '/')).toEqual({
      access: 'open',
      rule: null,
      reach: true,
    })
    const invite = ['invitation', 'create', '--group', 'editors', '--base-path']
    expect((await run(...invite, '/homes/{username}')).stderr).toContain(
      'the base path /homes/{username} of its accounts hides /a',
    )
    expect((await run(...invite, '/')).stderr).not.toContain('hides')
    expect((await run('group', 'delete', 'editors')).stderr).toContain(
      'Folder rules name this group',
    )
    expect((await run('user', 'delete', 'bob', '--yes')).stdout).toContain(
      'Its 1 folder rule stays, so that no folder opens',
    )
    expect((await run('folder-rule', 'list')).stdout).toMatch(/#\d+ \(deleted\)/)
    clone.sql(
      `insert into folder_rules (path, user_id, access, created_at) values ('/b', -1, 'read', 1)`,
    )
    expect((await run('folder-rule', 'list', '--path', '/b')).stdout).toMatch(/\(nobody\) +read/)
    clone.sql(`delete from folder_rules where path = '/b'`)
    await run('user', 'add', 'bob', '--without-password')
    await set('/a', '--user', 'bob', 'none')
    expect((await set('/a', '--user', 'bob', 'unset')).stdout).toContain('bob has no rule any more')
    expect((await set('/a', '--user', 'bob', 'unset')).stdout).toBe('bob had no rule for /a.\n')
  })

  test.each([
    [['/a', 'read'], 2, 'Say whose right it is: --group or --user.'],
    [
      ['/a', 'read', '--user', 'bob', '--group', 'user'],
      2,
      'Say whose right it is: --group or --user.',
    ],
    [['a', 'read', '--user', 'bob'], 1, "path must be a folder's full path"],
    [['/a', 'read', '--group', 'board'], 1, 'no such group'],
    [
      ['/a', 'read', '--group', 'admin'],
      1,
      'Administrators have every right: no rule is for them.',
    ],
  ])('set %j is refused', async (words, code, message) => {
    const refused = await run('folder-rule', 'set', ...words)
    expect([refused.code, refused.stderr.trim()]).toEqual([code, message])
  })
})
