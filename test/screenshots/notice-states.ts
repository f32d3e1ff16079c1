import type { Page } from 'playwright-core'
import { ADMIN_PASSWORD } from '../support/clone.ts'
import { press, unfold } from '../support/press.ts'
import { Receiver } from '../support/receiver.ts'

type Take = (name: string) => Promise<void>

const CHANNELS = '/account/admin/notices'
const OWN = '/account/notices'
/** As long as an operator may make it. */
const LONG_NAME = 'Everybody who keeps the files of the third floor, back office'
/** Nothing answers here. */
const NOWHERE = 'http://127.0.0.1:1'

/**
 * Adds channels, has them tested, and deletes them; signed in before and after. Elements are found
 * by their forms, so that the pages may be in Chinese.
 */
export async function noticeStates(page: Page, take: Take): Promise<void> {
  const receiver = await Receiver.open()
  try {
    await channelStates(page, receiver.url, take)
  } finally {
    receiver.close()
  }
  await ownStates(page, take)
}

async function channelStates(page: Page, receiver: string, take: Take): Promise<void> {
  await page.goto(CHANNELS)
  await take('admin-notices-none')
  await page.goto(`${CHANNELS}/add`)
  await take('admin-notices-kinds')
  await add(page, { kind: 'ntfy', name: 'phones', address: 'ftp://files.example.org/x' })
  await take('admin-notices-refused')
  await add(page, { kind: 'ntfy', name: 'phones', address: `${receiver}/a-topic` })
  await take('admin-notices-added')
  await add(page, { kind: 'webhook', name: LONG_NAME, address: NOWHERE })
  await take('admin-notices-secret')
  await add(page, {
    kind: 'email',
    name: 'the post of all who look after the files',
    address: 'the-administrators-of-the-back-office@departments-of-the-files.example.org',
    sender: 'accounts@example.org',
  })
  await page.goto(CHANNELS)
  await submit(page, `${CHANNELS}/test`, 1)
  await take('admin-notices-failed')
  await page.goto(CHANNELS)
  await submit(page, `${CHANNELS}/test`)
  await take('admin-notices-tested')
  await page.goto(CHANNELS)
  for (const summary of await page.locator('.rows > li:first-child summary').all())
    await summary.click()
  await take('admin-notices-open')
  while ((await page.locator(`form[action="${CHANNELS}/delete"]`).count()) > 0) {
    await page.goto(CHANNELS)
    await submit(page, `${CHANNELS}/delete`)
  }
}

async function ownStates(page: Page, take: Take): Promise<void> {
  await page.goto(OWN)
  await take('notices-none')
  for (const kind of ['ntfy', 'webhook']) {
    await page.goto(`${OWN}?kind=${kind}`)
    await take(`notices-${kind}`)
  }
  for (const [name, address] of [
    ['notices-refused', 'https://ntfy.local/a-topic'],
    ['notices-added', 'https://ntfy.example.org/a-topic'],
  ] as const) {
    await page.goto(`${OWN}?kind=ntfy`)
    await page.locator('[name=address]').fill(address)
    await submit(page, `${OWN}/save`)
    await take(name)
  }
  await page.goto(OWN)
  for (const summary of await page.locator('main summary').all()) await summary.click()
  await take('notices-delete')
  await submit(page, `${OWN}/delete`)
}

async function add(page: Page, fields: Record<string, string>): Promise<void> {
  await page.goto(`${CHANNELS}/add?kind=${fields['kind'] ?? ''}`)
  const form = page.locator(`form[action="${CHANNELS}/add"]`)
  for (const [name, value] of Object.entries(fields))
    if (name !== 'kind') await form.locator(`[name=${name}]`).fill(value)
  await submit(page, `${CHANNELS}/add`)
}

/** Sends a form, with the password when the session is no longer fresh, and waits for the answer. */
async function submit(page: Page, action: string, place = 0): Promise<void> {
  const form = page.locator(`form[action="${action}"]`).nth(place)
  await unfold(form)
  const password = form.locator('[name=confirm_password]')
  if ((await password.count()) > 0) await password.fill(ADMIN_PASSWORD)
  await press(form.locator('button:not([type])').first())
}
