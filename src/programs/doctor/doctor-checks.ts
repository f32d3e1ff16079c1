import { reasonIn } from '../kit/command-error.ts'
import { freshSecondsOf, tokenSecondsOf } from '../../core/deps.ts'
import { varsFile } from '../site/dev-vars.ts'
import { failure, type Finding, good, warning } from '../kit/findings.ts'
import { laterMigrations } from '../site/site-config.ts'
import type { Facts } from './doctor-facts.ts'
import type { PlainHttp } from './plain-http.ts'
import { latchkey } from '../kit/printed-command.ts'

/** A stolen token is valid this long, so a longer time is a warning. */
const MAX_SANE_TOKEN_SECONDS = 30 * 24 * 60 * 60

/** Judges how a site is set up; returns one finding per check. */
export function judgeSetup(facts: Facts): Finding[] {
  return [
    checkSecret(facts),
    checkTokenHours(facts),
    checkFreshMinutes(facts),
    checkCron(facts),
    checkMigrations(facts),
    ...checkPlainHttp(facts),
  ]
}

function checkSecret({ isRemote, secretProblem, copyProblem }: Facts): Finding {
  const check = 'secret'
  if (secretProblem !== undefined)
    return failure(
      check,
      secretProblem,
      isRemote ? 'npm run deploy' : 'npm start creates one when .dev.vars is missing',
    )
  if (copyProblem !== undefined) return warning(check, copyProblem)
  return good(check, 'SECRET_KEYS is set')
}

function checkTokenHours({ tokenHours, isRemote }: Facts): Finding {
  const check = 'token hours'
  const fix = `set TOKEN_HOURS in ${varsFile(isRemote)}; 48 is recommended`
  try {
    const seconds = tokenSecondsOf(tokenHours)
    const isSane = seconds <= MAX_SANE_TOKEN_SECONDS
    const text = `a sign-in lasts ${seconds / 3600} hours`
    return isSane ? good(check, text) : warning(check, text, fix)
  } catch (error) {
    return failure(check, reasonIn(error), fix)
  }
}

function checkFreshMinutes({ freshMinutes, isRemote }: Facts): Finding {
  const check = 'fresh minutes'
  const fix = `set FRESH_MINUTES in ${varsFile(isRemote)}; 10 is recommended`
  try {
    const seconds = freshSecondsOf(freshMinutes)
    if (seconds !== 'always') return good(check, `a session is fresh for ${seconds / 60} minutes`)
    const text = 'FRESH_MINUTES is 0: a thief with a stolen session can take over the account'
    return warning(check, text, fix)
  } catch (error) {
    return failure(check, reasonIn(error), fix)
  }
}

function checkCron({ crons }: Facts): Finding {
  const check = 'nightly run'
  if (crons.length > 0) return good(check, `configured: ${crons.join(', ')}`)
  return failure(
    check,
    'wrangler.toml has no cron trigger: expired data is never deleted',
    'put crons = ["17 3 * * *"] under [triggers] in wrangler.toml',
  )
}

function checkMigrations({ isRemote, migrations: { known, applied } }: Facts): Finding {
  const check = 'migrations'
  const pending = known.filter((name) => !applied.includes(name))
  if (pending.length > 0)
    return failure(
      check,
      `not applied: ${pending.join(', ')}`,
      isRemote ? 'npm run deploy' : 'npm start',
    )
  const unknown = laterMigrations(known, applied)
  if (unknown.length > 0)
    return failure(
      check,
      `the database is newer than this copy, by ${unknown.join(', ')}`,
      'git pull',
    )
  return good(check, `all ${known.length} are applied`)
}

const PLAIN_HTTP: Record<PlainHttp, Omit<Finding, 'check'>> = {
  refused: { status: 'ok', text: 'the site refuses plain http' },
  silent: { status: 'ok', text: 'nothing answers' },
  unknown: {
    status: 'warn',
    text: 'not checked: wrangler.toml names no custom domain',
    fix: latchkey('doctor', '--remote', '--url', 'https://ADDRESS-OF-THE-SITE'),
  },
  answered: {
    status: 'fail',
    text: 'the site answers over plain http: others on the network can read passwords',
    fix: 'npm run deploy; and remove ALLOW_HTTP from the variables of the Worker',
  },
}

function checkPlainHttp({ plainHttp }: Facts): Finding[] {
  return plainHttp === undefined ? [] : [{ check: 'plain http', ...PLAIN_HTTP[plainHttp] }]
}
