import type { Page } from 'playwright-core'

/** Returns the token of the session that a browser has at the site of its page. */
export async function sessionOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies(page.url())
  const session = cookies.find(({ name }) => name.endsWith('session'))
  if (session === undefined) throw new Error('nobody is signed in')
  return session.value
}
