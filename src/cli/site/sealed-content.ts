import * as v from 'valibot'
import type { KeyRing } from '../../crypto/key-ring.ts'
import { SETTINGS } from '../../settings/definitions.ts'

const SECRETS = SETTINGS.filter(({ isSecret }) => isSecret).map(({ key }) => key)

/**
 * What `SECRET_KEYS` seals in the database, but for tokens of the file server, of which this site
 * gets new ones. D1 takes five parts in a union.
 */
const SEALED = [
  { kind: "'seed'", table: 'users', column: 'totp_seed', where: 'totp_seed is not null' },
  { kind: "'signing key'", table: 'openid_keys', column: 'sealed', where: 'true' },
  { kind: "'channel'", table: 'notice_channels', column: 'config', where: 'true' },
  { kind: "'waiting mail'", table: 'mails', column: 'sealed', where: "sealed <> ''" },
  {
    kind: 'key',
    table: 'settings',
    column: 'value',
    where: `key in (${SECRETS.map((key) => `'${key}'`).join(', ')}) and value <> ''`,
  },
] as const

/** How many boxes of a kind one entry of `SECRET_KEYS` has sealed. */
export const sealCountsSchema = v.array(
  v.object({ kind: v.string(), keyId: v.string(), total: v.number() }),
)
export type SealCount = v.InferOutput<typeof sealCountsSchema>[number]

/**
 * Returns the query that counts the boxes by the id of the key that sealed them.
 *
 * @param tables Those that the database has, when it may be of an older version.
 */
export function sealCountQuery(tables?: readonly string[]): string {
  return SEALED.filter(({ table }) => tables?.includes(table) ?? true)
    .map(
      ({ kind, table, column, where }) =>
        `select ${kind} as kind, substr(${column}, 1, instr(${column}, '.') - 1) as keyId, count(*) as total from ${table} where ${where} group by 1, 2`,
    )
    .join(' union all ')
}

/** Sums up the boxes that no entry of `SECRET_KEYS` opens, and those that only an older one opens. */
export function sumSeals(seals: readonly SealCount[], ring: KeyRing) {
  const isLost = ({ keyId }: SealCount) => ring.find(keyId) === undefined
  const isOld = (seal: SealCount) => !isLost(seal) && seal.keyId !== ring.current.id
  return { lost: totals(seals.filter(isLost)), old: totals(seals.filter(isOld)) }
}

/** The number of sealed texts by kind. */
export type SealTotals = Record<string, number>

function totals(seals: readonly SealCount[]): SealTotals {
  const sums: SealTotals = {}
  for (const { kind, total } of seals) sums[kind] = (sums[kind] ?? 0) + total
  return sums
}

/** Such as `2 seeds, 1 channel`; empty for nothing. */
export function listSeals(sums: SealTotals): string {
  return Object.entries(sums)
    .map(([kind, total]) => `${total} ${kind}${total === 1 ? '' : 's'}`)
    .join(', ')
}
