import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { throttleCounters } from '../../schema/tables.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import { runBatch, sendingAfter, THE_SERVICE, writing } from '../../src/core/database/statements.ts'

const counter = { key: 'one', failures: 1, expiresAt: 1, chargedAt: 1 }

function opened() {
  const meter = createMeter()
  const db = openDatabase(env.DB, meter)
  return { db, meter, written: writing(db, THE_SERVICE) }
}

test('a write that changes a row leaves what it says to be sent', async () => {
  const { db, meter, written } = opened()
  await runBatch(db, { inserted: sendingAfter('mails', written.insert(throttleCounters, counter)) })
  expect(Array.from(meter.toSend)).toEqual(['mails'])
  const deleted = written.delete(throttleCounters).returning({ key: throttleCounters.key })
  await runBatch(db, { deleted: sendingAfter('logouts', deleted) })
  expect(Array.from(meter.toSend)).toEqual(['mails', 'logouts'])
})

test('a write that changes no row, and one that says nothing, leave nothing', async () => {
  const { db, meter, written } = opened()
  const nobody = eq(throttleCounters.key, 'nobody')
  const { kept } = await runBatch(db, {
    inserted: written.insert(throttleCounters, counter),
    deleted: sendingAfter('mails', written.delete(throttleCounters, nobody)),
    kept: sendingAfter('logouts', written.delete(throttleCounters, nobody).returning()),
  })
  expect(kept).toEqual([])
  expect(Array.from(meter.toSend)).toEqual([])
})
