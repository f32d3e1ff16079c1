import { beforeEach, describe, expect, test } from 'vitest'
import { CheapSite } from '../support/cheap-site.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const PAGES = '/account/admin/settings'
const SAVE = '/api/admin/setting/save'
const MAIN = 'https://accounts.example.org'
const FRESH = { message: 'Sign in again or confirm to do this' }

let openlist: OpenListStandIn
let site: CheapSite
let admin: Visitor
let token: string

async function open(bindings: object): Promise<void> {
  site = new CheapSite(openlist.deps, JSON.parse(JSON.stringify(bindings)))
  admin = new Visitor(site)
  await admin.signIn('admin', ADMIN_PASSWORD)
  token = await site.token('admin', ADMIN_PASSWORD)
  openlist.sent.length = 0
}

beforeEach(async () => {
  openlist = new OpenListStandIn()
  openlist.settings = { site_title: 'Theirs', logo: '/theirs.svg', main_color: '#000000' }
  await new CheapSite().addFirstUsers()
  await open(FILES_BINDINGS)
})

/** Asks the accounts' host of a site with two. */
const atMain = (body: object) => site.post(MAIN + SAVE, body, { token })
const twoHosts = () => open({ ...FILES_BINDINGS, FILES_HOST: 'files.example.org' })
const title = async () =>
  /<title>([^<]*)/.exec((await new Visitor(site).get('/account/sign-in')).html)?.[1]

describe('the look', () => {
  test('that a page saves is written to OpenList as well', async () => {
    await admin.post(`${PAGES}/site`, { site_title: 'Both', announcement: 'Hello' })
    expect(openlist.settings).toMatchObject({ site_title: 'Both', announcement: 'Hello' })
    expect(await title()).toContain('Both')
    await admin.post(`${PAGES}/site`, { reset: 'site_title' })
    expect(openlist.settings).toMatchObject({ site_title: 'Latchkey', announcement: 'Hello' })
  })

  test('that the API saves at the other host is too', async () => {
    await twoHosts()
    expect(await atMain([{ key: 'main_color', value: '#ff0000' }])).toMatchObject({ code: 200 })
    expect(openlist.settings).toMatchObject({ main_color: '#ff0000', site_title: 'Theirs' })
    expect((await site.get('/api/public/settings')).data.main_color).toBe('#ff0000')
  })

  test('that was never set here stays what it is there, and is not asked for', async () => {
    const fields = { site_title: 'Latchkey', announcement: '', security_contact: 'mailto:a@b.org' }
    await admin.post(`${PAGES}/site`, fields)
    expect(openlist.settings['site_title']).toBe('Theirs')
    expect(openlist.paths()).toEqual([])
  })

  test.each([
    ['is away', () => Promise.reject(new TypeError('no route'))],
    ['refuses it', () => Response.json({ code: 400, message: 'no', data: null })],
    ['saves it, and gives no answer', 'saves'] as const,
  ])('is saved nowhere when OpenList %s', async (_, answer) => {
    await admin.post(`${PAGES}/site`, { site_title: 'Old' })
    let calls = 0
    openlist.answer = ({ path, body }) => {
      if (path !== SAVE) return undefined
      if (answer !== 'saves') return answer()
      calls += 1
      if (calls > 1) return undefined
      Object.assign(openlist.settings, { site_title: JSON.parse(body)[0].value })
      return new Response('')
    }
    const { status } = await admin.post(`${PAGES}/site`, {
      site_title: 'New',
      security_contact: 'mailto:a@b.org',
    })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(openlist.settings['site_title']).toBe('Old')
    expect(await title()).toContain('Old')
    const { html } = await admin.get(`${PAGES}/site`)
    expect(html).not.toContain('mailto:a@b.org')
  })

  test('is not written here while OpenList does not answer', async () => {
    openlist.answer = () => Promise.reject(new TypeError('no route'))
    const { html } = await admin.post(`${PAGES}/site`, { site_title: 'New' })
    expect(html).toContain('The file server does not answer')
    const { data } = await site.get('/api/admin/events', { token })
    expect(JSON.stringify(data)).not.toContain('site_title')
  })

  test('needs a fresh session, as it does at OpenList’s pages', async () => {
    await twoHosts()
    const items = [{ key: 'site_title', value: '<script>' }]
    site.now += HOUR
    expect(await atMain(items)).toMatchObject(FRESH)
    expect(openlist.settings['site_title']).toBe('Theirs')
    expect(openlist.sent.filter(({ path }) => path === SAVE)).toEqual([])
  })

  test('is no stranger’s way to OpenList', async () => {
    await twoHosts()
    await site.addUser('alice', { password: 'alice-Passw0rd' })
    token = await site.token('alice', 'alice-Passw0rd')
    expect(await atMain([{ key: 'site_title', value: 'x' }])).toMatchObject({ code: 403 })
    expect(openlist.sent).toEqual([])
  })

  test('costs a site without a file server nothing more', async () => {
    await open({})
    await site.post(SAVE, [{ key: 'site_title', value: 'x' }], { token })
    expect([site.meter.roundTrips, openlist.sent.length]).toEqual([3, 0])
  })
})

describe('the settings of lists, search, previews and robots', () => {
  test.each(['site', 'style', 'files', 'preview'])('are off the page %s', async (page) => {
    const { html } = await admin.get(`${PAGES}/${page}`)
    expect(html).not.toMatch(
      /name="(?:robots_txt|home_icon|hide_files|audio_cover|video_autoplay)"/,
    )
    expect(html).toContain('set at the file server. <a href="/@manage">Manage the files</a>')
    await open({})
    expect((await admin.get(`${PAGES}/${page}`)).html).not.toContain('/@manage')
  })

  test('stay there where this site has them alone', async () => {
    await open({})
    const { html } = await admin.get(`${PAGES}/preview`)
    expect(html).toContain('name="audio_cover"')
    await admin.post(`${PAGES}/preview`, { audio_cover: '/x.svg' })
    expect((await site.get('/api/public/settings')).data.audio_cover).toBe('/x.svg')
  })

  test('are not taken at the other host, and nothing with them', async () => {
    await twoHosts()
    const items = [
      { key: 'security_contact', value: 'mailto:a@b.org' },
      { key: 'hide_files', value: '' },
    ]
    expect(await atMain(items)).toMatchObject({
      code: 400,
      message: expect.stringContaining('hide_files is a setting of the file server'),
    })
    const { data } = await site.get(`${MAIN}/api/admin/setting/get?key=security_contact`, { token })
    expect(data.value).toBe('')
  })
})
