import type { Locator } from 'playwright-core'

/** Presses a button that sends a form, and waits for the page that answers: a click alone does not. */
export async function press(button: Locator): Promise<void> {
  const answered = button.page().waitForEvent('load')
  await button.click()
  await answered
}

/** Opens the menus and folds around an element, from the outermost. */
export async function unfold(inside: Locator): Promise<void> {
  const closed = inside.first().locator('xpath=ancestor::details[not(@open)]')
  while ((await closed.count()) > 0) await closed.first().locator('xpath=summary').click()
}
