import { renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

// Its graphics driver in software takes six times the CPU of all the rest. Nothing here draws in 3D.
chromium.setGraphicsMode = false

const UNWANTED = [
  // The browser would end with its first context.
  '--single-process',
  // Each new renderer would load and link the whole program.
  '--no-zygote',
  // The tests are to see what a user's browser allows.
  '--disable-web-security',
  '--allow-running-insecure-content',
]

/** A new frame for each page that a tab goes to, which costs a quarter of what a page costs. */
const DISABLED_FEATURE = 'RenderDocument'

/** Most scripts run for an instant: what is compiled once more for speed is thrown away at once. */
const NO_OPTIMIZATION = '--js-flags=--no-maglev,--no-opt'

/**
 * Playwright's options of a browser with a mouse, because the last such option counts, and an
 * option to paint no page. Style, layout and events are the same.
 */
const NO_PAINT =
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4,acceleratedCompositingEnabled=false'

/**
 * A real Chromium, out of an npm package: nothing is downloaded, nothing has to be installed.
 *
 * @param isPainting Without it, a page can't be photographed, and takes a quarter less CPU.
 */
export async function openBrowser({ isPainting = true } = {}): Promise<Browser> {
  const executablePath = await chromium.executablePath()
  return playwright.launch({
    executablePath,
    args: [...argumentsOfChromium(), NO_OPTIMIZATION, ...(isPainting ? [] : [NO_PAINT])],
    headless: true,
    env: { ...process.env, ...ownFonts(dirname(executablePath)) },
  })
}

/** Chromium ends on a machine without fonts, so those of its own package stand beside any others. */
function ownFonts(folder: string): NodeJS.Dict<string> {
  const file = join(folder, 'latchkey-fonts.conf')
  const others = '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>'
  const own = `<dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir>`
  const written = `${file}.${process.pid}`
  writeFileSync(written, `<fontconfig>${others}${own}</fontconfig>`)
  // Several processes start browsers at once, and none may read half of it.
  renameSync(written, file)
  return { FONTCONFIG_FILE: file }
}

function argumentsOfChromium(): string[] {
  return chromium.args
    .filter((arg) => !UNWANTED.includes(arg))
    .map((arg) => (arg.startsWith('--disable-features=') ? `${arg},${DISABLED_FEATURE}` : arg))
}
