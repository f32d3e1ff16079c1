import type { Locator } from 'playwright-core'

/** Presses a button that sends a form, and waits for the page that answers: a click alone does not. */
export async function press(button: Locator): Promise<void> {
  const answered = button.page().waitForEvent('load')
  await button.click()
  await answered
}
