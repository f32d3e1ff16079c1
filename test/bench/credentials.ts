import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import { randomBytes } from '../../src/core/deps.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { of } from '../../src/core/access/subject.ts'
import { createAppPassword } from '../../src/capabilities/app-passwords/app-passwords.ts'
import type { Effort } from './compare.ts'
import { send, signInOf, tokenIn } from './client.ts'
import { type Load, load, type Request } from './load.ts'
import { PASSWORD, type Sites } from './sites.ts'
import { type Figure, figureOf } from './statistics.ts'

const CONNECTIONS = 8
/** A check of a password keeps a core busy. */
const PASSWORD_CONNECTIONS = 2
/** So few checks of a password fit into a round that its rounds are longer. */
const PASSWORD_PATIENCE = 5
const USERNAME = 'user9'

/** Two ways of showing who one is, at one endpoint. */
export interface CredentialFigure {
  name: string
  perSecond: { other: Figure; appPassword: Figure }
  /** Of the throughput with an app password over that with the other credential, in the same round. */
  ratio: Figure
  /** Of the CPU time of workerd: other credential over app password. Other programs disturb it less. */
  cpuRatio: Figure
}

function me(token: string): Request {
  return { method: 'GET', path: '/api/me', token }
}

/** Loads endpoints with an app password and, in the same rounds, with a session or a password. */
export async function compareCredentials(
  sites: Sites,
  name: string,
  { rounds, seconds }: Effort,
): Promise<CredentialFigure[]> {
  const url = sites.url(name)
  const d1 = await sites.database(name)
  await d1.prepare('update users set permission = 65535 where username = ?').bind(USERNAME).run()
  const user = await d1
    .prepare('select id from users where username = ?')
    .bind(USERNAME)
    .first<{ id: number }>()
  const deps = {
    db: openDatabase(d1, createMeter()),
    now: Date.now,
    randomBytes,
    defer: () => undefined,
    freshSeconds: () => 'always' as const,
  }
  const wish = { name: 'bench', scopes: 'files:read account:read', expiresAt: null }
  const { token } = await createAppPassword(deps, of(COMMAND_LINE, user?.id ?? 0), wish)
  const service = (await addServiceToken(deps, 'bench', 'sftp')) ?? ''
  const session = tokenIn(await send(url, signInOf(USERNAME)))
  const external = (password: string): Request => ({
    method: 'POST',
    path: '/api/sftp/external_auth',
    token: `Bearer ${service}`,
    body: { username: USERNAME, password, protocol: 'DAV', ip: '192.0.2.1' },
  })
  const pairs = [
    { name: 'me', other: me(session), own: me(token), isHashed: false },
    { name: 'external_auth', other: external(PASSWORD), own: external(token), isHashed: true },
  ]
  const figures: CredentialFigure[] = []
  for (const pair of pairs) {
    const [others, owns]: [Load[], Load[]] = [[], []]
    for (let round = -1; round < rounds; round++) {
      const patience = pair.isHashed ? PASSWORD_PATIENCE : 1
      const connections = pair.isHashed ? PASSWORD_CONNECTIONS : CONNECTIONS
      const pressure = { seconds: seconds * patience, connections, pid: sites.pid }
      const other = await load(url, pair.other, pressure)
      const own = await load(url, pair.own, { seconds, connections: CONNECTIONS, pid: sites.pid })
      // The first round warms up.
      if (round < 0) continue
      others.push(other)
      owns.push(own)
    }
    figures.push({
      name: pair.name,
      perSecond: {
        other: figureOf(others.map(({ perSecond }) => perSecond)),
        appPassword: figureOf(owns.map(({ perSecond }) => perSecond)),
      },
      ratio: ratioOf(owns, others, ({ perSecond }) => perSecond),
      cpuRatio: ratioOf(others, owns, ({ cpuMicroseconds = NaN }) => cpuMicroseconds),
    })
  }
  return figures
}

function ratioOf(above: Load[], below: Load[], figure: (load: Load) => number): Figure {
  return figureOf(
    above.map((one, round) => {
      const other = below[round]
      return other === undefined ? NaN : figure(one) / figure(other)
    }),
  )
}

function number({ median }: Figure, digits = 0): string {
  return median.toFixed(digits)
}

export function toCredentialTable(figures: CredentialFigure[]): string {
  return [
    '| endpoint | with a session or a password, per second | with an app password | ratio (median) | ratio of CPU time |',
    '|---|---|---|---|---|',
    ...figures.map(
      ({ name, perSecond, ratio, cpuRatio }) =>
        `| ${name} | ${number(perSecond.other, 1)} | ${number(perSecond.appPassword)} | ${number(ratio, 2)} | ${number(cpuRatio, 2)} |`,
    ),
  ].join('\n')
}
