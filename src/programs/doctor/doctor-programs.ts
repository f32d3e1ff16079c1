import { nearestIssuer, parseIssuer } from '../../core/base/issuer.ts'
import { varsFile } from '../site/dev-vars.ts'
import { failure, type Finding, good, warning } from '../kit/findings.ts'
import type { Facts, SiteData } from './doctor-facts.ts'
import { latchkey } from '../kit/printed-command.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

const MAX_KEY_DAYS = 365

/** Judges what programs need that sign users in through this site. */
export function checkPrograms(facts: Facts, data: SiteData): Finding[] {
  return data.issuers.length === 0 ? [] : [checkIssuer(facts, data), checkSigningKey(data)]
}

/** Programs compare the issuer byte by byte with the address in their settings. */
function checkIssuer(facts: Facts, { issuers }: SiteData): Finding {
  const { issuer: set, host } = facts
  const check = 'issuer'
  if (!set) {
    const told = Array.from(new Set(issuers)).filter((issuer) => issuer !== '')
    const others = told.filter((issuer) => host !== undefined && new URL(issuer).hostname !== host)
    const fix = setIssuer(facts, nearestIssuer(told[0] ?? `https://${host ?? ''}`))
    if (issuers.includes('')) {
      const text = 'ISSUER is empty, and a program takes the address of each request'
      return warning(check, text, fix)
    }
    if (others.length > 0) {
      const text = `ISSUER is empty, programs were told ${others.join(', ')}, and people use ${host}`
      return warning(check, text, fix)
    }
    return good(check, `${told.join(', ')} (ISSUER is empty)`)
  }
  const issuer = parseIssuer(set)
  if (issuer === undefined)
    return failure(
      check,
      `ISSUER is ${set}, which is no origin: no program can sign in`,
      setIssuer(facts, nearestIssuer(set)),
    )
  if (host !== undefined && new URL(issuer).hostname !== host)
    return warning(
      check,
      `ISSUER is ${issuer}, and people use ${host}`,
      setIssuer(facts, nearestIssuer(`https://${host}`)),
    )
  return good(check, issuer)
}

function setIssuer({ isRemote }: Facts, address: string): string {
  return `set ISSUER in ${varsFile(isRemote)} to the address that people use, such as ${address}`
}

function checkSigningKey({ signingKeyAge: age }: SiteData): Finding {
  const check = 'signing key'
  const fix = latchkey('signing-key', 'rotate')
  if (age === undefined) return failure(check, 'there is none: no program can sign in', fix)
  const days = Math.max(0, Math.floor(age / DAY_MILLISECONDS))
  const text = `${days} days old`
  return days > MAX_KEY_DAYS ? warning(check, text, fix) : good(check, text)
}
