import { DEFAULT_SETTINGS } from '../../capabilities/settings/defaults.ts'
import { failure, type Finding, good, warning } from '../kit/findings.ts'
import type { Facts, SiteData } from './doctor-facts.ts'
import { listSeals } from '../site/sealed-content.ts'
import { latchkey, latchkeyOn, userWord } from '../kit/printed-command.ts'

/** Judges the data of the database and KV. */
export function judgeData(facts: Facts, data: SiteData): Finding[] {
  return [
    checkAdmins(facts, data),
    checkTwoFactor(facts, data),
    ...checkClosed(data),
    checkGuest(data),
    checkSeals(facts, data),
    checkTitle(facts, data),
    checkCopy(facts, data),
    checkLeftovers(facts, data),
    ...checkNetworks(facts, data),
  ]
}

function checkAdmins(facts: Facts, { admins }: SiteData): Finding {
  const check = 'admins'
  const enabled = admins.filter(({ disabled }) => !disabled)
  const usable = enabled.filter(({ hasPassword }) => hasPassword)
  if (usable.length > 0) return good(check, `${usable.length} enabled: ${listNames(usable)}`)
  const text =
    enabled.length > 0
      ? 'no enabled admin has a password: nobody can run the site from its pages'
      : 'no admin is enabled: nobody can run the site from its pages'
  return failure(check, text, fixForAdmins(facts, admins))
}

/** Returns the command that lets an admin sign in again. */
function fixForAdmins(facts: Facts, admins: SiteData['admins']): string {
  const passwordless = admins.find(({ disabled }) => !disabled)
  if (passwordless !== undefined)
    return latchkeyOn(facts, 'user', 'password', userWord(passwordless), '--generate')
  const disabled = admins.find(({ hasPassword }) => hasPassword) ?? admins[0]
  if (disabled !== undefined) return latchkeyOn(facts, 'user', 'enable', userWord(disabled))
  return facts.isRemote ? 'npm run deploy' : 'npm start'
}

function checkTwoFactor(facts: Facts, { admins, requirement, lacking }: SiteData): Finding {
  const check = 'two-step'
  const without = admins.filter(({ disabled, hasFactor }) => !disabled && !hasFactor)
  if (lacking.length > 0)
    return warning(
      check,
      `require_second_factor is ${requirement}, and these may only add a second factor: ${shortList(lacking)}`,
      `each of them adds a passkey or an authenticator app at /account; ${latchkeyOn(facts, 'user', 'list', '--without-2fa')}`,
    )
  if (without.length === 0) return good(check, 'all enabled admins have a second factor')
  return warning(
    check,
    `admins without a second factor: ${listNames(without)}`,
    'each of them adds a passkey or an authenticator app at /account',
  )
}

/** Says what the demand for a second factor has closed. */
function checkClosed({ requirement, closed }: SiteData): Finding[] {
  if (closed === 0) return []
  const text = `require_second_factor is ${requirement}: app passwords and SSH keys that a password alone has made open nothing: ${closed}`
  return [warning('credentials', text, 'their owners keep them at /account/security')]
}

const MAX_NAMES = 5

function shortList(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : ''
  return `${names.slice(0, MAX_NAMES).join(', ')}${more}`
}

function checkGuest({ isGuestEnabled }: SiteData): Finding {
  const text = isGuestEnabled
    ? 'enabled: visitors who are not signed in are guests'
    : 'disabled: all users must sign in'
  return good('guest', text)
}

/** Rotation ends when nothing is left under an older entry, so what is left is counted. */
function checkSeals({ copyProblem }: Facts, { seals }: SiteData): Finding {
  const check = 'sealed'
  if (seals === undefined) return warning(check, copyProblem ?? 'not checked: there is no secret')
  const { lost, old } = seals
  const [lostList, oldList] = [listSeals(lost), listSeals(old)]
  if (lostList !== '') {
    const text = `no entry of SECRET_KEYS opens ${lostList}`
    const renewed =
      lost['signing key'] === undefined ? '' : `; ${latchkey(...RENEW_KEY)} if it is lost`
    return failure(check, text, `add the old entry to SECRET_KEYS again, at the end${renewed}`)
  }
  const text =
    oldList === ''
      ? 'the first entry of SECRET_KEYS opens everything'
      : `an older entry of SECRET_KEYS is still needed for ${oldList}; ${latchkey('secrets', 'reseal')} ends that`
  return good(check, text)
}

const RENEW_KEY = ['signing-key', 'rotate', '--now'] as const

function checkTitle(facts: Facts, { siteTitle = DEFAULT_SETTINGS.site_title }: SiteData): Finding {
  const check = 'site title'
  if (siteTitle !== DEFAULT_SETTINGS.site_title) return good(check, `"${siteTitle}"`)
  return warning(
    check,
    `still the default "${siteTitle}"; authenticator apps show it`,
    latchkeyOn(facts, 'setting', 'set', 'site_title', 'Your title'),
  )
}

function checkCopy(facts: Facts, { copy }: SiteData): Finding {
  const check = 'settings'
  if (copy === 'equal') return good(check, 'the KV copy equals the database')
  if (copy === 'missing') return good(check, 'KV has no copy; the next visit creates one')
  return warning(
    check,
    'the KV copy differs from the database (normal for a minute after a change)',
    latchkeyOn(facts, 'doctor', '--fix'),
  )
}

function checkLeftovers({ isRemote }: Facts, { leftovers }: SiteData): Finding {
  const check = 'leftovers'
  if (leftovers === 0) return good(check, 'no old expired sessions')
  const text = `${leftovers} sessions expired more than two days ago`
  // This is normal for a site that is seldom started.
  if (!isRemote) return good(check, `${text}; npm start removes them`)
  return warning(
    check,
    `${text}: the nightly run does not work`,
    'npm run deploy, and npx wrangler tail at 03:17 UTC',
  )
}

/** So many users with one private address are behind one machine: a port proxy, or a proxy. */
const MIN_USERS = 3
/** Loopback, and the networks of RFC 1918 and RFC 4193: gateways of Docker have these. */
const PRIVATE_NETWORK =
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|f[cd][\da-f]{2}:)/

/**
 * Finds out whether a machine in front hides the networks of clients. All of them share one limit
 * then: one who guesses passwords locks everybody out.
 */
function checkNetworks({ isRemote }: Facts, { signIns }: SiteData): Finding[] {
  const [network = '', ...others] = new Set(signIns.map((signIn) => signIn.network))
  const users = new Set(signIns.map((signIn) => signIn.userId))
  if (isRemote || others.length > 0 || users.size < MIN_USERS) return []
  if (!PRIVATE_NETWORK.test(network)) return []
  return [
    warning(
      'networks',
      `all ${signIns.length} sign-ins of ${users.size} users came from ${network}: if people are on other machines, one who guesses passwords locks everybody out`,
      'put a proxy in front that tells the address of the client, and set BEHIND_PROXY and TRUSTED_PROXIES (docs/self-hosting.md)',
    ),
  ]
}

function listNames(users: { username: string }[]): string {
  return users.map(({ username }) => username).join(', ')
}
