import { env } from 'cloudflare:workers'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { TEXTS } from '../../.build/queries/sign-in.ts'
import { beginStatements, chargeStatements } from '../../src/capabilities/sign-in/sign-in-texts.ts'
import {
  chargeValues,
  sessionValues,
  signInEvent,
} from '../../src/capabilities/sign-in/sign-in-values.ts'
import { storedKeys } from '../../src/core/accounts/username.ts'
import { networkOf } from '../../src/core/base/network.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import { parametersWith, type QueryText } from '../../src/core/database/query-text.ts'
import { type Parts, sqlOf } from '../../src/core/database/statements.ts'
import { signInCounters } from '../../src/core/throttle/counters.ts'

const dialect = new SQLiteAsyncDialect()
const db = openDatabase(env.DB, createMeter())

const time = fc.integer({ min: 0, max: 2 ** 45 })
const id = fc.integer({ min: 1 })
const network = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()).map(networkOf)
const username = fc
  .string({ minLength: 1, unit: 'binary' })
  .filter((name) => storedKeys(name).length === 1)
const signIn = fc
  .record({ username, nameHash: fc.base64String(), network })
  .map((made) => signInCounters(made.username, made.nameHash, made.network))

/** The statements as they would be sent. */
function sent(statements: Parts) {
  return Object.entries(statements).flatMap(([name, statement]) =>
    statement === undefined ? [] : [{ name, ...pick(dialect.sqlToQuery(sqlOf(statement))) }],
  )
}

function pick({ sql, params }: { sql: string; params: unknown[] }) {
  return { sql, params }
}

function sentTexts(texts: Record<string, QueryText>, values: Record<string, unknown>) {
  return Object.entries(texts).map(([name, { sql, parameters }]) => ({
    name,
    sql,
    params: parametersWith(parameters, values),
  }))
}

test('the texts that charge an attempt are what Drizzle makes of it', () => {
  fc.assert(
    fc.property(signIn, time, (counters, now) => {
      const made = sent(chargeStatements(db, counters, now))
      expect(sentTexts(TEXTS.charge, chargeValues(counters, now))).toEqual(made)
    }),
  )
})

test('the texts that begin a session are what Drizzle makes of it', () => {
  const client = fc.record({
    network,
    userAgent: fc.string(),
    country: fc.constantFrom('', 'DE', 'CN'),
  })
  const session = fc.record({
    sessionId: fc.base64String({ minLength: 4 }),
    userId: id,
    issuedAtSeconds: time,
    expiresAtSeconds: time,
  })
  fc.assert(
    fc.property(signIn, client, session, time, time, (counters, from, begun, now, changedAt) => {
      const event = signInEvent(from, begun.userId, now)
      const made = { event, passwordChangedAt: changedAt, session: begun, signIn: counters }
      expect(sentTexts(TEXTS.begin, sessionValues(made))).toEqual(sent(beginStatements(db, made)))
    }),
  )
})
