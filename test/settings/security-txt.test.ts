import { beforeEach, describe, expect, test } from 'vitest'
import { settings } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { problemAt, textOf, valueOf, Visitor } from '../support/visitor.ts'

const PATH = '/.well-known/security.txt'
const CONTACT = 'mailto:security@example.org'
const SETTINGS_PAGE = '/account/admin/settings/site'

let site: CheapSite
let admin: string

beforeEach(async () => {
  site = new CheapSite()
  await site.addFirstUsers()
  admin = await site.token('admin', ADMIN_PASSWORD)
})

const save = (value: string) =>
  site.post('/api/admin/setting/save', [{ key: 'security_contact', value }], { token: admin })

async function read(): Promise<[status: number, text: string]> {
  const response = await site.fetch('GET', PATH)
  expect(response.headers.get('Content-Type')).toMatch(/^text\/plain/i)
  return [response.status, await response.text()]
}

describe(`GET ${PATH}`, () => {
  test('does not exist until an operator has named a contact', async () => {
    expect((await read())[0]).toBe(404)
    expect(await save(CONTACT)).toMatchObject({ code: 200 })
    expect((await read())[0]).toBe(200)
    expect(await save('')).toMatchObject({ code: 200 })
    expect((await read())[0]).toBe(404)
  })

  test('names the contact, and a time of expiry that moves along and is less than a year away', async () => {
    await save(CONTACT)
    expect(await read()).toEqual([200, `Contact: ${CONTACT}\nExpires: 2027-05-20T09:15:06Z\n`])
    site.now += 24 * HOUR
    expect((await read())[1]).toContain('Expires: 2027-05-21T09:15:06Z\n')
  })

  test('shows no contact that came by another way than the settings', async () => {
    const value = 'mailto:a@example.org\nContact: https://evil.example'
    await site.db.insert(settings).values({ key: 'security_contact', value })
    expect((await read())[0]).toBe(404)
  })
})

describe('the setting security_contact', () => {
  test.each([
    CONTACT,
    'mailto:security%2Bsite@example.org',
    'https://example.org/security?from=site',
    'tel:+1-201-555-0123',
  ])('takes %s', async (value) => {
    expect(await save(value)).toMatchObject({ code: 200 })
    expect((await read())[1]).toMatch(/^Contact: \S+\nExpires: \S+\n$/)
  })

  test.each([
    'security@example.org',
    'http://example.org/security',
    'mailto:',
    'mailto:nobody',
    'https://',
    'https:///x',
    'tel:',
    'tel:call me',
    'javascript:alert(1)',
    `${CONTACT}\nPolicy: https://evil.example`,
    `${CONTACT}\r\nExpires: 2000-01-01T00:00:00Z`,
    `${CONTACT} `,
    'mailto:sécurité@example.org',
    `https://example.org/${'x'.repeat(1024)}`,
  ])('refuses %j', async (value) => {
    expect(await save(value)).toMatchObject({ code: 400, data: null })
    expect((await read())[0]).toBe(404)
  })

  test('is no public setting: those are the 28 of the contract', async () => {
    await save(CONTACT)
    const { data } = await site.get('/api/public/settings')
    expect(Object.keys(data)).toHaveLength(28)
    expect(JSON.stringify(data)).not.toContain(CONTACT)
  })

  test('stands behind the others in the list of operators, marked as private', async () => {
    const { data } = await site.get('/api/admin/setting/list', { token: admin })
    expect(data[28]).toMatchObject({ key: 'security_contact', group: 1, flag: 1, index: 28 })
    const { data: all } = await site.get('/api/admin/setting/list?group=1', { token: admin })
    expect(await site.post('/api/admin/setting/save', all, { token: admin })).toMatchObject({
      code: 200,
    })
  })

  test('is on the page of settings with its help, and says what is wrong with it', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const { html } = await visitor.post(SETTINGS_PAGE, { security_contact: 'nobody' })
    expect(problemAt(html, 'security_contact')).toMatch(/^It must be mailto: and/)
    expect(textOf(html)).toContain('Security contact')
    expect(textOf(html)).toContain('Contact for security problems')
    await visitor.post(SETTINGS_PAGE, { security_contact: CONTACT })
    const chinese = await visitor.get(SETTINGS_PAGE, { 'Accept-Language': 'zh' })
    expect(valueOf(chinese.html, 'security_contact')).toBe(CONTACT)
    expect(textOf(chinese.html)).toContain('安全联系方式')
  })
})
