import { sql } from 'drizzle-orm'
import journal from '../../schema/migrations/meta/_journal.json' with { type: 'json' }
import { orUnavailable } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { actAsOperator, type Operator } from '../access/operators.ts'
import type { ActorDeps } from '../access/act-as.ts'
import { selectAccounts } from '../accounts/accounts.ts'

/** Deadline of each check; shorter than that of a request, so that the answer comes soon. */
const DEADLINE_MILLISECONDS = 2000

/** The smallest cost of scrypt: the check is whether the hasher answers, not how fast it hashes. */
const TRIAL_COST = { logN: 1, blockSize: 1, parallelism: 1 }

/** Whether one part works; the answer does not say why it fails. */
export interface PartHealth {
  ok: boolean
  milliseconds: number
}

type HealthDeps = ActorDeps & Pick<Deps, 'kv' | 'hashPassword'>

/**
 * Checks D1, KV, the password hasher and the migrations, all at once. The caller's session is read
 * from D1 first; the figure of D1 is the time of one more round trip.
 *
 * @throws {Refusal} `notAdmin`, and those of `actAs`.
 */
export async function checkHealth(deps: HealthDeps, operator: Operator) {
  await actAsOperator(deps, operator, selectAccounts(deps.db).limit(0))
  const [d1, kv, hasher, migrations] = await Promise.all([
    timed(async () => (await deps.db.all(sql`select 1`)).length === 1),
    timed(async () => (await deps.kv.get('health')) === null),
    timed(async () => (await deps.hashPassword('', new Uint8Array(16), TRIAL_COST)).length > 0),
    timed(() => isMigrated(deps)),
  ])
  return { d1, kv, hasher, migrations }
}

/** @param check Resolves to whether the part works; an error means that it doesn't. */
async function timed(check: () => Promise<boolean>): Promise<PartHealth> {
  const start = performance.now()
  const ok = await orUnavailable(check(), DEADLINE_MILLISECONDS).catch(() => false)
  return { ok, milliseconds: Math.round(performance.now() - start) }
}

/** Tells whether every migration of this version is applied. */
async function isMigrated({ db }: Pick<Deps, 'db'>): Promise<boolean> {
  const applied = await db.all<{ name: string }>(sql`select name from d1_migrations`)
  const names = new Set(applied.map(({ name }) => name))
  return journal.entries.every(({ tag }) => names.has(`${tag}.sql`))
}
