import type { Browser, CDPSession, Page } from 'playwright-core'

export const LANGUAGES = ['en', 'zh'] as const
type Language = (typeof LANGUAGES)[number]

/** The least width and height of something to touch, CSS pixels (WCAG 2.2, 2.5.5). */
const TARGET_PIXELS = 44
/** Narrower than this, a browser counts as a touch screen in these checks. */
const TOUCH_BELOW_PIXELS = 1000
/** Up to this width, the dark scheme is checked too: it changes only colours and the logo. */
const DARK_UP_TO_PIXELS = 400
/** In one language, because those are the same in all. */
const DARK_LANGUAGE = 'en'

/** A tab without JavaScript that can be any screen these checks look at. */
export class Screen {
  readonly page: Page
  readonly #session: CDPSession
  readonly #language: Language

  private constructor(page: Page, session: CDPSession, language: Language) {
    this.page = page
    this.#session = session
    this.#language = language
  }

  static async open(browser: Browser, baseURL: string, language: Language): Promise<Screen> {
    const context = await browser.newContext({
      baseURL,
      locale: language,
      javaScriptEnabled: false,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    return new Screen(page, await context.newCDPSession(page), language)
  }

  /**
   * Narrow screens are touched. Playwright can't change that of an open tab. A tab that was touched
   * once does not match `(hover: hover)` any more; our styles don't ask for it.
   */
  async resize(width: number): Promise<void> {
    const isTouched = width < TOUCH_BELOW_PIXELS
    await this.#session.send('Emulation.setTouchEmulationEnabled', { enabled: isTouched })
    await this.#session.send('Emulation.setDeviceMetricsOverride', {
      width,
      height: 800,
      deviceScaleFactor: 1,
      mobile: isTouched,
    })
  }

  /** Returns the faults of the page at a width (`layoutFaults`). */
  async faultsAt(width: number): Promise<string[]> {
    await this.resize(width)
    return layoutFaults(this.page, this.#language, width)
  }
}

/**
 * Finds what is wrong with the layout of a page as it stands: text or boxes that need scrolling
 * sideways, a text to copy that is cut, targets that are too small for a finger, controls of one
 * form in different heights, descriptions of one list in several columns, tiles that are no square,
 * controls of one row that cover a text or each other.
 *
 * @returns One sentence each; empty when all is well.
 */
export async function layoutFaults(
  page: Page,
  language: Language,
  // On a phone, `innerWidth` grows with a page that is too wide.
  width = page.viewportSize()?.width ?? 0,
): Promise<string[]> {
  const faults: string[] = []
  const isDarkToo = width <= DARK_UP_TO_PIXELS && language === DARK_LANGUAGE
  for (const colorScheme of isDarkToo ? (['dark', 'light'] as const) : (['light'] as const)) {
    await page.emulateMedia({ colorScheme })
    const found: string[] = await page.evaluate(`(${FIND_FAULTS})(${TARGET_PIXELS}, ${width})`)
    faults.push(...found.map((fault) => `${colorScheme}: ${fault}`))
  }
  return faults
}

/** Runs in the page. */
const FIND_FAULTS = String.raw`function findFaults(least, width) {
  const faults = []
  const nameOf = (element) => element.outerHTML.replace(/>.*/s, '>') + ' ' + element.textContent.trim().slice(0, 40)
  const boxOf = (element) => element.getBoundingClientRect()
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && boxOf(element).right > 0

  const { scrollWidth } = document.documentElement
  if (scrollWidth > width) faults.push('the page is ' + scrollWidth + ' px wide')
  for (const element of document.querySelectorAll('body *')) {
    if (!isShown(element) || element.closest('svg, .find + .tabs, .tabs:has(+ .older), thead')) continue
    const box = boxOf(element)
    if (box.right > width + 1) faults.push('beyond the right edge: ' + nameOf(element))
    const { overflowX } = getComputedStyle(element)
    const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
    const isField = element.matches('input, select, textarea, img, picture')
    // A name for screen readers, beside an icon.
    if (getComputedStyle(element).clipPath === 'inset(50%)') continue
    if (isCut && overflowX !== 'auto' && !isField) faults.push('its content is wider: ' + nameOf(element))
    const isShownOnce = element.matches('textarea[readonly]')
    if (isShownOnce && element.scrollHeight > element.clientHeight + 1) faults.push('its text is cut: ' + nameOf(element))
  }

  // A link within a text is as high as its line (2.5.5 excepts it).
  const isInline = (element) => {
    if (getComputedStyle(element).display !== 'inline') return false
    const parent = element.closest('.facts') ?? element.parentElement
    return parent.textContent.trim() !== element.textContent.trim()
  }
  // A touch on the area of a link's ::after touches the link.
  const targetOf = (element) => {
    const { position } = getComputedStyle(element, '::after')
    if (position === 'absolute') return element.closest('tr, li') ?? element
    return element.matches('[type=checkbox], [type=radio]') ? (element.labels[0] ?? element) : element
  }
  const targets = 'a[href], button, summary, select, input:not([type=hidden]), textarea'
  if (matchMedia('(pointer: coarse)').matches) {
    for (const element of document.querySelectorAll(targets)) {
      if (!isShown(element) || isInline(element) || element.closest('.skip')) continue
      const box = boxOf(targetOf(element))
      if (Math.min(box.width, box.height) < least - 0.5)
        faults.push('a target of ' + Math.round(box.width) + ' × ' + Math.round(box.height) + ' px: ' + nameOf(element))
    }
  }

  const controls = 'button, select, input:not([type=hidden], [type=checkbox], [type=radio], [type=color])'
  for (const form of document.forms) {
    const shown = [...form.querySelectorAll(controls)].filter((control) => isShown(control) && !control.matches('.skip'))
    const heights = new Set(shown.map((control) => Math.round(boxOf(control).height)))
    if (heights.size > 1) faults.push('heights of ' + [...heights].join(', ') + ' px in one form: ' + nameOf(form))
  }

  for (const tile of [...document.querySelectorAll('.tile')].filter(isShown)) {
    const { width: wide, height: high } = boxOf(tile)
    if (Math.abs(wide - high) > 1) faults.push('a tile of ' + Math.round(wide) + ' × ' + Math.round(high) + ' px: ' + nameOf(tile))
  }

  for (const list of document.querySelectorAll('dl')) {
    const shown = [...list.querySelectorAll(':scope > dd')].filter(isShown)
    const lefts = new Set(shown.map((description) => Math.round(boxOf(description).left)))
    if (lefts.size > 1) faults.push('descriptions at ' + [...lefts].join(', ') + ' px in one list: ' + nameOf(list))
  }

  // Lines of two texts may touch; a control may cover nothing.
  const textsOf = (row) => {
    const texts = []
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { currentNode: text } = walker
      if (text.data.trim() === '' || text.parentElement.closest(targets) || !isShown(text.parentElement)) continue
      const range = document.createRange()
      range.selectNodeContents(text)
      for (const box of range.getClientRects()) texts.push({ box, name: text.data.trim().slice(0, 40) })
    }
    return texts
  }
  const isOver = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1
  for (const row of document.querySelectorAll('li:not(nav li), tr')) {
    const shown = [...row.querySelectorAll('button, summary, select, input:not([type=hidden]), textarea')]
      .filter(isShown)
      .map((element) => ({ box: boxOf(element), name: nameOf(element) }))
    const texts = textsOf(row)
    for (const [place, control] of shown.entries())
      for (const other of [...shown.slice(place + 1), ...texts])
        if (isOver(control.box, other.box)) faults.push(control.name + ' covers ' + other.name)
  }
  return faults
}`
