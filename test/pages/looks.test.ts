import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { settings } from '../../schema/tables.ts'
import { STYLE_SHEET } from '../../.build/assets.ts'
import {
  contrast,
  parseColour,
  toReadable,
  toHex,
} from '../../src/capabilities/settings/pages/colour.ts'
import { acceptedLanguage, LANGUAGES } from '../../src/web/kit/language.ts'
import { en } from '../../src/app/texts.en.ts'
import { zh } from '../../src/app/texts.zh.ts'
import { describeUserAgent } from '../../src/web/kit/user-agent.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import { textOf, Visitor } from '../support/visitor.ts'

const SIGN_IN = '/account/sign-in'

let site: CheapSite
let visitor: Visitor

beforeEach(() => {
  site = new CheapSite()
  visitor = new Visitor(site)
})

/** The first look at a site with these settings. */
async function looksWith(values: Record<string, string>): Promise<string> {
  for (const [key, value] of Object.entries(values)) {
    await site.db.insert(settings).values({ key, value })
  }
  return (await visitor.get(SIGN_IN)).html
}

function themePath(html: string): string {
  return /<link rel="stylesheet" href="(\/account\/theme-[^"]+)"/.exec(html)?.[1] ?? ''
}

describe('a page', () => {
  test('may load from here alone, runs nothing inline, and is kept nowhere', async () => {
    const { headers, html } = await visitor.get(SIGN_IN)
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Referrer-Policy')).toBe('same-origin')
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull()
    expect(html).not.toMatch(
      /\sstyle=|<style|<script(?! type="module" src="\/(?:script|passkeys)-)|\son\w+=|https?:/,
    )
  })

  test('has the headers on refusals, redirects and failures too', async () => {
    for (const seen of [
      await visitor.get('/account'),
      await visitor.post(SIGN_IN, {}),
      await visitor.post(SIGN_IN, {}, { Origin: 'https://evil.example' }),
      await new Visitor(new CheapSite({ limitSignIns: async () => false })).post(SIGN_IN, {
        username: 'x',
        password: 'y',
      }),
    ]) {
      expect(seen.headers.get('Content-Security-Policy')).toContain("script-src 'self'")
      expect(seen.headers.get('Cache-Control')).toBe('no-store')
    }
  })

  test('looks like the site it belongs to', async () => {
    const html = await looksWith({
      site_title: 'Ben & <b>Jerry</b>',
      announcement: 'Down on Sunday\n<script>alert(1)</script>',
      logo: '/ours.svg\n/ours-dark.svg',
    })
    expect(html).toContain('<title>Sign in · Ben &amp; &lt;b&gt;Jerry&lt;/b&gt;</title>')
    expect(html).toContain('<p>Down on Sunday<br/>&lt;script&gt;alert(1)&lt;/script&gt;</p>')
    expect(html).toContain('<img src="/ours.svg"')
    expect(html).toContain('srcset="/ours-dark.svg"')
  })

  test('shows the announcement as Markdown until the visitor closes it, and a new one again', async () => {
    const markdown = 'No uploads on **Sunday**: [why](https://example.org/disks)'
    const shown = /<aside class="announcement".*?<\/aside>/s
    const [aside = ''] = shown.exec(await looksWith({ announcement: markdown })) ?? []
    expect(aside).toContain(
      'No uploads on <strong>Sunday</strong>: <a href="https://example.org/disks">why</a>',
    )
    const [, id = ''] = / name="id" value="([\da-f]{16})"/.exec(aside) ?? []
    const page = `${SIGN_IN}?next=%2Faccount%2Fkeys`
    const seen = await visitor.post('/account/announcement', { id, path: page })
    expect(seen).toMatchObject({ status: 303, location: page })
    expect((await visitor.get(SIGN_IN)).html).not.toMatch(shown)
    expect((await new Visitor(site).get(SIGN_IN)).html).toMatch(shown)
    await site.addFirstUsers()
    const saved = [{ key: 'announcement', value: 'Uploads work again' }]
    const token = await site.token('admin', ADMIN_PASSWORD)
    await site.post('/api/admin/setting/save', saved, { token })
    expect((await visitor.get(SIGN_IN)).html).toContain('Uploads work again')
  })

  test('closes nothing for a text that is no id, and leads nowhere else', async () => {
    await looksWith({ announcement: 'Down on Sunday' })
    for (const id of ['', 'x', 'a'.repeat(17), 'a; Domain=evil.example']) {
      const seen = await visitor.post('/account/announcement', { id, path: '//evil.example' })
      expect(seen).toMatchObject({ status: 303, location: '/account' })
    }
    expect(visitor.setCookies).toEqual([])
  })

  test.each([
    'https://elsewhere.example/logo.svg',
    '//elsewhere.example/logo.svg',
    '/\\elsewhere.example/logo.svg',
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    '',
  ])('shows our logo in place of %j', async (logo) => {
    expect(await looksWith({ logo })).toMatch(/<img src="\/logo-[0-9a-f]{10}\.svg"/)
  })

  test('is shown even when its settings are out of reach', async () => {
    const broken = new CheapSite({
      kv: new Proxy(site.deps.kv, { get: () => () => Promise.reject(new Error('down')) }),
    })
    const db = new Proxy(broken.deps.db, {
      get: (target, name) => {
        if (name === 'select') throw new Error('down')
        return Reflect.get(target, name)
      },
    })
    const { status, html } = await new Visitor(new CheapSite({ ...broken.deps, db })).get(SIGN_IN)
    expect([status, html]).toEqual([200, expect.stringContaining('Latchkey')])
  })
})

describe("the theme of the site's colour", () => {
  test('follows the style sheet of all sites, and may be kept for ever', async () => {
    const { html } = await visitor.get(SIGN_IN)
    const [style, theme] = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)]
    expect([style?.[1], theme?.[1]]).toEqual([STYLE_SHEET, themePath(html)])
    const { status, headers } = await visitor.get(themePath(html))
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/css; charset=utf-8')
    expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    expect(headers.getSetCookie()).toEqual([])
  })

  test('has another address in another colour, and an old address is not kept', async () => {
    const old = '/account/theme-0123456789abcdef.css'
    const path = themePath(await looksWith({ main_color: '#c0ffee' }))
    expect((await visitor.get(path)).html).toContain('--site:#c0ffee')
    expect((await visitor.get(old)).headers.get('Cache-Control')).toBe('public, no-cache')
  })

  test.each(['red;}body{display:none', 'url(https://evil.example)', '#12', '#1234567', '}', ''])(
    'is in our colour when the setting is %j',
    async (main_color) => {
      const { html } = await visitor.get(themePath(await looksWith({ main_color })))
      expect(html).toContain('--site:#1890ff')
      expect(html).not.toMatch(/body\{display:none|evil/)
    },
  )
})

const colour = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255))
const WHITE: [number, number, number] = [255, 255, 255]
const BLACK: [number, number, number] = [0, 0, 0]

describe('a colour', () => {
  test('can be read on its ground, whatever the operator chose', () => {
    fc.assert(
      fc.property(colour, (chosen) => {
        expect(contrast(toReadable(chosen, BLACK, [WHITE]), WHITE)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(toReadable(chosen, WHITE, [BLACK]), BLACK)).toBeGreaterThanOrEqual(4.5)
      }),
    )
  })

  test('stays what it is where it can be read already', () => {
    expect(toReadable([0, 0, 128], BLACK, [WHITE])).toEqual([0, 0, 128])
  })

  test('has the contrast that WCAG gives', () => {
    expect(contrast(BLACK, WHITE)).toBeCloseTo(21)
    expect(contrast([119, 119, 119], WHITE)).toBeCloseTo(4.48, 2)
  })

  test('is read back as it was written, and nothing else is one', () => {
    fc.assert(
      fc.property(colour, (tone) => {
        expect(parseColour(toHex(tone))).toEqual(tone)
      }),
    )
    expect(parseColour('#1af')).toEqual([0x11, 0xaa, 0xff])
    expect(parseColour('#11aaff80')).toEqual([0x11, 0xaa, 0xff])
    const isHex = /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i
    const noHex = fc.string().filter((text) => !isHex.test(text.trim()))
    fc.assert(
      fc.property(noHex, (text) => {
        expect(parseColour(text)).toBeUndefined()
      }),
    )
  })
})

describe('the language', () => {
  test.each([
    ['', 'en'],
    ['fr', 'en'],
    ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
    ['zh-Hant-TW', 'zh'],
    ['en-GB,zh;q=0.9', 'en'],
    ['fr,en;q=0.2,zh;q=0.3', 'zh'],
    ['zh;q=0', 'en'],
    ['en;q=x,zh;q=0.1', 'zh'],
    ['ZH', 'zh'],
    ['__proto__', 'en'],
  ])('of %j is %s', (header, language) => {
    expect(acceptedLanguage(header)).toBe(language)
  })

  test('is always one of ours', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(LANGUAGES).toContain(acceptedLanguage(header))
      }),
    )
  })

  test('is that of the browser until the visitor chooses another', async () => {
    const chinese = { 'Accept-Language': 'zh-CN' }
    const first = await visitor.get(SIGN_IN, chinese)
    expect(first.html).toContain('<html lang="zh-Hans">')
    expect(textOf(first.html)).toContain('用户名')
    const seen = await visitor.post('/account/language', { language: 'en', path: SIGN_IN }, chinese)
    expect(seen).toMatchObject({ status: 303, location: SIGN_IN })
    expect(visitor.setCookies).toEqual([
      'language=en; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax',
    ])
    expect((await visitor.get(SIGN_IN, chinese)).html).toContain('<html lang="en">')
  })

  test('tells refusals as well', async () => {
    await site.addFirstUsers()
    const seen = await visitor.post(
      SIGN_IN,
      { username: 'admin', password: 'wrong-Passw0rd' },
      { 'Accept-Language': 'zh' },
    )
    expect(textOf(seen.html)).toContain('用户名或密码错误，或账户已停用。')
  })

  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/account/../x',
    '/api/me',
  ])('leads back to our pages only, not to %j', async (path) => {
    const seen = await visitor.post('/account/language', { language: 'zh', path })
    expect(seen.location).toBe('/account')
  })

  test('is none but ours', async () => {
    const seen = await visitor.post('/account/language', { language: 'constructor' })
    expect(seen.status).toBe(400)
    expect(visitor.setCookies).toEqual([])
  })

  test('has a name for each of the sixteen permissions and three roles', () => {
    for (const { permissions, overview } of [en, zh]) {
      expect([new Set(permissions).size, new Set(overview.roles).size]).toEqual([16, 3])
    }
  })
})

describe('a User-Agent', () => {
  test.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
      'Edge',
      'Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
      'Safari',
      'macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1',
      'Chrome',
      'iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36',
      'Samsung Internet',
      'Android',
    ],
    [
      'Mozilla/5.0 (X11; CrOS x86_64 16033.58.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
      'Chrome',
      'ChromeOS',
    ],
    ['curl/8.11.0', 'curl', undefined],
    ['', undefined, undefined],
    ['<script>', undefined, undefined],
  ])('%s', (userAgent, program, system) => {
    const known = { ...(program && { program }), ...(system && { system }) }
    expect(describeUserAgent(userAgent)).toEqual(known)
  })

  test('never gets a word of its own onto a page', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 255 }), (userAgent) => {
        for (const word of Object.values(describeUserAgent(userAgent))) {
          expect(word).toMatch(/^[A-Za-z ]+$/)
        }
      }),
    )
  })
})
