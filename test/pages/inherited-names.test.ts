import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, settings } from '../../schema/tables.ts'
import { ED1 } from '../reference/keys.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import { textOf, Visitor } from '../support/visitor.ts'

/** What every object inherits, and nobody wrote. */
const NAMES = ['constructor', 'toString', '__proto__', 'valueOf']

let site: CheapSite
let visitor: Visitor

beforeEach(async () => {
  site = new CheapSite()
  await site.addFirstUsers()
  visitor = new Visitor(site)
  await visitor.signIn('admin', ADMIN_PASSWORD)
})

test('the title of a key is no reason, even if it reads as one', async () => {
  await visitor.post('/account/keys/add', { title: 'is required', key: ED1 })
  const { html } = await visitor.post('/account/keys/add', { title: 'x', key: ED1 })
  expect(textOf(html)).toContain('You already have this key, as “is required”.')
})

describe.each(NAMES)('a text that is called %s', (name) => {
  test('is shown as it is where a refusal quotes it', async () => {
    await visitor.post('/account/keys/add', { title: name, key: ED1 })
    const { status, html } = await visitor.post('/account/keys/add', { title: 'x', key: ED1 })
    expect(status).toBe(409)
    expect(textOf(html)).toContain(`You already have this key, as “${name}”.`)
  })

  test('is shown as it is where a choice from another version has it', async () => {
    await site.db.insert(settings).values({ key: 'search_index', value: name })
    const { html } = await visitor.get('/account/admin/settings/files')
    expect(html).toContain(`<option value="${name}" selected="">${name}</option>`)
  })

  test('is no reason of an event', async () => {
    const row = { at: site.now, userId: 1, detail: name, network: '', userAgent: '' }
    await site.db.insert(auditEvents).values([
      { ...row, kind: 'sign_in_refused' },
      { ...row, kind: 'session_ended' },
      { ...row, kind: name },
    ])
    for (const language of ['en', 'zh']) {
      const { html } = await visitor.get('/account/activity', { 'Accept-Language': language })
      const titles = Array.from(html.matchAll(/<h3>(.*?)<\/h3>/g), ([, title]) => title)
      expect(titles.slice(0, 3)).toEqual(
        language === 'en'
          ? [name, 'You ended one of your sessions', 'A sign-in to your account was refused']
          : [name, '退出你的一台设备', '登录你的账户被拒绝'],
      )
    }
  })

  test('is no language, notice, form or page of settings', async () => {
    const path = `/account/admin`
    expect(await visitor.post('/account/language', { language: name })).toMatchObject({
      status: 400,
    })
    expect((await visitor.get(`/account?done=${name}`)).html).not.toContain('class="done"')
    expect(await visitor.post(`${path}/users/2/${name}`)).toMatchObject({ status: 404 })
    expect(await visitor.get(`${path}/settings/${name}`)).toMatchObject({ status: 404 })
    expect(await visitor.post(`${path}/settings/site`, { reset: name })).toMatchObject({
      status: 400,
    })
    const { status } = await visitor.post(`${path}/settings/site`, { [name]: 'x' })
    expect(status).toBe(303)
  })
})
