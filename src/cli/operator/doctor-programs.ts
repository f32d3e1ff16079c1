import { nearestIssuer, parseIssuer } from '../../base/issuer.ts'
import type { Facts, Finding, SiteData } from './doctor-facts.ts'

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000
const MAX_KEY_DAYS = 365

/** Judges what programs need that sign users in through this site. */
export function checkPrograms(facts: Facts, data: SiteData): Finding[] {
  return data.clients === 0 ? [] : [checkIssuer(facts), checkSigningKey(data)]
}

/** Programs compare the issuer byte by byte with the address in their settings. */
function checkIssuer({ issuer: set, host, isRemote }: Facts): Finding {
  const check = 'issuer'
  if (!set) {
    const text = 'the address of each request'
    return isRemote
      ? {
          check,
          status: 'warn',
          text: `${text}: it differs when the site has two addresses`,
          fix: setIssuer(nearestIssuer(`https://${host ?? ''}`)),
        }
      : { check, status: 'ok', text }
  }
  const issuer = parseIssuer(set)
  if (issuer === undefined)
    return {
      check,
      status: 'fail',
      text: `ISSUER is ${set}, which is no origin: no program can sign in`,
      fix: setIssuer(nearestIssuer(set)),
    }
  if (host !== undefined && new URL(issuer).hostname !== host)
    return {
      check,
      status: 'warn',
      text: `ISSUER is ${issuer}, and people use ${host}`,
      fix: setIssuer(nearestIssuer(`https://${host}`)),
    }
  return { check, status: 'ok', text: issuer }
}

function setIssuer(address: string): string {
  return `set ISSUER in wrangler.toml to the address that people use, such as ${address}`
}

function checkSigningKey({ signingKeyAge: age, isSigningKeySealedOut }: SiteData): Finding {
  const check = 'signing key'
  const fix = 'npm run latchkey -- signing-key rotate'
  if (age === undefined)
    return { check, status: 'fail', text: 'there is none: no program can sign in', fix }
  if (isSigningKeySealedOut)
    return {
      check,
      status: 'fail',
      text: 'no entry of SECRET_KEYS opens it: no program can sign in',
      fix: `${fix} --now`,
    }
  const days = Math.max(0, Math.floor(age / DAY_MILLISECONDS))
  const text = `${days} days old`
  return days > MAX_KEY_DAYS ? { check, status: 'warn', text, fix } : { check, status: 'ok', text }
}
