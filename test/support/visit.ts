import type { Browser, Page } from 'playwright-core'

export interface VisitOptions {
  javaScriptEnabled?: boolean
  width?: number
  locale?: string
  /** Pages fade into each other, for which each is painted ten times. */
  hasTransitions?: boolean
}

/** A tab of a visitor of their own, and what the browser complains about in it. */
export interface Visit {
  page: Page
  /** Blocked by the policy, not found, thrown by a script, or a dialog that a script has opened. */
  complaints: string[]
}

/**
 * Opens a tab on the site at `baseURL`, without JavaScript, on a phone and without transitions
 * unless told otherwise.
 */
export async function openVisit(
  browser: Browser,
  baseURL: string,
  { javaScriptEnabled = false, width = 390, locale = 'en-GB', ...visit }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    baseURL,
    javaScriptEnabled,
    locale,
    timezoneId: 'Asia/Shanghai',
    viewport: { width, height: 800 },
    reducedMotion: visit.hasTransitions === true ? 'no-preference' : 'reduce',
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', async (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  page.on('requestfailed', (request) => {
    // A click that leaves the page before an icon has come aborts the icon.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') complaints.push(request.url())
  })
  return { page, complaints }
}

/** Returns the bytes on the wire, headers included, by path; nothing that the browser had. */
export async function bytesOf(page: Page, path: string): Promise<Map<string, number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const [paths, bytes] = [new Map<string, string>(), new Map<string, number>()]
  const cached = new Set<string>()
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (!response.fromDiskCache && response.url.startsWith('http')) {
      paths.set(requestId, new URL(response.url).pathname)
    }
  })
  session.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const from = paths.get(requestId)
    if (from !== undefined && !cached.has(requestId)) bytes.set(from, encodedDataLength)
  })
  await page.goto(path, { waitUntil: 'networkidle' })
  await session.detach()
  return bytes
}
