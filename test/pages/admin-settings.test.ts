import { beforeEach, describe, expect, test } from 'vitest'
import { settings } from '../../schema/tables.ts'
import { ALL_DEFAULTS } from '../../src/capabilities/settings/defaults.ts'
import { SETTINGS } from '../../src/capabilities/settings/definitions.ts'
import {
  isSettingPage,
  keysOf,
  PAGE_NAMES,
} from '../../src/capabilities/settings/pages/admin/setting-pages.ts'
import { TABLE_KEYS } from '../../src/capabilities/settings/tables.ts'
import { en } from '../../src/app/texts.en.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { preparedVisit } from '../support/signed-in.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import { alertIn, problemAt, textOf, valueOf, Visitor } from '../support/visitor.ts'

const SETTINGS_PAGE = '/account/admin/settings'

let site: CheapSite
let admin: Visitor

const signIn = preparedVisit(async (arranged, browser) => {
  await arranged.addFirstUsers()
  await browser.signIn('admin', ADMIN_PASSWORD)
})

beforeEach(async () => {
  site = new CheapSite()
  admin = await signIn(site)
})

/** The settings of a page that can be changed. */
function settingsOf(page: string) {
  const keys: string[] = isSettingPage(page) ? keysOf(page) : []
  return SETTINGS.filter(({ key, isReadOnly }) => keys.includes(key) && !isReadOnly)
}

/** What a browser sends of a page's form as it is shown. */
function formOf(html: string, page: string): Record<string, string> {
  return Object.fromEntries(
    settingsOf(page).map(({ key, type }) => {
      const [, chosen] =
        new RegExp(`<select id="${key}".*?<option value="([^"]*)" selected=""`, 's').exec(html) ??
        []
      const isTicked = new RegExp(`name="${key}" value="true" checked=""`).test(html)
      const value = chosen ?? (type === 'bool' ? String(isTicked) : valueOf(html, key))
      return [
        key,
        value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
      ]
    }),
  )
}

function isLine({ type, isReadOnly }: (typeof SETTINGS)[number]): boolean {
  return type === 'string' && !isReadOnly
}

/** Which kind of input the colour has. */
async function colourType(): Promise<string | undefined> {
  const { html } = await admin.get(`${SETTINGS_PAGE}/style`)
  return /<input id="main_color"[^>]* type="(\w+)"/.exec(html)?.[1]
}

async function stored(): Promise<Record<string, string>> {
  const rows = await site.db.select().from(settings)
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

describe('the pages of settings', () => {
  test('add up the boxes of the permissions that new users get', async () => {
    const page = `${SETTINGS_PAGE}/sso`
    const level = { 'sso_default_permission-level': 'custom' }
    const boxes = { 'sso_default_permission-4': 'on', 'sso_default_permission-10': 'on' }
    const fields = { sso_default_permission: '0', ...level, ...boxes }
    expect(await admin.post(page, fields)).toMatchObject({ status: 303 })
    expect(await stored()).toEqual({ sso_default_permission: String(16 + 1024) })
    const { html } = await admin.get(page)
    expect(html).toMatch(/name="sso_default_permission-10" checked=""/)
    expect(html).not.toMatch(/name="sso_default_permission-11" checked=""/)
  })

  test('have every setting once', () => {
    const keys = PAGE_NAMES.flatMap(keysOf)
    expect(keys.toSorted()).toEqual(SETTINGS.map(({ key }) => key).toSorted())
  })

  test('show every setting with its help, unless the label says all, and nothing as changed', async () => {
    const without: string[] = []
    for (const page of PAGE_NAMES) {
      const { status, html } = await admin.get(`${SETTINGS_PAGE}/${page}`)
      expect(status).toBe(200)
      for (const { key } of settingsOf(page)) {
        expect(html).toContain(`name="${key}"`)
        const [, hint = ''] =
          new RegExp(`<p class="hint" id="${key}-hint">(.*?)</p>`).exec(html) ?? []
        if (hint === '') without.push(key)
        else if (!textOf(hint).startsWith(String(en.settings.help[key]))) without.push(hint)
      }
      expect(html).not.toContain('name="reset"')
    }
    expect(without).toEqual([
      'event_retention_days',
      'device_evict_policy',
      'register_permission',
      'favicon',
      'home_container',
      'settings_layout',
      'default_page_size',
      'audio_autoplay',
      'video_autoplay',
      'sso_default_permission',
    ])
  })

  test('speak Chinese', async () => {
    const visitor = new Visitor(site, { 'Accept-Language': 'zh-CN' })
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const { html } = await visitor.get(`${SETTINGS_PAGE}/style`)
    expect(textOf(html)).toContain('按钮和链接的颜色。')
    const refused = await visitor.post(`${SETTINGS_PAGE}/style`, { main_color: 'red' })
    expect(problemAt(refused.html, 'main_color')).toBe('必须是颜色，例如 #1890ff。')
  })

  test.each(PAGE_NAMES)('change nothing when %s is saved as it is', async (group) => {
    const { html } = await admin.get(`${SETTINGS_PAGE}/${group}`)
    const form = formOf(html, group)
    expect(form).not.toEqual({})
    for (const [key, value] of Object.entries(form)) {
      expect({ [key]: value }).toEqual({ [key]: Reflect.get(ALL_DEFAULTS, key) })
    }
    expect(await admin.post(`${SETTINGS_PAGE}/${group}`, form)).toMatchObject({ status: 303 })
    expect(await stored()).toEqual({})
  })

  test('are none for a name that is none', async () => {
    expect((await admin.get(`${SETTINGS_PAGE}/nope`)).status).toBe(404)
    expect((await admin.post(`${SETTINGS_PAGE}/constructor`)).status).toBe(404)
    expect((await admin.get(SETTINGS_PAGE)).location).toBe(`${SETTINGS_PAGE}/site`)
  })
})

describe('saving settings', () => {
  test('shows at once what was saved', async () => {
    const form = formOf((await admin.get(`${SETTINGS_PAGE}/site`)).html, 'site')
    const wanted = { ...form, site_title: 'Our files', allow_indexed: 'true' }
    const { status, location } = await admin.post(`${SETTINGS_PAGE}/site`, wanted)
    expect([status, location]).toEqual([303, `${SETTINGS_PAGE}/site?done=settings-saved`])
    const { html } = await admin.get(`${SETTINGS_PAGE}/site?done=settings-saved`)
    expect(textOf(html)).toContain('The settings were saved.')
    expect(html).toContain('<title>Site · Site settings · Our files</title>')
    expect(valueOf(html, 'site_title')).toBe('Our files')
    expect(await stored()).toEqual({ site_title: 'Our files', allow_indexed: 'true' })
    expect(html.match(/name="reset" value="(\w+)"/g)).toHaveLength(2)
    expect(textOf(html)).toMatch(
      /Reset to default.*Title Default: Latchkey Reset.*Default: Off Reset/,
    )
    expect((await site.get('/api/public/settings')).data.site_title).toBe('Our files')
  })

  test('takes a switch that is on, which sends its field twice', async () => {
    await admin.post(`${SETTINGS_PAGE}/site`, { allow_indexed: 'false' })
    const { html } = await admin.get(`${SETTINGS_PAGE}/site`)
    const box = html.indexOf('name="allow_indexed" value="true"')
    expect(box).toBeGreaterThan(0)
    expect(html.indexOf('name="allow_indexed" value="false"')).toBeGreaterThan(box)
    const cookie = Array.from(admin.cookies, (pair) => pair.join('=')).join('; ')
    const { status } = await site.fetch('POST', `${SETTINGS_PAGE}/site`, {
      body: 'allow_indexed=true&allow_indexed=false',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Origin: 'http://localhost',
        Cookie: cookie,
      },
    })
    expect(status).toBe(303)
    expect(await stored()).toEqual({ allow_indexed: 'true' })
  })

  test.each([
    ['preview', 'iframe_previews', '{"pdf": 5}', 'It must be a JSON object of JSON objects'],
    ['preview', 'iframe_previews', '{\r\n  "pdf": }', 'look at line 2, column 10.'],
    ['preview', 'external_previews', '{"pdf": ', 'look at line 1, column 9.'],
    [
      'preview',
      'external_previews',
      '{"pdf":{"x":"javascript:alert(1)"}}',
      'It must be a JSON object',
    ],
    ['files', 'hide_files', '/(/', 'They must be regular expressions'],
    ['style', 'main_color', 'red;}', 'It must be a colour such as #1890ff.'],
    ['style', 'logo', 'javascript:alert(1)', 'It must be an address'],
    ['files', 'default_page_size', '0', 'It must be a whole number from 1 to 9999.'],
    ['site', 'site_title', ' ', 'This is required.'],
  ])(
    'shows beside %s/%s why %j is refused, and keeps all that was typed',
    async (group, key, wrong, reason) => {
      const form = formOf((await admin.get(`${SETTINGS_PAGE}/${group}`)).html, group)
      const other = settingsOf(group).find((setting) => isLine(setting) && setting.key !== key)
      const typed = { ...form, ...(other && { [other.key]: '/typed.svg' }), [key]: wrong }
      const { status, html } = await admin.post(`${SETTINGS_PAGE}/${group}`, typed)
      expect(status).toBe(400)
      expect(problemAt(html, key)).toContain(reason)
      expect(formOf(html, group)).toEqual(typed)
      expect(await stored()).toEqual({})
    },
  )

  test('shows a colour in a picker if a picker can hold it', async () => {
    expect(await colourType()).toBe('color')
    for (const [colour, type] of [
      ['#1890ff80', 'text'],
      ['#abc', 'text'],
      ['#ABCDEF', 'color'],
    ] as const) {
      await admin.post(`${SETTINGS_PAGE}/style`, { main_color: colour })
      expect(await colourType()).toBe(type)
      expect((await stored())['main_color']).toBe(colour)
    }
  })

  test('leaves settings of other pages and the version alone', async () => {
    const fields = { site_title: 'Ours', main_color: '#000000', version: '9' }
    expect(await admin.post(`${SETTINGS_PAGE}/site`, fields)).toMatchObject({ status: 303 })
    expect(await stored()).toEqual({ site_title: 'Ours' })
  })
})

/** The cells of a table, as a browser sends them. */
function cellsOf(html: string, key: string): Record<string, string> {
  const cells = html.matchAll(
    new RegExp(`<input id="(${key}\\.\\d+\\.\\w+)"[^>]* value="([^"]*)"`, 'g'),
  )
  return Object.fromEntries(
    Array.from(cells, ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
  )
}

describe('tables of settings', () => {
  const NEW_VIEWER = {
    'iframe_previews.9.types': 'dwg , dxf',
    'iframe_previews.9.viewer': 'Plans',
    'iframe_previews.9.address': 'https://plans.example.org/?file=$e_url',
  }

  test('show what is set, with empty rows, and store nothing when nothing is changed', async () => {
    for (const page of ['preview', 'files', 'sso']) {
      const { html } = await admin.get(`${SETTINGS_PAGE}/${page}`)
      const keys = TABLE_KEYS.filter((key) => settingsOf(page).some((one) => one.key === key))
      expect(keys).not.toEqual([])
      const cells = Object.assign({}, ...keys.map((key) => cellsOf(html, key)))
      expect(Object.values(cells)).toContain('')
      const form = { ...formOf(html, page), ...cells }
      expect(await admin.post(`${SETTINGS_PAGE}/${page}`, form)).toMatchObject({ status: 303 })
    }
    expect(await stored()).toEqual({})
  })

  test('add a viewer, take one away, and leave the others as they are', async () => {
    const page = `${SETTINGS_PAGE}/preview`
    const { html } = await admin.get(page)
    const cells = cellsOf(html, 'iframe_previews')
    expect(cells['iframe_previews.0.types']).toBe('doc,docx,xls,xlsx,ppt,pptx')
    expect(cells['iframe_previews.1.viewer']).toBe('Google')
    const gone = {
      'iframe_previews.1.types': '',
      'iframe_previews.1.viewer': ' ',
      'iframe_previews.1.address': '',
    }
    const form = { ...formOf(html, 'preview'), ...cells, ...gone, ...NEW_VIEWER }
    expect(await admin.post(page, form)).toMatchObject({ status: 303 })
    const saved = await stored()
    expect(Object.keys(saved)).toEqual(['iframe_previews'])
    expect(JSON.parse(saved['iframe_previews'] ?? '')).toEqual({
      'doc,docx,xls,xlsx,ppt,pptx': {
        Microsoft: 'https://view.officeapps.live.com/op/view.aspx?src=$e_url',
      },
      epub: { 'EPUB.js': '/static/epub.js/viewer.html?url=$e_url' },
      'dwg,dxf': { Plans: 'https://plans.example.org/?file=$e_url' },
    })
    expect(cellsOf((await admin.get(page)).html, 'iframe_previews')).toMatchObject({
      'iframe_previews.2.types': 'dwg,dxf',
      'iframe_previews.2.viewer': 'Plans',
    })
  })

  test('keep a space, a name that is special in JavaScript, and no text in place of a character', async () => {
    const page = `${SETTINGS_PAGE}/files`
    const form = {
      filename_char_mapping: '{"/": "|"}',
      'filename_char_mapping.0.character': ' ',
      'filename_char_mapping.0.shown': '_',
      'filename_char_mapping.1.character': '__proto__',
      'filename_char_mapping.1.shown': '',
    }
    expect(await admin.post(page, form)).toMatchObject({ status: 303 })
    const { filename_char_mapping: saved = '' } = await stored()
    expect(Object.entries(JSON.parse(saved))).toEqual([
      [' ', '_'],
      ['__proto__', ''],
    ])
    const { html } = await admin.get(page)
    expect(cellsOf(html, 'filename_char_mapping')).toMatchObject(
      Object.fromEntries(Object.entries(form).slice(1)),
    )
  })

  test.each([
    [{ 'iframe_previews.9.viewer': '' }, 'viewer', 'This is required.'],
    [{ 'iframe_previews.9.address': 'javascript:alert(1)' }, 'address', 'It must be an address'],
    [
      { 'iframe_previews.9.types': 'epub', 'iframe_previews.9.viewer': 'EPUB.js' },
      'viewer',
      'This repeats an earlier row.',
    ],
  ])(
    'show beside the cell why %j is refused, and keep what was typed',
    async (wrong, column, reason) => {
      const page = `${SETTINGS_PAGE}/preview`
      const { html: before } = await admin.get(page)
      const form = {
        ...formOf(before, 'preview'),
        ...cellsOf(before, 'iframe_previews'),
        ...NEW_VIEWER,
        ...wrong,
      }
      const { status, html } = await admin.post(page, form)
      expect(status).toBe(400)
      const field = `iframe_previews.3.${column}`
      expect(html).toMatch(
        new RegExp(`<input id="${field}"[^>]* autofocus=""[^>]* aria-invalid="true"`),
      )
      const [, problem = ''] = new RegExp(`id="${field}-problem">(.*?)</small>`).exec(html) ?? []
      expect(problem).toContain(reason)
      expect(alertIn(html)).toBeUndefined()
      const shown = Object.entries({ ...NEW_VIEWER, ...wrong }).map(([name, value]) => [
        name.replace('.9.', '.3.'),
        value,
      ])
      expect(cellsOf(html, 'iframe_previews')).toMatchObject(Object.fromEntries(shown))
      expect(await stored()).toEqual({})
    },
  )

  test('are changed as text on request, and where no table can show the text', async () => {
    const page = `${SETTINGS_PAGE}/preview`
    expect((await admin.get(page)).html).toContain('?text=iframe_previews"')
    const { html: asText } = await admin.get(`${page}?text=iframe_previews`)
    expect(asText).toContain('<textarea id="iframe_previews"')
    expect(asText).not.toContain('<textarea id="external_previews"')
    const form = { ...formOf(asText, 'preview'), external_previews: '{"pdf": {}}' }
    expect(await admin.post(page, form)).toMatchObject({ status: 303 })
    const { html } = await admin.get(page)
    expect(html).toContain('<textarea id="external_previews"')
    expect(html).not.toContain('<textarea id="iframe_previews"')
  })

  test('are empty after a reset', async () => {
    const page = `${SETTINGS_PAGE}/sso`
    await admin.post(`${SETTINGS_PAGE}/sso`, { 'sso_group_map.0.claimValue': 'a' })
    const fields = {
      sso_group_map: '',
      'sso_group_map.0.claimValue': 'typed',
      reset: 'sso_group_map',
    }
    const { status, html } = await admin.post(page, fields)
    expect(status).toBe(200)
    expect(cellsOf(html, 'sso_group_map')['sso_group_map.0.claimValue']).toBe('')
  })
})

/** The pictures beside the fields of a page, with the settings that they show. */
function pictures(html: string): string[] {
  const images = html.matchAll(/<img src="([^"]*)" alt="" data-preview="(\w+)"/g)
  return Array.from(images, ([, address, key]) => `${key} ${address}`)
}

describe('previews', () => {
  test('show the logo on light and dark pages, the icon, and the colour in both shades', async () => {
    const page = `${SETTINGS_PAGE}/style`
    const look = { logo: '/a.svg\n/b.svg', favicon: '/icon.png', main_color: '#ffee00' }
    await admin.post(page, look)
    const { html } = await admin.get(page)
    expect(pictures(html)).toEqual(['logo /a.svg', 'logo /b.svg', 'favicon /icon.png'])
    // On light pages the yellow is darkened until a text in it can be read.
    const [, onLight = '', onDark = ''] =
      /<svg class="preview dark".*?fill="(#\w+)".*?fill="(#(?!fff")\w+)"/s.exec(html) ?? []
    expect(onLight).toMatch(/^#[0-7]/)
    expect(onDark).toBe('#ffee00')
  })

  test('ask no other site for a picture, and say so', async () => {
    const page = `${SETTINGS_PAGE}/style`
    const far = 'https://pictures.example.org/logo.svg'
    const { status, html } = await admin.post(page, { logo: far, favicon: far, main_color: 'red' })
    expect(status).toBe(400)
    expect(html).not.toContain(`src="${far}"`)
    expect(pictures(html)).toHaveLength(2)
    expect(textOf(html)).toContain(en.adminSettings.logoElsewhere)
    expect(textOf(html)).toContain(en.adminSettings.iconElsewhere)
  })
})

describe('resetting a setting', () => {
  test('gives it its default, and keeps what else was typed without saving it', async () => {
    await admin.post(`${SETTINGS_PAGE}/site`, { site_title: 'Ours', announcement: 'Hello' })
    const fields = { site_title: 'Ours', announcement: 'Hello, typed', reset: 'site_title' }
    const { status, html } = await admin.post(`${SETTINGS_PAGE}/site`, fields)
    expect(status).toBe(200)
    expect(textOf(html)).toContain('The setting was reset to its default.')
    expect(valueOf(html, 'site_title')).toBe('Latchkey')
    expect(valueOf(html, 'announcement')).toBe('Hello, typed')
    expect(await stored()).toEqual({ announcement: 'Hello' })
  })

  test('is not what the enter key does', async () => {
    await admin.post(`${SETTINGS_PAGE}/site`, { site_title: 'Ours' })
    const { html } = await admin.get(`${SETTINGS_PAGE}/site`)
    const form = html.slice(html.indexOf(`action="${SETTINGS_PAGE}/site"`))
    expect(form).toContain('name="reset"')
    expect(/<button[^>]*>/.exec(form)?.[0]).not.toContain('reset')
  })

  test('refuses what is no setting', async () => {
    const { status } = await admin.post(`${SETTINGS_PAGE}/site`, { reset: 'nope' })
    expect(status).toBe(400)
  })
})
