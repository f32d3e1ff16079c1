import { sql } from 'drizzle-orm'
import journal from '../../../schema/migrations/meta/_journal.json' with { type: 'json' }
import { orUnavailable } from '../../core/database/database.ts'
import { selectMigrations } from '../../core/database/migrations.ts'
import type { Deps } from '../../core/deps.ts'
import type { Operator } from '../../core/access/operators.ts'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import { of, read } from '../../core/access/subject.ts'
import { HEALTH_MILLISECONDS, type PartHealth } from '../../core/base/part-health.ts'

/** The smallest cost of scrypt: the check is whether the hasher answers, not how fast it hashes. */
const TRIAL_COST = { logN: 1, blockSize: 1, parallelism: 1 }

export type HealthDeps = ReaderDeps & Pick<Deps, 'kv' | 'hashPassword'>

/** Checks a part that another capability has; `undefined` where the site has none. */
type CheckOther<Other> = () => Promise<Other | undefined>

/**
 * Checks everything that the service needs, in parallel. The operator's session is checked first,
 * which already needs D1; D1 is measured with one more round trip.
 *
 * @throws {Refusal} `notAdmin`, and those of `actAs`.
 */
export async function checkHealth<Other>(
  deps: HealthDeps,
  operator: Operator,
  others: readonly CheckOther<Other>[],
) {
  await read(deps, of(operator), {})
  return checkParts(deps, others)
}

/** Checks everything that the service needs, for a caller that is an operator. */
export async function checkParts<Other>(deps: HealthDeps, others: readonly CheckOther<Other>[]) {
  const [{ d1, migrations }, kv, hasher, ...found] = await Promise.all([
    checkDatabase(deps),
    timed(async () => (await deps.kv.get('health')) === null),
    timed(async () => (await deps.hashPassword('', new Uint8Array(16), TRIAL_COST)).length > 0),
    ...others.map((check) => check()),
  ])
  return { own: { d1, kv, hasher, migrations }, others: found.filter((part) => part !== undefined) }
}

/** @param check Tells whether the part works. When it throws, the part does not work. */
async function timed(check: () => Promise<boolean>): Promise<PartHealth> {
  const start = performance.now()
  const ok = await orUnavailable(check(), HEALTH_MILLISECONDS).catch(() => false)
  return { ok, milliseconds: Math.round(performance.now() - start) }
}

/** Checks D1 and its migrations, in one round trip where both work. */
async function checkDatabase({ db }: Pick<Deps, 'db'>) {
  let names: string[] | undefined
  const migrations = await timed(async () => {
    names = await selectMigrations(db)
    return true
  })
  if (names !== undefined)
    return { d1: migrations, migrations: { ...migrations, ok: areMigrated(names) } }
  // Perhaps their table alone is missing.
  const d1 = await timed(async () => (await db.all(sql`select 1`)).length === 1)
  return { d1, migrations }
}

/** Tells whether every migration of this version is applied, and none of a later one. */
function areMigrated(applied: readonly string[]): boolean {
  const known = new Set(journal.entries.map(({ tag }) => `${tag}.sql`))
  const names = new Set(applied)
  return known.size === names.size && Array.from(known).every((name) => names.has(name))
}
