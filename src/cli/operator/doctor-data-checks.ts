import { DEFAULT_SETTINGS } from '../../settings/defaults.ts'
import type { Facts, Finding, SiteData } from './doctor-facts.ts'

/** Judges the data of the database and KV. */
export function judgeData(facts: Facts, data: SiteData): Finding[] {
  return [
    checkAdmins(facts, data),
    checkTwoFactor(data),
    checkGuest(data),
    checkSeeds(facts, data),
    checkTitle(facts, data),
    checkCopy(facts, data),
    checkLeftovers(facts, data),
  ]
}

function checkAdmins(facts: Facts, { admins }: SiteData): Finding {
  const check = 'admins'
  const enabled = admins.filter(({ disabled }) => !disabled)
  const usable = enabled.filter(({ hasPassword }) => hasPassword)
  if (usable.length > 0)
    return { check, status: 'ok', text: `${usable.length} enabled: ${listNames(usable)}` }
  const text =
    enabled.length > 0
      ? 'no enabled admin has a password: nobody can run the site from its pages'
      : 'no admin is enabled: nobody can run the site from its pages'
  return { check, status: 'fail', text, fix: fixForAdmins(facts, admins) }
}

/** Returns the command that lets an admin sign in again. */
function fixForAdmins(facts: Facts, admins: SiteData['admins']): string {
  const passwordless = admins.find(({ disabled }) => !disabled)
  if (passwordless !== undefined)
    return command(facts, `user password ${passwordless.username} --generate`)
  const disabled = admins.find(({ hasPassword }) => hasPassword) ?? admins[0]
  if (disabled !== undefined) return command(facts, `user enable ${disabled.username}`)
  return facts.isRemote ? 'npm run deploy' : 'npm start'
}

function checkTwoFactor({ admins }: SiteData): Finding {
  const check = 'two-step'
  const without = admins.filter(({ disabled, hasTwoFactor }) => !disabled && !hasTwoFactor)
  if (without.length === 0) return { check, status: 'ok', text: 'all enabled admins use it' }
  return {
    check,
    status: 'warn',
    text: `admins without it: ${listNames(without)}`,
    fix: 'each of them switches it on at /account',
  }
}

function checkGuest({ isGuestEnabled }: SiteData): Finding {
  const text = isGuestEnabled
    ? 'enabled: visitors who are not signed in are guests'
    : 'disabled: all users must sign in'
  return { check: 'guest', status: 'ok', text }
}

function checkSeeds({ copyProblem }: Facts, { sealedOut }: SiteData): Finding {
  const check = 'seeds'
  if (sealedOut === undefined)
    return { check, status: 'warn', text: copyProblem ?? 'not checked: there is no secret' }
  if (sealedOut === 0)
    return { check, status: 'ok', text: 'SECRET_KEYS opens every seed of two-step verification' }
  return {
    check,
    status: 'fail',
    text: `${sealedOut} users can't sign in with their codes: no entry of SECRET_KEYS opens their seeds`,
    fix: 'add the old entry to SECRET_KEYS again, at the end',
  }
}

function checkTitle(facts: Facts, { siteTitle = DEFAULT_SETTINGS.site_title }: SiteData): Finding {
  const check = 'site title'
  if (siteTitle !== DEFAULT_SETTINGS.site_title)
    return { check, status: 'ok', text: `"${siteTitle}"` }
  return {
    check,
    status: 'warn',
    text: `still the default "${siteTitle}"; authenticator apps show it`,
    fix: command(facts, 'setting set site_title "<your title>"'),
  }
}

function checkCopy(facts: Facts, { copy }: SiteData): Finding {
  const check = 'settings'
  if (copy === 'equal') return { check, status: 'ok', text: 'the KV copy equals the database' }
  if (copy === 'missing')
    return { check, status: 'ok', text: 'KV has no copy; the next visit creates one' }
  return {
    check,
    status: 'warn',
    text: 'the KV copy differs from the database (normal for a minute after a change)',
    fix: command(facts, 'doctor --fix'),
  }
}

function checkLeftovers({ isRemote }: Facts, { leftovers }: SiteData): Finding {
  const check = 'leftovers'
  if (leftovers === 0) return { check, status: 'ok', text: 'no old expired sessions' }
  const text = `${leftovers} sessions expired more than two days ago`
  // This is normal for a site that is seldom started.
  if (!isRemote) return { check, status: 'ok', text: `${text}; npm start removes them` }
  return {
    check,
    status: 'warn',
    text: `${text}: the nightly run does not work`,
    fix: 'npm run deploy, and npx wrangler tail at 03:17 UTC',
  }
}

function listNames(users: { username: string }[]): string {
  return users.map(({ username }) => username).join(', ')
}

function command({ isRemote }: Facts, words: string): string {
  return `npm run latchkey -- ${words}${isRemote ? ' --remote' : ''}`
}
