import { getTableName, is, Table } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { readLatchkey } from '../../src/programs/import/latchkey-database.ts'
import * as tables from '../../schema/tables.ts'

/** What a moved account does not bring along, and why. */
const STAYS: Record<string, string> = {
  account_list: 'a version that the first write makes anew',
  audit_events: 'they tell what happened at the old site',
  common_passwords: 'part of every site',
  deleted_items: 'the sessions that may bring them back stay behind',
  file_leases: 'who writes to the file server now',
  file_requests: 'what the file server works on now',
  file_users: 'the ids there, found anew by name',
  folder_metas: 'the ids there, found anew by path',
  folder_state: 'a version that the first rule makes anew',
  links: 'their addresses name the old site',
  mails: 'sent by the old site',
  notice_channels: 'each is confirmed for one site',
  notice_cursor: 'a place in the events of the old site',
  notices: 'sent by the old site',
  openid_clients: 'the apps know the old issuer',
  openid_consents: 'given to the apps of the old issuer',
  openid_grants: 'given by the old issuer',
  openid_keys: 'sign for the old issuer',
  openid_logouts: 'sent by the old issuer',
  sessions: 'signed by a key of the old site',
  throttle_counters: 'count tries at the old site',
  used_challenges: 'short-lived',
}

test('every table of a Latchkey comes along, or its reason not to is known', () => {
  const read = new Set<string>()
  readLatchkey((name) => {
    read.add(name)
    return []
  }, [])
  const names = Object.values(tables)
    .filter((value) => is(value, Table))
    .map(getTableName)
  expect(names.filter((name) => !read.has(name)).toSorted()).toEqual(Object.keys(STAYS))
})
