import { eq, ne } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, passkeys, recoveryCodes, sessions, users } from '../../schema/tables.ts'
import { protectionOf } from '../../src/capabilities/me/protection.ts'
import { isSignIn } from '../../src/core/audit/kinds.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { preparedVisit } from '../support/signed-in.ts'
import { HOUR, MINUTE } from '../support/site.ts'
import { problemAt, textOf, Visitor } from '../support/visitor.ts'

const DAY = 24 * HOUR
const aliceId = 3

let site: CheapSite
let visitor: Visitor

const signIn = preparedVisit(async (arranged, browser) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: 'alice-Passw0rd' })
  await browser.signIn('alice', 'alice-Passw0rd')
})

beforeEach(async () => {
  site = new CheapSite()
  visitor = await signIn(site)
})

async function addPasskey(name: string): Promise<void> {
  await site.db.insert(passkeys).values({
    credentialId: name,
    userId: aliceId,
    publicKey: 'x',
    algorithm: -7,
    signCount: 0,
    backedUp: false,
    transports: '',
    aaguid: '',
    rpId: 'localhost',
    name,
    createdAt: site.now,
  })
}

async function turnOnTwoFactor(codes: number): Promise<void> {
  await site.db.update(users).set({ totpSeed: 'sealed' })
  for (let place = 0; place < codes; place++)
    await site.db.insert(recoveryCodes).values({ userId: aliceId, codeHash: `code ${place}` })
}

/** A sign-in that has been, `ago` milliseconds before now. */
async function addSignIn(network: string, ago: number, kind = 'sign_in'): Promise<void> {
  const event = { kind, userId: aliceId, network, userAgent: '', at: site.now - ago }
  await site.db.insert(auditEvents).values(event)
}

async function overview() {
  const { html } = await visitor.get('/account')
  return { html, text: textOf(html) }
}

/** The one thing to do next: its words and where it leads; `undefined` when there is none. */
function stepIn(html: string) {
  const [, address, words] =
    /<p class="buttons"><a role="button" href="([^"]+)">([^<]+)<\/a><\/p><\/article>/.exec(html) ??
    []
  return address === undefined ? undefined : [words, address]
}

describe('the overview', () => {
  test('warns a user whose password is all, and leads to two-step verification', async () => {
    const { html, text } = await overview()
    expect(text).toContain('Your account has little protection 0 of 2 protections in place')
    expect(stepIn(html)).toEqual(['Turn on two-step verification', '/account/security'])
  })

  test('asks for new recovery codes when two or fewer are left', async () => {
    await turnOnTwoFactor(2)
    const few = await overview()
    expect(few.text).toContain('Something needs your attention')
    expect(few.text).toContain('2 of 10 recovery codes left')
    expect(stepIn(few.html)).toEqual(['Get new recovery codes', '/account/security'])
    await site.db.insert(recoveryCodes).values({ userId: aliceId, codeHash: 'third' })
    const enough = await overview()
    expect(enough.text).toContain('Your account is well protected')
    expect(stepIn(enough.html)).toEqual(['Add a passkey', '/account/security/passkeys/add'])
    // The offer of the script would say the same once more.
    expect(enough.html.match(/href="[^"]*\/passkeys\/add"/g)).toHaveLength(1)
  })

  test('wishes for a second passkey, and then for nothing', async () => {
    await turnOnTwoFactor(10)
    await addPasskey('phone')
    const one = await overview()
    expect(stepIn(one.html)).toEqual(['Add a second passkey', '/account/security/passkeys/add'])
    await addPasskey('laptop')
    const two = await overview()
    expect(two.text).toContain('Your account is well protected 4 of 4 protections in place')
    expect(stepIn(two.html)).toBeUndefined()
  })

  test('asks about a sign-in from a network that is new, until the user knows it', async () => {
    await addSignIn('198.51.100.7', 40 * DAY)
    await addSignIn('203.0.113.9', 2 * DAY)
    const { html, text } = await overview()
    expect(text).toContain('Was it you? A sign-in from a new network: 203.0.113.9, 2 days ago.')
    expect(text.indexOf('Was it you?')).toBeLessThan(text.indexOf('little protection'))
    expect(html).toContain('href="/account/security/check">No, secure my account</a>')
    const { location } = await visitor.post('/account/sessions/known', { network: '203.0.113.9' })
    expect(location).toBe('/account?done=network-known')
    const known = await overview()
    expect(known.text).not.toContain('Was it you?')
    expect(known.text).toContain('You answered the question about the sign-in from 203.0.113.9')
  })

  test.each([
    ['the network of the first sign-in', [['203.0.113.9', 2 * DAY]]],
    [
      'one that was seen before',
      [
        ['203.0.113.9', 40 * DAY],
        ['203.0.113.9', DAY],
      ],
    ],
    [
      'one of more than a week ago',
      [
        ['198.51.100.7', 40 * DAY],
        ['203.0.113.9', 8 * DAY],
      ],
    ],
    [
      'the network where the user is',
      [
        ['198.51.100.7', 40 * DAY],
        ['192.0.2.1', DAY],
      ],
    ],
  ] as const)('does not ask about %s', async (_, signIns) => {
    await site.db.delete(auditEvents)
    for (const [network, ago] of signIns) await addSignIn(network, ago)
    expect((await overview()).text).not.toContain('Was it you?')
  })

  test('shows the three latest events, and not where an operator was', async () => {
    for (const detail of ['one', 'two', 'three'])
      await site.db.insert(auditEvents).values({
        at: site.now,
        kind: 'key_deleted',
        userId: aliceId,
        detail,
        network: '198.51.100.200',
        userAgent: '',
        actorId: 1,
      })
    const { text } = await overview()
    expect(text.match(/admin deleted your SSH key “\w+”/g)).toEqual([
      'admin deleted your SSH key “three”',
      'admin deleted your SSH key “two”',
      'admin deleted your SSH key “one”',
    ])
    expect(text).not.toContain('198.51.100.200')
  })

  test('reads no more for a user who has signed in a thousand times', async () => {
    await overview()
    const few = site.meter.rowsRead
    for (let place = 0; place < 50; place++) await addSignIn('192.0.2.1', place * HOUR)
    await visitor.get('/account')
    expect(site.meter.rowsRead).toBeLessThanOrEqual(few + 5)
  })

  test('reads no more when others have secured their accounts a thousand times', async () => {
    await addSignIn('203.0.113.9', 0)
    await overview()
    const few = site.meter.rowsRead
    const event = { kind: 'account_checked', detail: '203.0.113.9', network: '', userAgent: '' }
    const ofOthers = Array.from({ length: 9 }, () => ({ ...event, userId: 1, at: site.now }))
    for (let place = 0; place < 9; place++) await site.db.insert(auditEvents).values(ofOthers)
    await overview()
    expect(site.meter.rowsRead).toBeLessThanOrEqual(few)
  })
})

test('the events of a network are chosen by its link, and not those of operators there', async () => {
  for (const [detail, actorId] of [
    ['mine', null],
    ['theirs', 1],
  ] as const)
    await site.db.insert(auditEvents).values({
      at: site.now,
      kind: 'key_deleted',
      userId: aliceId,
      detail,
      network: '198.51.100.200',
      userAgent: '',
      actorId,
    })
  const { html } = await visitor.get('/account/activity')
  expect(html).toContain('<a href="/account/activity?network=198.51.100.200">198.51.100.200</a>')
  const chosen = textOf((await visitor.get('/account/activity?network=198.51.100.200')).html)
  expect(chosen).toContain('“mine”')
  expect(chosen).not.toContain('theirs')
  const file = await visitor.get('/account/activity/events.csv?network=198.51.100.200')
  expect(file.html).not.toContain('theirs')
})

describe('a new network', () => {
  const NEW = '203.0.113.9'
  beforeEach(async () => {
    await addSignIn('198.51.100.7', 40 * DAY)
    await addSignIn(NEW, DAY)
    await site.db.update(auditEvents).set({ country: 'DE' }).where(eq(auditEvents.network, NEW))
  })

  /** A session there, which is not this one. */
  async function addSession(): Promise<void> {
    const [present] = await site.db.select().from(sessions)
    await site.login('alice', 'alice-Passw0rd')
    await site.db
      .update(sessions)
      .set({ network: NEW })
      .where(ne(sessions.id, present?.id ?? ''))
  }

  async function signInAgain(kind?: string): Promise<void> {
    site.now += MINUTE
    await addSignIn(NEW, 0, kind)
  }

  test('is marked on the row of its session, with its country', async () => {
    await addSession()
    const text = textOf((await visitor.get('/account/sessions')).html)
    expect(text).toContain('Was it you? A sign-in from a new network: 203.0.113.9 (Germany)')
    expect(text).toMatch(
      /Unknown app New network Active in the last hour 203\.0\.113\.9 \(Germany\)/,
    )
    const chinese = await visitor.get('/account/sessions', { 'Accept-Language': 'zh-CN' })
    expect(textOf(chinese.html)).toContain('203.0.113.9（德国）')
  })

  test('is confirmed from a fresh session alone, and not by one on that network', async () => {
    site.now += HOUR
    const stale = await visitor.post('/account/sessions/known', { network: NEW })
    expect([stale.status, problemAt(stale.html, `known-${NEW}-confirm_password`)]).toEqual([
      403,
      'Confirm your identity to continue.',
    ])
    const proof = { network: NEW, confirm_password: 'alice-Passw0rd' }
    await visitor.post('/account/sessions/known', proof, { 'CF-Connecting-IP': NEW })
    expect((await overview()).text).toContain('Was it you?')
    await visitor.post('/account/sessions/known', proof)
    expect((await overview()).text).not.toContain('Was it you?')
  })

  test('leads through all that opens the account, and the warning ends there', async () => {
    await addSession()
    await addPasskey('phone')
    const check = await visitor.get('/account/security/check')
    const text = textOf(check.html)
    const steps = [
      'Sign out other devices',
      'New network',
      'Choose a new password',
      'Passkeys phone',
    ]
    const places = steps.map((step) => text.indexOf(step))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    const [, id = ''] = /name="id" value="([^"]+)"/.exec(check.html) ?? []
    const ended = await visitor.post('/account/sessions/end', { id, from: 'check' })
    expect(ended.location).toBe('/account/security/check?done=session-ended')
    const wrong = { old_password: 'alice-Passw0rd', password: 'a-new-Passw0rd', repeat: 'x' }
    const refused = await visitor.post('/account/security/check/password', wrong)
    expect(problemAt(refused.html, 'repeat')).toBe('The two passwords are not the same.')
    const changed = await visitor.post('/account/security/check/password', {
      ...wrong,
      repeat: 'a-new-Passw0rd',
    })
    expect(changed.location).toBe(
      '/account/sign-in?next=/account/security/check&done=password-changed',
    )
    await visitor.signIn('alice', 'a-new-Passw0rd')
    const after = textOf((await visitor.get('/account/security/check')).html)
    expect(after).toContain('You are not signed in anywhere else.')
    expect(after).toContain('You chose a new password just now.')
    const done = await visitor.post('/account/security/check/done')
    expect(done.location).toBe('/account?done=account-checked')
    expect((await overview()).text).not.toContain('Was it you?')
  })

  describe('after “All is safe”', () => {
    beforeEach(async () => {
      await addSession()
      await visitor.post('/account/security/check/done')
    })

    test('is not one that the user knows', async () => {
      const { text } = await overview()
      expect(text).not.toContain('Was it you?')
      expect(text).toContain('You checked your account after the sign-in from 203.0.113.9')
      expect(text).not.toContain('answered the question')
      const token = await site.token('alice', 'alice-Passw0rd')
      const { data } = await site.get('/api/me/events', { token })
      const kinds = data.content.map(({ kind, detail }: Record<string, string>) => [kind, detail])
      expect(kinds).toContainEqual(['account_checked', NEW])
    })

    test.each(['sign_in', 'service_sign_in'])('a later %s there is asked about', async (kind) => {
      await signInAgain(kind)
      expect((await overview()).text).toContain('Was it you? A sign-in from a new network')
      const text = textOf((await visitor.get('/account/sessions')).html)
      expect(text).toContain('Unknown app New network')
      expect(textOf((await visitor.get('/account/security/check')).html)).toContain('New network')
    })

    test('even one that is the only one kept is asked about', async () => {
      await site.db.delete(auditEvents).where(isSignIn(auditEvents.kind))
      await signInAgain()
      expect((await overview()).text).toContain('Was it you?')
    })

    test('even one after months is asked about', async () => {
      site.now += 60 * DAY
      await visitor.signIn('alice', 'alice-Passw0rd')
      await signInAgain()
      expect((await overview()).text).toContain('Was it you?')
    })

    test('a user who then says “that was me” is asked no more', async () => {
      await signInAgain()
      await visitor.post('/account/sessions/known', { network: NEW })
      await signInAgain()
      expect((await overview()).text).not.toContain('Was it you?')
    })

    test('each check answers for the sign-ins before it', async () => {
      await signInAgain()
      await visitor.post('/account/security/check/done')
      expect((await overview()).text).not.toContain('Was it you?')
      await signInAgain()
      expect((await overview()).text).toContain('Was it you?')
    })
  })

  test('that the user knew stays known after a check', async () => {
    await visitor.post('/account/sessions/known', { network: NEW })
    await visitor.post('/account/security/check/done')
    await signInAgain()
    expect((await overview()).text).not.toContain('Was it you?')
  })

  test('the check shows first what ends the most, and folds what is known', async () => {
    await addSession()
    for (let place = 0; place < 3; place++) await addPasskey(`key ${place}`)
    const { html } = await visitor.get('/account/security/check')
    const text = textOf(html)
    expect(text).toMatch(/Sign out other devices Sign out everywhere else \(1\) .* New network/)
    expect(text).toContain('Passkeys 3 key 0, key 1, key 2 key 0 Added')
    expect(text).toMatch(/Nothing to check You have none of these: Linked accounts, [^.]*SSH keys/)
  })

  test('the pages of its steps lead back to the check until all is safe', async () => {
    const BACK = '<a href="/account/security/check">‹ Back to securing your account</a>'
    const keys = async () => (await visitor.get('/account/keys')).html
    expect(await keys()).not.toContain(BACK)
    expect((await visitor.get('/account/security/check')).html).not.toContain(BACK)
    expect(await keys()).toContain(BACK)
    expect((await visitor.get('/account/sessions')).html).toContain(BACK)
    expect((await visitor.get('/account/welcome')).html).not.toContain(BACK)
    await visitor.post('/account/security/check/done')
    expect(await keys()).not.toContain(BACK)
    await addSession()
    await visitor.get('/account/security/check')
    expect(await keys()).toContain(BACK)
    await visitor.post('/account/sessions/known', { network: NEW })
    expect(await keys()).not.toContain(BACK)
  })
})

describe('the protection of an account', () => {
  const all = {
    hasTwoFactor: true,
    codesLeft: 10,
    passkeys: 2,
    mayAddPasskeys: true,
  }

  test('leaves out what a user cannot have', () => {
    const none = { ...all, hasTwoFactor: false, codesLeft: 0, passkeys: 0, mayAddPasskeys: false }
    expect(protectionOf(none).checks.map(({ name }) => name)).toEqual(['factor'])
    expect(protectionOf(all).checks.map(({ name }) => name)).toEqual([
      'factor',
      'codes',
      'passkey',
      'spare',
    ])
  })

  test('is good with passkeys alone, and says so once', () => {
    const alone = { ...all, hasTwoFactor: false, codesLeft: 0 }
    expect(protectionOf(alone)).toEqual({
      checks: [
        { name: 'factor', isGood: true },
        { name: 'spare', isGood: true },
      ],
      next: undefined,
      level: 'good',
    })
  })
})

test.each(['/account', '/account/admin'])('%s with a slash at its end leads on', async (path) => {
  const { status, location } = await new Visitor(new CheapSite()).get(`${path}/`)
  expect([status, location]).toEqual([302, path])
})
