import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import {
  judgeAppPasswords,
  type StaleCounts,
} from '../../src/capabilities/app-passwords/commands/checks.ts'
import { judgeMail, type MailFacts } from '../../src/capabilities/mail/commands/checks.ts'
import { judgePrograms, type ProgramFacts } from '../../src/capabilities/openid/commands/checks.ts'
import {
  judgePasskeys,
  judgeRpId,
  type PasskeyCount,
  type PasskeyFacts,
} from '../../src/capabilities/passkeys/commands/checks.ts'
import { judgeSso, type SsoFacts } from '../../src/capabilities/sso/commands/checks.ts'
import { judgeSetup } from '../../src/programs/doctor/doctor-checks.ts'
import { judgeData } from '../../src/programs/doctor/doctor-data-checks.ts'
import type {
  Facts as OwnFacts,
  SiteData as OwnData,
} from '../../src/programs/doctor/doctor-facts.ts'
import { askOverHttp, type PlainHttp } from '../../src/programs/doctor/plain-http.ts'
import type { Finding } from '../../src/programs/kit/findings.ts'
import { customDomains, readSiteConfig } from '../../src/programs/site/site-config.ts'
import { DEFAULT_SETTINGS, VERSION } from '../../src/capabilities/settings/defaults.ts'
import { createKeyRing } from '../../src/core/crypto/key-ring.ts'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { SECRET_KEYS } from '../support/secrets.ts'

const [SECRET = ''] = SECRET_KEYS.split(',')

const ANY_HOST = { rpId: undefined, origins: [] }

/** What doctor and the capabilities know of the database of a site. */
interface SiteData extends OwnData, Pick<ProgramFacts, 'issuers' | 'signingKeyAge'> {
  passkeys: PasskeyCount[]
  sso: SsoFacts | undefined
  appPasswords: StaleCounts
}

/** What they know of a site. */
interface Facts extends Omit<OwnFacts, 'data'>, Omit<PasskeyFacts, 'isRemote'> {
  issuer: string | undefined
  mail: MailFacts
  data: SiteData | undefined
}

const WELL: SiteData = {
  admins: [{ id: 1, username: 'admin', disabled: false, hasPassword: true, hasFactor: true }],
  requirement: 'off',
  lacking: [],
  closed: 0,
  passkeys: [{ rpId: 'example.org', total: 3 }],
  isGuestEnabled: false,
  siteTitle: 'Our files',
  copy: 'equal',
  sso: undefined,
  seals: { lost: {}, old: {} },
  leftovers: 0,
  signIns: [],
  appPasswords: { endless: 0, unused: 0 },
  issuers: ['https://files.example.org'],
  signingKeyAge: 0,
}

const MAIL = {
  from: 'accounts@example.org',
  siteAddress: 'https://files.example.org',
  issuer: undefined,
  hasWay: true,
}

/** Sign-ins of three users. */
function signInsFrom(network: string): SiteData['signIns'] {
  return [1, 2, 3].map((userId) => ({ userId, network }))
}

/** A production site in which nothing is wrong but what is given. */
function facts(wrong: Partial<Facts> = {}, data: Partial<SiteData> = {}): Facts {
  return {
    isRemote: true,
    secretProblem: undefined,
    copyProblem: undefined,
    tokenHours: '48',
    freshMinutes: '10',
    issuer: `https://${wrong.host ?? 'files.example.org'}`,
    crons: ['17 3 * * *'],
    plainHttp: 'refused',
    mail: MAIL,
    passkeySite: { rpId: 'example.org', origins: [] },
    host: 'files.example.org',
    migrations: { known: ['0000_a.sql', '0001_b.sql'], applied: ['0000_a.sql', '0001_b.sql'] },
    data: { ...WELL, ...data },
    ...wrong,
  }
}

function judgeSite({ data, ...site }: Facts): Finding[] {
  const ofSetup = [
    ...judgeSetup({ ...site, data }),
    judgeRpId(site),
    judgeMail(site.isRemote, site.mail),
  ]
  if (data === undefined) return ofSetup
  return [
    ...ofSetup,
    ...judgeData({ ...site, data }, data),
    judgePasskeys(site, data.passkeys),
    ...(data.sso === undefined ? [] : [judgeSso(site, data.sso)]),
    judgeAppPasswords(site, data.appPasswords),
    ...judgePrograms({ ...site, ...data }),
  ]
}

/** All that isn't well, a line each. */
function complaints(site: Facts): string[] {
  return judgeSite(site)
    .filter(({ status }) => status !== 'ok')
    .map(({ check, status, text, fix }) => `${status} ${check}: ${text} → ${fix ?? 'nothing'}`)
}

describe('the judgement of a site', () => {
  test.each([
    [{ from: '' }, []],
    [{ from: undefined, hasWay: false, siteAddress: undefined }, []],
    [{ siteAddress: '', issuer: 'https://files.example.org' }, []],
    [
      { from: 'nobody' },
      [
        'fail mail: MAIL_FROM is no e-mail address → set MAIL_FROM in wrangler.toml to one such as accounts@example.org',
      ],
    ],
    [
      { siteAddress: 'https://files.example.org/path' },
      [
        'fail mail: SITE_ADDRESS must be an origin such as https://account.example.org, not "https://files.example.org/path" → change it in wrangler.toml',
      ],
    ],
    [
      { siteAddress: '' },
      [
        'warn mail: users get no mail, because links would lead nowhere: SITE_ADDRESS is not set → set SITE_ADDRESS in wrangler.toml to the address of this site',
      ],
    ],
    [
      { hasWay: false },
      [
        'warn mail: users get no mail, because there is no binding EMAIL → put [[send_email]] with name = "EMAIL" into wrangler.toml',
      ],
    ],
  ])('says what mail lacks: %j', (wrong, expected) => {
    expect(complaints(facts({ mail: { ...MAIL, ...wrong } }))).toEqual(expected)
  })

  test('says that npm start lacks SMTP_URL, and no address', () => {
    const mail = { ...MAIL, siteAddress: undefined, hasWay: false }
    const local = facts({ isRemote: false, plainHttp: undefined, mail })
    expect(complaints(local).filter((line) => line.includes('mail:'))).toEqual([
      'warn mail: users get no mail, because SMTP_URL is not set → set SMTP_URL in .dev.vars, such as smtps://USER:PASSWORD@smtp.example.org',
    ])
  })

  test('finds nothing in one that is well', () => {
    expect(complaints(facts())).toEqual([])
    expect(complaints(facts({ isRemote: false }))).toEqual([])
    expect(complaints(facts({ isRemote: false, passkeySite: ANY_HOST, host: undefined }))).toEqual(
      [],
    )
    expect(complaints(facts({ tokenHours: undefined, freshMinutes: undefined }))).toEqual([])
  })

  test('finds each illness alone, and says what mends it', () => {
    const admin = { id: 5, username: 'root', disabled: false, hasPassword: true, hasFactor: true }
    const illnesses: [Facts, RegExp][] = [
      [
        facts({ secretProblem: 'the Worker has no SECRET_KEYS' }),
        /^fail secret: .* → npm run deploy$/,
      ],
      [facts({ copyProblem: 'no copy here' }), /^warn secret: no copy here → nothing$/],
      [facts({ tokenHours: '' }), /^fail token hours: TOKEN_HOURS .* → set TOKEN_HOURS/],
      [facts({ tokenHours: '0' }), /^fail token hours: /],
      [facts({ freshMinutes: '' }), /^fail fresh minutes: .* → set FRESH_MINUTES/],
      [
        facts({ freshMinutes: '0' }),
        /^warn fresh minutes: FRESH_MINUTES is 0: a thief with a stolen session/,
      ],
      [facts({ tokenHours: '721' }), /^warn token hours: a sign-in lasts 721 hours → set/],
      [
        facts({ issuer: '' }, { issuers: ['https://files.example.org', ''] }),
        /^warn issuer: ISSUER is empty, .* each request → set ISSUER .* such as https:\/\/files\.example\.org$/,
      ],
      [
        facts({ issuer: '', host: undefined }, { issuers: [''] }),
        /^warn issuer: .* such as https:\/\/account\.example/,
      ],
      [
        facts({ issuer: '', host: 'other.example.org' }),
        /^warn issuer: .* told https:\/\/files\.example\.org, and people use other\.example\.org → /,
      ],
      ...[
        'https://files.example.org/',
        'https://Files.example.org',
        'https://files.example.org:443',
      ].map((issuer): [Facts, RegExp] => [
        facts({ issuer }),
        /^fail issuer: .* no origin: .* → set ISSUER .* such as https:\/\/files\.example\.org$/,
      ]),
      [
        facts({ issuer: 'https://account.example.org' }),
        /^warn issuer: ISSUER is https:\/\/account\.example\.org, and people use files\.example\.org → /,
      ],
      [facts({ crons: [] }), /^fail nightly run: .* → put crons = /],
      [
        facts({ plainHttp: 'answered' }),
        /^fail plain http: the site answers over plain http: .* → npm run deploy/,
      ],
      [facts({ plainHttp: 'unknown' }), /^warn plain http: not checked: .* --url https:/],
      [
        facts({ migrations: { known: ['a', 'b'], applied: ['a'] }, data: undefined }),
        /^fail migrations: not applied: b → npm run deploy$/,
      ],
      [
        facts({ migrations: { known: ['a'], applied: ['a', 'b'] } }),
        /^fail migrations: the database is newer than this copy, by b → git pull$/,
      ],
      [facts({}, { admins: [] }), /^fail admins: .* → npm run deploy$/],
      [
        facts({}, { admins: [{ ...admin, disabled: true }] }),
        /^fail admins: .* → npm run latchkey -- user enable root --remote$/,
      ],
      [
        facts(
          {},
          {
            admins: [
              { ...admin, hasPassword: false },
              { ...admin, username: 'off', disabled: true },
            ],
          },
        ),
        /^fail admins: no enabled admin has a password: .* → npm run latchkey -- user password root --generate --remote$/,
      ],
      [
        facts({}, { admins: [admin, { ...admin, username: 'eve', hasFactor: false }] }),
        /^warn two-step: admins without a second factor: eve → each of them adds a passkey or/,
      ],
      [
        facts({}, { requirement: 'everybody', lacking: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }),
        /^warn two-step: require_second_factor is everybody, and these may only add a second factor: a, b, c, d, e, and 2 more → .*user list --without-2fa --remote$/,
      ],
      [
        facts({}, { requirement: 'everybody', closed: 3 }),
        /^warn credentials: require_second_factor is everybody: .* open nothing: 3 → their owners keep them at \/account\/security$/,
      ],
      [
        facts({ passkeySite: 'PASSKEY_RP_ID is wrong' }),
        /^fail RP ID: PASSKEY_RP_ID is wrong → correct it in wrangler\.toml$/,
      ],
      [
        facts({ host: 'files.example.com' }),
        /^fail RP ID: PASSKEY_RP_ID example\.org is not files\.example\.com or a parent/,
      ],
      [
        facts({ host: 'notexample.org' }),
        /^fail RP ID: PASSKEY_RP_ID example\.org is not notexample\.org or a parent/,
      ],
      [
        facts({ passkeySite: ANY_HOST, host: 'latchkey.me.workers.dev' }, { passkeys: [] }),
        /^warn RP ID: latchkey\.me\.workers\.dev: a later move .* loses all passkeys → before users/,
      ],
      [
        facts(
          { passkeySite: { rpId: 'workers.dev', origins: [] }, host: undefined },
          { passkeys: [] },
        ),
        /^fail RP ID: PASSKEY_RP_ID is workers\.dev, which many sites share/,
      ],
      [
        facts({ passkeySite: ANY_HOST, host: undefined }),
        /^warn RP ID: the host name of each request; if that is on workers\.dev/,
      ],
      [
        facts(
          {},
          {
            passkeys: [
              { rpId: 'example.org', total: 3 },
              { rpId: 'old.org', total: 2 },
            ],
          },
        ),
        /^warn passkeys: the RP ID is example\.org, so these can't sign in: for old\.org: 2 → answer under/,
      ],
      [
        facts({}, { seals: { lost: { seed: 2, channel: 1 }, old: {} } }),
        /^fail sealed: no entry of SECRET_KEYS opens 2 seeds, 1 channel → add the old entry to SECRET_KEYS again, at the end$/,
      ],
      [
        facts({}, { seals: { lost: { 'signing key': 1 }, old: {} } }),
        /^fail sealed: .* 1 signing key → .*; npm run latchkey -- signing-key rotate --now if it is lost$/,
      ],
      [facts({}, { seals: undefined }), /^warn sealed: /],
      [
        facts({}, { siteTitle: undefined }),
        /^warn site title: still the default "Latchkey"; .* → npm run latchkey -- setting set site_title .* --remote$/,
      ],
      [
        facts({}, { copy: 'different' }),
        /^warn settings: .* → npm run latchkey -- doctor --fix --remote$/,
      ],
      [
        facts({}, { sso: { problem: 'the provider does not answer' } }),
        /^fail sso: the provider does not answer → npm run latchkey -- sso test --remote; /,
      ],
      [
        facts({}, { appPasswords: { endless: 2, unused: 1 } }),
        /^warn app passwords: 2 never expire; 1 were not used for 180 days → npm run latchkey -- token list --stale --remote/,
      ],
      [
        facts({ isRemote: false }, { signIns: signInsFrom('172.18.0.1') }),
        /^warn networks: all 3 sign-ins of 3 users came from 172\.18\.0\.1: .* → .*TRUSTED_PROXIES/,
      ],
      [facts({}, { leftovers: 3 }), /^warn leftovers: 3 sessions expired .* → npm run deploy, and/],
    ]
    for (const [site, complaint] of illnesses) {
      expect(complaints(site)).toEqual([expect.stringMatching(complaint)])
    }
  })

  test('does not blame a local site that was not started for a while, nor a new one for having no copy in KV', () => {
    expect(complaints(facts({ isRemote: false }, { leftovers: 3, copy: 'missing' }))).toEqual([])
    const several = [...signInsFrom('172.18.0.1'), { userId: 9, network: '192.0.2.9' }]
    for (const signIns of [signInsFrom('192.0.2.7'), signInsFrom('172.18.0.1').slice(1), several])
      expect(complaints(facts({ isRemote: false }, { signIns }))).toEqual([])
  })

  test('says whether the guest is let in', () => {
    const texts = judgeSite(facts({}, { isGuestEnabled: true })).map(({ text }) => text)
    expect(texts).toContain('enabled: visitors who are not signed in are guests')
  })
})

describe('asking a deployed site over http', () => {
  const answers: [PlainHttp, RequestListener][] = [
    ['answered', (_, response) => response.end('{"code":200,"data":{}}')],
    ['refused', (_, response) => response.end('{"code":403,"message":"https is required"}')],
    ['refused', (_, response) => response.writeHead(308, { Location: 'https://x.example/' }).end()],
    ['refused', (_, response) => response.writeHead(403).end('Forbidden')],
    ['silent', (request) => request.socket.destroy()],
  ]

  test('tells an answer from a refusal, a redirect and silence', async () => {
    for (const [expected, listener] of answers) {
      const server = createServer(listener)
      const port = await freePort()
      await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve))
      expect(await askOverHttp(`127.0.0.1:${port}`)).toBe(expected)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
    expect(await askOverHttp(undefined)).toBe('unknown')
  })

  test('finds the custom domains of wrangler.toml', async () => {
    const config = await readSiteConfig()
    expect(customDomains(config)).toEqual([])
    const domain = { pattern: 'accounts.example.org', custom_domain: true }
    expect(customDomains({ ...config, route: domain })).toEqual(['accounts.example.org'])
    expect(customDomains({ ...config, routes: ['x.example/*', domain] })).toEqual([
      'accounts.example.org',
    ])
  })

  test('takes an address, and only with --remote', async () => {
    const clone = new Clone(inject('freshClone'))
    for (const [args, sentence] of [
      [['--remote', '--url', 'accounts.example.org'], 'It must be an address'],
      [['--url', 'https://accounts.example.org'], '--url needs --remote.'],
    ] as const) {
      expect(await clone.command(['doctor', ...args])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(sentence),
      })
    }
    await clone.remove()
  })
})

describe('latchkey doctor', () => {
  let migrated: Clone
  let clone: Clone

  beforeAll(() => {
    migrated = new Clone(inject('startedSite'))
    writeFileSync(migrated.path('.dev.vars'), `SECRET_KEYS=${SECRET}\n`)
    migrated.sql('delete from users')
    // The nightly run may have written the copy of the settings.
    rmSync(migrated.path('.wrangler/state/v3/kv'), { recursive: true, force: true })
  })
  beforeEach(() => {
    clone = new Clone(migrated.folder)
  })
  afterEach(() => clone.remove())
  afterAll(() => migrated.remove())

  async function examine() {
    const { code, stdout, stderr } = await clone.command(['doctor', '--json'])
    expect(stderr).toBe('')
    const { findings }: { findings: { check: string; status: string; text: string }[] } =
      JSON.parse(stdout)
    const found = (status: string) =>
      findings.filter((finding) => finding.status === status).map(({ check }) => check)
    return { code, fails: found('fail'), warns: found('warn'), all: findings.length }
  }

  /** What it tells people about the copy of the settings. */
  async function examineCopy(...options: string[]) {
    const { stdout } = await clone.command(['doctor', ...options])
    return /^(\w+) +settings +(.*)$/m.exec(stdout)?.slice(1)
  }

  test('tells people what a fresh clone lacks, and how it is made', async () => {
    const fresh = new Clone(inject('freshClone'))
    const { code, stdout } = await fresh.command(['doctor'])
    await fresh.remove()
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {2}secret /m)
    expect(stdout).toMatch(
      /^fail {2}migrations {5}not applied: 0000_accounts\.sql, .*\n +→ npm start$/m,
    )
  })

  test('follows a site into health, and into illness', async () => {
    expect(await examine()).toMatchObject({ code: 1, fails: ['admins'], warns: ['site title'] })

    const ring = await createKeyRing(SECRET)
    clone.sql(
      `insert into users (username, username_key, role, password_hash, totp_seed, created_at)
       values ('admin', 'admin', 2, 'x', ?, 0)`,
      `${ring.current.id}.box`,
    )
    clone.sql(`insert into settings values ('site_title', 'Our files')`)
    expect(await examine()).toMatchObject({ code: 0, fails: [], warns: [], all: 16 })

    clone.sql(`update users set totp_seed = 'another.box'`)
    clone.sql(`insert into users (username, username_key, role, created_at)
               values ('eve', 'eve', 2, 0)`)
    clone.sql(`delete from settings`)
    expect(await examine()).toMatchObject({
      code: 1,
      fails: ['sealed'],
      warns: ['two-step', 'site title'],
    })
  })

  test('looks at no data where secret, configuration and migrations are ill', async () => {
    writeFileSync(clone.path('.dev.vars'), 'SECRET_KEYS=short\nTOKEN_HOURS=-1\n')
    const config = readFileSync('wrangler.toml', 'utf8')
    writeFileSync(clone.path('wrangler.toml'), config.replace(/crons = .*/, 'crons = []'))
    clone.sql(`delete from d1_migrations where id = 2`)
    expect(await examine()).toMatchObject({
      code: 1,
      fails: ['secret', 'token hours', 'nightly run', 'migrations'],
      all: 7,
    })
  })

  test('finds a KV copy that differs from the database, and with --fix makes it anew', async () => {
    expect(await examineCopy()).toEqual(['ok', 'KV has no copy; the next visit creates one'])
    const body = JSON.stringify({ code: 200, message: 'success', data: DEFAULT_SETTINGS })
    const put = ['kv', 'key', 'put', `public-settings/${VERSION}`, body]
    put.push('--metadata', '{"etag":"\\"e\\""}', '--binding', 'SETTINGS', '--local')
    await clone.wrangler(...put)
    expect(await examineCopy()).toEqual(['ok', 'the KV copy equals the database'])
    clone.sql(`insert into settings values ('announcement', 'moved')`)
    expect(await examineCopy()).toEqual(['warn', expect.anything()])
    expect(await examineCopy('--fix')).toEqual(['ok', 'the KV copy equals the database'])
    expect(await examineCopy()).toEqual(['ok', 'the KV copy equals the database'])
  })
})
