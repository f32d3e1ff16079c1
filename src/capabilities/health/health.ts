import { sql } from 'drizzle-orm'
import journal from '../../../schema/migrations/meta/_journal.json' with { type: 'json' }
import { orUnavailable } from '../../core/database/database.ts'
import { selectMigrations } from '../../core/database/migrations.ts'
import type { Deps } from '../../core/deps.ts'
import { actAsOperator, type Operator } from '../../core/access/operators.ts'
import type { ActorDeps } from '../../core/access/act-as.ts'
import { type FileServerState, readFileServerState } from '../files/state.ts'

/** How long a part may take. An operator should not wait five seconds for each. */
const DEADLINE_MILLISECONDS = 2000

/** The smallest cost of scrypt: the check is whether the hasher answers, not how fast it hashes. */
const TRIAL_COST = { logN: 1, blockSize: 1, parallelism: 1 }

/** The state of one part. The reason of a failure is in the log of that part. */
export interface PartHealth {
  ok: boolean
  milliseconds: number
}

/** The state of the file server behind the site. */
export type FilesHealth = PartHealth & Pick<FileServerState, 'problem' | 'links'>

export type HealthDeps = ActorDeps &
  Pick<Deps, 'kv' | 'hashPassword' | 'fileServer' | 'sendOut' | 'randomBytes'>

/**
 * Checks everything that the service needs, in parallel. The operator's session is checked first,
 * which already needs D1; D1 is measured with one more round trip.
 *
 * @throws {Refusal} `notAdmin`, and those of `actAs`.
 */
export async function checkHealth(deps: HealthDeps, operator: Operator) {
  await actAsOperator(deps, operator, {})
  return checkParts(deps)
}

/** Checks everything that the service needs, for a caller that is an operator. */
export async function checkParts(deps: HealthDeps) {
  const [d1, kv, hasher, migrations, files] = await Promise.all([
    timed(async () => (await deps.db.all(sql`select 1`)).length === 1),
    timed(async () => (await deps.kv.get('health')) === null),
    timed(async () => (await deps.hashPassword('', new Uint8Array(16), TRIAL_COST)).length > 0),
    timed(() => isMigrated(deps)),
    checkFiles(deps),
  ])
  return { d1, kv, hasher, migrations, ...(files !== undefined && { files }) }
}

/** @returns `undefined` where no file server is behind the site. */
async function checkFiles(deps: HealthDeps): Promise<FilesHealth | undefined> {
  const files = deps.fileServer()
  if (files === undefined) return undefined
  const start = performance.now()
  const { problem, links } = await readFileServerState(deps, files, DEADLINE_MILLISECONDS)
  const milliseconds = Math.round(performance.now() - start)
  return { ok: problem === undefined, milliseconds, problem, links }
}

/** @param check Tells whether the part works. When it throws, the part does not work. */
async function timed(check: () => Promise<boolean>): Promise<PartHealth> {
  const start = performance.now()
  const ok = await orUnavailable(check(), DEADLINE_MILLISECONDS).catch(() => false)
  return { ok, milliseconds: Math.round(performance.now() - start) }
}

/** Tells whether every migration of this version is applied, and none of a later one. */
async function isMigrated({ db }: Pick<Deps, 'db'>): Promise<boolean> {
  const known = new Set(journal.entries.map(({ tag }) => `${tag}.sql`))
  const names = new Set(await selectMigrations(db))
  return known.size === names.size && Array.from(known).every((name) => names.has(name))
}
