import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'

const PICTURE = 'docs/images/social.png'
const SIZE = { width: 1280, height: 640 }
const SOURCES = 'src/web/sources'

/** The colours of style.css, light. */
const [GROUND, BRASS, BRASS_GROUND, TITLE, TEXT, SITE] = [
  '#f7f4ee',
  '#d49b33',
  '#faedcf',
  '#1f1b16',
  '#655c50',
  '#1890ff',
]

const addressOf = (name: string) =>
  `data:image/svg+xml;base64,${readFileSync(`${SOURCES}/${name}`).toString('base64')}`

/** Takes the picture that other sites show beside a link to this project. */
export async function takeSocial(browser: Browser): Promise<void> {
  const page = await browser.newPage({ viewport: SIZE })
  await page.setContent(`<!doctype html><style>
    body { display: grid; align-content: center; height: 100vh; margin: 0; padding: 0 6rem; box-sizing: border-box;
      border-top: 8px solid ${SITE}; overflow: hidden; font-family: system-ui, sans-serif;
      background: radial-gradient(60rem 36rem at 85% 100%, ${BRASS_GROUND}, transparent) ${GROUND}; }
    body::before { position: fixed; z-index: -1; right: -32rem; bottom: 3rem; width: 62rem; height: 21rem; opacity: 0.35;
      background: ${BRASS}; rotate: -28deg; content: ''; mask: url(${addressOf('latchkey.svg')}) center / contain no-repeat; }
    img { width: 7rem; height: 7rem; }
    h1 { margin: 1.5rem 0 0.5rem; color: ${TITLE}; font-size: 5.2rem; letter-spacing: -0.02em; line-height: 1.1; }
    p { max-width: 46rem; margin: 0; color: ${TEXT}; font-size: 1.85rem; line-height: 1.4; }
  </style><img src="${addressOf('logo.svg')}" alt=""><h1>Latchkey</h1>
  <p>The account service of a file-listing site: sign-in, passkeys, SSH keys, at the edge.</p>`)
  await page.screenshot({ path: PICTURE })
  await page.close()
}
