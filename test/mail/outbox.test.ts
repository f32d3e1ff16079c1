import { beforeEach, describe, expect, test } from 'vitest'
import { eq } from 'drizzle-orm'
import { links, mails, users } from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { MailSite } from '../support/mail-site.ts'
import { prepared } from '../support/prepared.ts'
import { HOUR, MINUTE } from '../support/site.ts'

const ADDRESS = 'alice@example.org'

let site: MailSite

const arrange = prepared(async (arranged: MailSite) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', {
    password: 'alice-Passw0rd',
    email: ADDRESS,
    emailVerified: true,
  })
})

beforeEach(async () => {
  site = new MailSite()
  await arrange(site)
})

const run = () => runFrequently(site.deps)
const waiting = () => site.db.select().from(mails)

async function ask(): Promise<void> {
  await site.post('/api/auth/forgotten', { name: 'alice' })
  await site.settle()
}

describe('a mail', () => {
  test('is sent after the answer, once, and then forgotten', async () => {
    await ask()
    await Promise.all([run(), run()])
    expect(site.sent).toHaveLength(1)
    expect(await waiting()).toEqual([])
  })

  test('that the server does not take comes again later, until its link ends', async () => {
    site.failures.push(...Array.from({ length: 20 }, () => 'E_DELIVERY_FAILED'))
    await ask()
    const tries = [20 - site.failures.length]
    for (let minute = 1; minute <= 40; minute++) {
      site.now += MINUTE
      await run()
      tries.push(20 - site.failures.length)
    }
    // After 1, 3, 7 and 15 minutes; the link ends after 30.
    expect([0, 1, 2, 3, 7, 15, 29, 31, 40].map((minute) => tries[minute])).toEqual([
      1, 2, 2, 3, 4, 5, 5, 5, 5,
    ])
    expect(await waiting()).toEqual([])
    expect(site.sent).toEqual([])
  })

  test('arrives with the link that still works, when the server comes back', async () => {
    site.failures.push('E_DELIVERY_FAILED', 'E_RATE_LIMIT_EXCEEDED')
    await ask()
    site.now += MINUTE
    await run()
    expect(site.sent).toEqual([])
    site.now += 2 * MINUTE
    await run()
    const [link = ''] = await site.linksTo(ADDRESS)
    const body = { link, password: 'a new Passw0rd' }
    expect(await site.post('/api/auth/reset', body)).toMatchObject({ code: 200 })
  })

  test('is not sent again to an address that is refused for good', async () => {
    site.failures.push('E_RECIPIENT_NOT_ALLOWED')
    await ask()
    expect(await waiting()).toEqual([])
    site.now += HOUR
    await run()
    expect(site.sent).toEqual([])
  })

  test('is not sent once its link is dead', async () => {
    site.failures.push('E_DELIVERY_FAILED')
    await ask()
    await site.db.update(links).set({ used: 1 })
    site.now += MINUTE
    await run()
    expect(site.sent).toEqual([])
  })

  test('goes with its user', async () => {
    site.failures.push('E_DELIVERY_FAILED')
    await ask()
    expect(await waiting()).toHaveLength(1)
    await site.db.delete(users).where(eq(users.username, 'alice'))
    expect(await waiting()).toEqual([])
  })

  test('waits sealed: the database has no link that works', async () => {
    site.failures.push('E_DELIVERY_FAILED')
    await ask()
    const [mail] = await waiting()
    site.now += MINUTE
    await run()
    const [link = ''] = await site.linksTo(ADDRESS)
    expect(mail?.sealed).not.toBe('')
    expect(JSON.stringify([mail, await site.db.select().from(links)])).not.toContain(link)
  })

  test('is given up when no key opens it', async () => {
    site.failures.push('E_DELIVERY_FAILED')
    await ask()
    await site.db.update(mails).set({ sealed: 'other.AAAA' })
    site.now += MINUTE
    await run()
    expect(site.sent).toEqual([])
    expect(await waiting()).toEqual([])
  })

  test('waits while mail is switched off', async () => {
    site.failures.push('E_DELIVERY_FAILED')
    await ask()
    site.now += MINUTE
    await runFrequently({ ...site.deps, mailFrom: () => undefined })
    expect(await waiting()).toHaveLength(1)
    site.now += 2 * MINUTE
    await run()
    expect(site.sent).toHaveLength(1)
  })
})
