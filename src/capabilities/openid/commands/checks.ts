import { openidClients } from '../../../../schema/tables.ts'
import { nearestIssuer, parseIssuer } from '../../../core/base/issuer.ts'
import { DAY_MILLISECONDS } from '../../../core/base/time.ts'
import { runBatch } from '../../../core/database/statements.ts'
import { failure, type Finding, good, warning } from '../../../programs/kit/findings.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'
import { varsFile } from '../../../programs/site/dev-vars.ts'
import type { Checks, Setup } from '../../../programs/site/in-programs.ts'
import { selectSigningKeys } from '../keys.ts'

export const checks: Checks = {
  async ofData({ db, now }, { isRemote, host, variable }) {
    const {
      clients,
      keys: [newest],
    } = await runBatch(db, {
      clients: db.select({ issuer: openidClients.issuer }).from(openidClients),
      keys: selectSigningKeys(db, now()),
    })
    return judgePrograms({
      isRemote,
      host,
      issuer: variable('ISSUER'),
      issuers: clients.map(({ issuer }) => issuer),
      signingKeyAge: newest && now() - newest.activeFrom,
    })
  },
}

/** Facts about the programs that sign users in through this site. */
export interface ProgramFacts extends Pick<Setup, 'isRemote' | 'host'> {
  /** The variable. */
  issuer: string | undefined
  /** The issuer in the settings of each program; empty for none. */
  issuers: readonly string[]
  /** The age of the newest signing key, milliseconds; absent when there is none. */
  signingKeyAge: number | undefined
}

const MAX_KEY_DAYS = 365

/** Judges nothing while there are no programs. */
export function judgePrograms(facts: ProgramFacts): Finding[] {
  return facts.issuers.length === 0 ? [] : [judgeIssuer(facts), judgeSigningKey(facts)]
}

/** Programs compare the issuer byte by byte with the address in their settings. */
function judgeIssuer(facts: ProgramFacts): Finding {
  const { issuer: set, issuers, host } = facts
  const check = 'issuer'
  if (!set) {
    const named = Array.from(new Set(issuers)).filter((issuer) => issuer !== '')
    const others = named.filter((issuer) => host !== undefined && new URL(issuer).hostname !== host)
    const fix = setIssuer(facts, nearestIssuer(named[0] ?? `https://${host ?? ''}`))
    if (issuers.includes('')) {
      const text = 'ISSUER is empty, and an app takes the address of each request'
      return warning(check, text, fix)
    }
    if (others.length > 0) {
      const text = `ISSUER is empty, apps were told ${others.join(', ')}, and people use ${host}`
      return warning(check, text, fix)
    }
    return good(check, `${named.join(', ')} (ISSUER is empty)`)
  }
  const issuer = parseIssuer(set)
  if (issuer === undefined)
    return failure(
      check,
      `ISSUER is ${set}, which is no origin: no app can sign in`,
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

function setIssuer({ isRemote }: ProgramFacts, address: string): string {
  return `set ISSUER in ${varsFile(isRemote)} to the address that people use, such as ${address}`
}

function judgeSigningKey({ signingKeyAge: age }: ProgramFacts): Finding {
  const check = 'signing key'
  const fix = latchkey('signing-key', 'rotate')
  if (age === undefined) return failure(check, 'there is none: no app can sign in', fix)
  const days = Math.max(0, Math.floor(age / DAY_MILLISECONDS))
  const text = `${days} days old`
  return days > MAX_KEY_DAYS ? warning(check, text, fix) : good(check, text)
}
