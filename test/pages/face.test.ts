import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { forgetSettings } from '../../src/capabilities/settings/copy.ts'
import { settings } from '../../schema/tables.ts'
import { initialOf, tintOf, TINTS } from '../../src/web/kit/avatar.tsx'
import { CheapSite } from '../support/cheap-site.ts'
import { preparedVisit } from '../support/signed-in.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import { textOf, Visitor } from '../support/visitor.ts'

const SIGN_IN = '/account/sign-in'

let site: CheapSite
let admin: Visitor

const signIn = preparedVisit(async (arranged, browser) => {
  await arranged.addFirstUsers()
  await arranged.addUser('王小明', { password: 'alice-Passw0rd' })
  await browser.signIn('admin', ADMIN_PASSWORD)
})

beforeEach(async () => {
  site = new CheapSite()
  admin = await signIn(site)
})

describe('the initial of a user', () => {
  test.each([
    ['alice', 'A'],
    ['王小明', '王'],
    ['🦊 fox', '🦊'],
    ['👩‍🚀mir', '👩‍🚀'],
    ['🇨🇳', '🇨🇳'],
    ['Élise', 'É'],
    ['élise', 'É'],
    ['ßabc', 'S'],
    ['  bob', 'B'],
    ['олег', 'О'],
    ['', ''],
  ])('of %j is %j', (name, initial) => {
    expect(initialOf(name)).toBe(initial)
  })

  test('is one character or none, and its colour is one of ours, for any name', () => {
    const segmenter = new Intl.Segmenter('und')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect([...segmenter.segment(initialOf(name))].length).toBeLessThanOrEqual(1)
        expect(tintOf(name)).toBeGreaterThanOrEqual(0)
        expect(tintOf(name)).toBeLessThan(TINTS)
      }),
    )
  })

  test('has the same colour in other cases, and different names have different ones', () => {
    expect(tintOf('ALICE')).toBe(tintOf('alice'))
    const names = Array.from({ length: 100 }, (_, place) => `user${place}`)
    expect(new Set(names.map(tintOf)).size).toBe(TINTS)
  })

  test.each(['/account', '/account/keys', '/account/admin/users', '/account/admin/settings/site'])(
    'stands beside the name in the top bar of %s',
    async (path) => {
      const { html } = await admin.get(path)
      const [, bar = ''] = /<header class="bar">(.*?)<\/header>/s.exec(html) ?? []
      expect(bar).toContain(
        `<span class="avatar tint-${tintOf('admin')}" data-initial="A" aria-hidden="true"></span>`,
      )
      expect(textOf(bar)).toBe('Latchkey admin Sign out')
    },
  )

  test('stands in the lists of users and of events', async () => {
    for (const path of ['/account/admin/users', '/account/admin/events?user=王小明']) {
      await new Visitor(site).signIn('王小明', 'alice-Passw0rd')
      expect((await admin.get(path)).html).toContain('data-initial="王"')
    }
  })
})

describe('the sign-in page', () => {
  test('says where it signs in, and what to do without password or phone', async () => {
    await site.db.insert(settings).values({ key: 'site_title', value: 'Files & Co' })
    forgetSettings(site.deps)
    const text = textOf((await new Visitor(site).get(SIGN_IN)).html)
    expect(text).toContain('Use your account at localhost.')
    expect(text).toContain('An administrator of Files & Co can give you a new password.')
    expect(text).toContain('enter a recovery code in place of the code')
  })

  test('puts the focus into the password after a wrong one, and keeps the name', async () => {
    const { html } = await new Visitor(site).post(SIGN_IN, { username: 'admin', password: 'no' })
    expect(html.match(/<[^>]+ autofocus[^>]*>/g)).toEqual([
      expect.stringMatching(/^<input id="password"/),
    ])
    expect(html).toContain('value="admin"')
    expect((await new Visitor(site).get(SIGN_IN)).html.match(/<[^>]+ autofocus[^>]*>/g)).toEqual([
      expect.stringMatching(/^<input id="username"/),
    ])
  })
})

describe('what has succeeded', () => {
  test('is told beside a key that turns, and a loss is not', async () => {
    const turned =
      /<div class="done"><svg class="icon"[^>]*><use href="[^"]+#turned">(?:(?!<\/div>).)*<span role="status">/s
    expect((await admin.get('/account/keys?done=key-added')).html).toMatch(turned)
    expect((await admin.get(`/account/keys?done=session-over`)).html).not.toContain('#turned')
  })
})
