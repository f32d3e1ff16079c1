import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'

/*
 * Each process once, for `npm test`: a site by `npm start`, a command, a page in Chromium. What
 * they promise in full is in test/cli and test/e2e (`npm run test:all`).
 */

let clone: Clone
let site: Client

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
})
afterAll(() => clone.remove())

test('npm start serves a site to which its admin signs in', async () => {
  const answer = await fetch(new URL('/ping', site.url))
  expect(await answer.text()).toBe('pong')
  const { code, data } = await site.signIn('admin', ADMIN_PASSWORD)
  expect(code).toBe(200)
  expect(data).toMatchObject({ token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) })
  expect(await site.signIn('admin', 'wrong-Passw0rd')).toMatchObject({ code: 401 })
})

test('a command works on the site that is running', async () => {
  const added = await clone.latchkey(['user', 'add', 'anna', '--password-stdin'], {
    input: 'anna-Passw0rd\n',
  })
  expect(added).toMatchObject({ code: 0, stderr: '' })
  expect(await site.signIn('anna', 'anna-Passw0rd')).toMatchObject({ code: 200 })
  const listed = await clone.latchkey(['user', 'list', '--json'])
  expect(listed.stdout).toContain('"anna"')
})

test('somebody signs in on a page', async () => {
  const browser = await openBrowser({ isPainting: false })
  try {
    const page = await browser.newPage({ baseURL: site.url, locale: 'en' })
    await page.goto('/')
    await page.getByLabel('User name', { exact: true }).fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/account')
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('admin')
  } finally {
    await browser.close()
  }
})
