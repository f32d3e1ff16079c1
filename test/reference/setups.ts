import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { base64url, decodeJwt, SignJWT } from 'jose'
import { settings, users } from '../../schema/tables.ts'
import { createKeyRing } from '../../src/core/crypto/key-ring.ts'
import { signToken } from '../../src/core/access/token.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE, SECOND } from '../support/site.ts'
import { ED1, ED2, ED3, ECDSA256, ECDSA384 } from './keys.ts'

/** What a set-up has to say to the placeholders of a request. */
type Values = Record<string, string>

const ALICE = 'alice'
const PASSWORD = 'alice-Passw0rd'
const NEW_PASSWORD = 'kettle-Orbit-77'

export type Given = keyof typeof setups

/**
 * A site where nothing is left to chance, neither time nor secrets, so that no code fits by luck.
 *
 * @param seed Two sites on one database need two, so that neither repeats an id of the other.
 */
function createSite(seed: number): CheapSite {
  let state = seed
  return new CheapSite({
    randomBytes: (length) =>
      Uint8Array.from({ length }, () => {
        // Numerical Recipes' generator: its upper byte repeats only after 2³² steps.
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return state >>> 24
      }),
  })
}

/** How things stand before the request of a row. */
const setups = {
  'admin and a disabled guest': async (site) => {
    await site.addFirstUsers()
    return {}
  },
  'the guest enabled': async (site) => {
    await site.addFirstUsers({ guestDisabled: false })
    return {}
  },
  'robots.txt with percent signs': async (site) => {
    await site.db
      .insert(settings)
      .values({ key: 'robots_txt', value: 'User-agent: *\nDisallow: /  % %s %d' })
    return {}
  },

  'users with odd names': async (site) => {
    await site.addFirstUsers()
    const passwords = {
      ユーザー: 'パスワード🔑',
      Ünïcode: 'pässwörd',
      '🦀': '🔑',
      'a b': 'x',
      '<b>html</b>': 'x&y"',
      'co:lon/sl?q#h%20&x=y': 'x',
    }
    const values: Values = {}
    for (const [name, password] of Object.entries(passwords)) {
      await site.addUser(name, { password })
      values[`token of ${name}`] = await site.token(name, password)
    }
    return values
  },
  'a disabled user': async (site) => {
    await site.addFirstUsers()
    await site.addUser('disabled1', { password: 'pw-dis', disabled: true })
    return {}
  },
  'a user without a password': async (site) => {
    await site.addFirstUsers()
    await site.addUser('nopass')
    return {}
  },

  'admin signed in': async (site) => {
    await site.addFirstUsers()
    return { token: await site.token('admin', ADMIN_PASSWORD) }
  },
  'admin signed in, and there is alice': async (site) => {
    await signInAlice(site)
    return { token: await site.token('admin', ADMIN_PASSWORD) }
  },
  'admin saved settings that there are not': async (site) => {
    await site.addFirstUsers()
    const token = await site.token('admin', ADMIN_PASSWORD)
    for (const key of ['made_up', 'version', 'token']) {
      await site.post('/api/admin/setting/save', [{ key, value: '' }], { token })
    }
    return {}
  },
  'alice signed in': signInAlice,
  'alice signed in, who may use SFTP': async (site) => {
    const values = await signInAlice(site)
    await site.db.update(users).set({ permission: 1024 }).where(eq(users.username, ALICE))
    return values
  },
  'alice signed in twice': async (site) => {
    const { token } = await signInAlice(site)
    return { token, other: await site.token(ALICE, PASSWORD) }
  },
  'alice signed out of one of two sessions': async (site) => {
    const { token } = await signInAlice(site)
    const other = await site.token(ALICE, PASSWORD)
    await site.get('/api/auth/logout', { token })
    return { token, other }
  },
  'alice tried to sign out by POST': async (site) => {
    const { token } = await signInAlice(site)
    await site.post('/api/auth/logout', undefined, { token })
    return { token }
  },
  'alice disabled after signing in': async (site) => {
    const { token } = await signInAlice(site)
    await site.db.update(users).set({ disabled: true }).where(eq(users.username, ALICE))
    return { token }
  },
  'alice deleted': deleteAlice,
  'alice deleted and created anew': async (site) => {
    const values = await deleteAlice(site)
    site.now += MINUTE
    await site.addUser(ALICE, { password: PASSWORD })
    return values
  },
  'alice deleted and created anew at once': async (site) => {
    const values = await deleteAlice(site)
    await site.addUser(ALICE, { password: PASSWORD })
    return values
  },
  'the token expired': async (site) => {
    const { token } = await signInAlice(site)
    site.now += 48 * HOUR + SECOND
    return { token }
  },
  'tokens that nobody was given': async (site) => {
    const { token } = await signInAlice(site)
    return { token, ...(await forgeTokens(token)) }
  },

  'alice changed her password': (site) => changePassword(site, NEW_PASSWORD),
  'alice changed her password, signed in twice': async (site) => {
    const { token } = await signInAlice(site)
    const other = await site.token(ALICE, PASSWORD)
    await site.post('/api/me/update', { username: ALICE, password: NEW_PASSWORD }, { token })
    return { other }
  },
  'alice set the same password again': (site) => changePassword(site, PASSWORD),
  'alice changed her name': async (site) => {
    const { token } = await signInAlice(site)
    await site.post('/api/me/update', { username: 'alice-b' }, { token })
    return { token, 'new token': await site.token('alice-b', PASSWORD) }
  },
  "alice's name taken over by bob": async (site) => {
    const { token } = await signInAlice(site)
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    await site.post('/api/me/update', { username: 'alice-old' }, { token })
    await site.post('/api/me/update', { username: ALICE }, { token: bob })
    return { token }
  },
  'alice asked for the name of the guest': async (site) => {
    const { token } = await signInAlice(site)
    await site.post('/api/me/update', { username: 'guest' }, { token })
    return { token }
  },
  'alice tried to make herself admin': async (site) => {
    const { token } = await signInAlice(site)
    const body = 'Username=alice&Role=2&PwdHash=x&Salt=y&OtpSecret=AAAA&SsoID=my-sso'
    await site.post('/api/me/update', body, {
      token,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    return { token }
  },

  'alice was given a secret': giveSecret,
  'alice was given a second secret': async (site) => {
    const first = await giveSecret(site)
    const token = first['token'] ?? ''
    return { ...(await generate(site, token)), token, 'code of the first': first['code'] ?? '' }
  },
  'two-step verification on': switchOn,
  'two-step verification on, with the second secret': async (site) => {
    const first = await giveSecret(site)
    const second = await generate(site, first['token'] ?? '')
    await confirm(site, first['token'] ?? '', second)
    return { ...second, 'code of the first': first['code'] ?? '' }
  },
  'alice used a code': async (site) => {
    const values = await switchOn(site)
    await site.token(ALICE, PASSWORD, values['code'])
    return values
  },
  'alice used a code after an older one': async (site) => {
    const values = await switchOn(site)
    await site.token(ALICE, PASSWORD, values['code-1'])
    await site.token(ALICE, PASSWORD, values['code'])
    return values
  },
  'alice left the code out five times': async (site) => {
    const values = await switchOn(site)
    for (let i = 0; i < 5; i++) await site.login(ALICE, PASSWORD)
    return values
  },
  'two-step verification on, password changed': async (site) => {
    const { token = '' } = await switchOn(site)
    await site.post('/api/me/update', { username: ALICE, password: NEW_PASSWORD }, { token })
    return {}
  },

  'alice and bob with keys': async (site) => {
    const { token } = await signInAlice(site)
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    for (const [title, key] of Object.entries({ ED1, dup: ED2, ECDSA256, ECDSA384 })) {
      await site.post('/api/me/sshkey/add', { title, key }, { token })
    }
    await site.post('/api/me/sshkey/add', { title: "bob's", key: ED3 }, { token: bob })
    return { token, bob }
  },
  'alice and bob with one key': async (site) => {
    const { token } = await signInAlice(site)
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    for (const each of [token, bob]) {
      await site.post('/api/me/sshkey/add', { title: 'dup', key: ED2 }, { token: each })
    }
    return { token, bob }
  },
  'alice with a key': addAliceKey,
  'alice with a key, bob without': async (site) => {
    await addAliceKey(site)
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    return { token: await site.token('bob', 'bob-Passw0rd') }
  },
  'alice deleted her key': async (site) => {
    const { token } = await addAliceKey(site)
    await site.post('/api/me/sshkey/delete?id=1', undefined, { token })
    return { token }
  },
} satisfies Record<string, (site: CheapSite) => Promise<Values>>

const preparedSetups = new Map<Given, (site: CheapSite) => Promise<Values>>()

/** Sets things up, and returns a site of them that hasn't been asked anything yet. */
export async function setUp(given: Given): Promise<{ site: CheapSite; values: Values }> {
  const arrange = preparedSetups.get(given) ?? prepared<CheapSite, Values>(setups[given])
  preparedSetups.set(given, arrange)
  const arranged = createSite(1)
  const values = await arrange(arranged)
  const site = createSite(2)
  site.now = arranged.now
  return { site, values }
}

async function signInAlice(site: CheapSite): Promise<{ token: string }> {
  await site.addFirstUsers()
  await site.addUser(ALICE, { password: PASSWORD, permission: 3, ssoId: 'sso-1' })
  return { token: await site.token(ALICE, PASSWORD) }
}

async function deleteAlice(site: CheapSite): Promise<{ token: string }> {
  const values = await signInAlice(site)
  await site.db.delete(users).where(eq(users.username, ALICE))
  return values
}

async function changePassword(site: CheapSite, password: string): Promise<{ token: string }> {
  const { token } = await signInAlice(site)
  site.now += MINUTE
  await site.post('/api/me/update', { username: ALICE, password }, { token })
  return { token }
}

async function giveSecret(site: CheapSite): Promise<Values> {
  const { token } = await signInAlice(site)
  return { token, ...(await generate(site, token)) }
}

async function switchOn(site: CheapSite): Promise<Values> {
  const values = await giveSecret(site)
  await confirm(site, values['token'] ?? '', values)
  return values
}

/** A fresh secret, in every spelling a row wants, and its codes around now. */
async function generate(site: CheapSite, token: string): Promise<Values> {
  const { data } = await site.post('/api/auth/2fa/generate', undefined, { token })
  const secret = String(data.secret)
  const code = site.code(secret)
  return {
    secret,
    'secret in lower case': secret.toLowerCase(),
    'secret in groups': secret.replace(/(.{4})(?!$)/g, '$1 '),
    code,
    'code without its first digit': code.slice(1),
    'code-2': site.code(secret, -2),
    'code-1': site.code(secret, -1),
    'code+1': site.code(secret, 1),
    'code+2': site.code(secret, 2),
    'code of AAAAAAAA': site.code('AAAAAAAA'),
    'code of AA': site.code('AA'),
  }
}

async function confirm(site: CheapSite, token: string, { code, secret }: Values): Promise<void> {
  const { code: outcome } = await site.post('/api/auth/2fa/verify', { code, secret }, { token })
  if (outcome !== 200) throw new Error('two-step verification is not on')
}

async function addAliceKey(site: CheapSite): Promise<{ token: string }> {
  const { token } = await signInAlice(site)
  await site.post('/api/me/sshkey/add', { title: 'dup', key: ED2 }, { token })
  return { token }
}

/** What forgers make of a genuine token, with our keys and without them. */
async function forgeTokens(token: string): Promise<Values> {
  const ring = await createKeyRing(env.SECRET_KEYS)
  const claims = decodeJwt(token)
  const [, payload = ''] = token.split('.')
  const header = { typ: 'JWT', kid: ring.current.id }
  const session = {
    userId: Number(claims.sub),
    issuedAtSeconds: Number(claims.iat),
    expiresAtSeconds: Number(claims.exp),
  }
  const secret = base64url.decode(env.SECRET_KEYS.split(',')[0] ?? '')
  const sign = (alg: string, key: Uint8Array) =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg }).sign(key)
  return {
    'last character changed': token.slice(0, -1) + (token.endsWith('A') ? 'E' : 'A'),
    'signature removed': token.slice(0, token.lastIndexOf('.') + 1),
    'alg none': `${base64url.encode(JSON.stringify({ ...header, alg: 'none' }))}.${payload}.`,
    'signed, never issued': await signToken(ring, {
      ...session,
      sessionId: 'AAAAAAAAAAAAAAAAAAAAAA',
    }),
    'signed with HS512': await sign('HS512', new Uint8Array([...secret, ...secret])),
    'signed with another secret': await sign('HS256', new Uint8Array(32)),
    'signed again': await signToken(ring, { ...session, sessionId: String(claims.jti) }),
  }
}
