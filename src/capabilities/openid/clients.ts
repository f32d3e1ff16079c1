import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import { change, type ChangeDeps, of, read } from '../../core/access/subject.ts'
import type { UndoSlot } from '../../core/access/undo-slot.ts'
import { insertEvent } from '../../core/audit/events.ts'
import { toHex } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import { and, exists, notExists } from 'drizzle-orm'
import {
  canBecome,
  type ClientFields,
  deleteClientRow,
  differs,
  endLostGrants,
  insertClient,
  keepClient,
  type OpenidClient,
  selectClient,
  selectClientNamed,
  selectClients,
  updateClient,
  updateSecret,
} from './client-store.ts'
import { hashSecret, newSecret } from './handles.ts'
import { ensureKey } from './keys.ts'

const ID_BYTES = 12
/** Lets scanners of public code recognise the secret. */
const PREFIX = 'lks_'

type ClientDeps = ChangeDeps &
  Pick<Deps, 'randomBytes' | 'keyRing' | 'makeSigningKey' | 'kv' | 'isolateMemory'>

export interface NewClient extends Pick<
  OpenidClient,
  'name' | 'redirectUris' | 'firstParty' | 'adminsOnly'
> {
  /** The issuer in its settings. At another address it gets no code, unless `ISSUER` is set. */
  issuer?: string
  postLogoutUris?: string[]
  logoutUri?: string
  isPublic?: boolean
  emailInIdToken?: boolean
}

/**
 * Registers a client, and makes the first signing key of the site.
 *
 * @returns The `client_id`, and the secret, which is not stored; no secret for a public client.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `clientNameTaken`.
 */
export async function addClient(
  deps: ClientDeps,
  operator: Operator,
  request: NewClient,
): Promise<{ clientId: string; secret: string | undefined }> {
  const { db } = deps
  const { isPublic = false, ...given } = request
  const secret = isPublic ? undefined : PREFIX + newSecret(deps)
  const client: OpenidClient = {
    postLogoutUris: [],
    logoutUri: '',
    issuer: '',
    emailInIdToken: false,
    ...given,
    id: toHex(deps.randomBytes(ID_BYTES)),
    secretHash: secret === undefined ? null : await hashSecret(secret),
    createdAt: deps.now(),
  }
  const { inserted } = await change(
    deps,
    of(operator),
    { kind: 'client_added', detail: client.name, fresh: true },
    ({ by, event }) => ({
      event: insertEvent(db, by, event, notExists(selectClientNamed(db, client.name))),
      inserted: insertClient(db, by, client),
    }),
  )
  if (inserted.length === 0) throw new Refusal('clientNameTaken')
  await ensureKey(deps)
  return { clientId: client.id, secret }
}

/** @throws {Refusal} `notAdmin`. */
export async function listClients(deps: ReaderDeps, operator: Operator): Promise<OpenidClient[]> {
  const { clients } = await read(deps, of(operator), { clients: selectClients(deps.db) })
  return clients
}

/**
 * @param nameOrId The name of a client, or its `client_id`.
 * @throws {Refusal} `notAdmin`, `clientNotFound`.
 */
export async function getClient(
  deps: ReaderDeps,
  operator: Operator,
  nameOrId: string,
): Promise<OpenidClient> {
  const { named, found } = await read(deps, of(operator), {
    named: selectClientNamed(deps.db, nameOrId),
    found: selectClient(deps.db, nameOrId),
  })
  // An operator may name a program like the id of another one.
  const [client] = [...found, ...named]
  if (client === undefined) throw new Refusal('clientNotFound')
  return client
}

/**
 * Changes the name, the addresses and the options of a client, which keeps its id and its secret.
 * What it may no longer have ends at once (`endLostGrants`).
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `clientNotFound`, `clientNameTaken`.
 */
export async function changeClient(
  deps: ChangeDeps,
  operator: Operator,
  { id, name }: Pick<OpenidClient, 'id' | 'name'>,
  fields: ClientFields,
): Promise<void> {
  const { db } = deps
  const detail = fields.name === name ? name : `${name} → ${fields.name}`
  const when = canBecome(db, id, fields)
  const { updated, found } = await change(
    deps,
    of(operator),
    { kind: 'client_changed', detail, fresh: true },
    ({ by, event }) => ({
      event: insertEvent(db, by, event, and(when, differs(db, id, fields))),
      ended: endLostGrants(db, by, id, fields, when),
      updated: updateClient(db, by, id, fields, when),
      found: selectClient(db, id),
    }),
  )
  if (found.length === 0) throw new Refusal('clientNotFound')
  if (updated.length === 0) throw new Refusal('clientNameTaken')
}

/**
 * Replaces the secret of a client. The old one ends at once.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `clientNotFound` for a public client as well.
 */
export async function replaceSecret(
  deps: ClientDeps,
  operator: Operator,
  { id, name }: OpenidClient,
): Promise<string> {
  const { db } = deps
  const secret = PREFIX + newSecret(deps)
  const secretHash = await hashSecret(secret)
  const { updated } = await change(
    deps,
    of(operator),
    { kind: 'client_secret_made', detail: name, fresh: true },
    ({ by, event }) => ({
      event: insertEvent(db, by, event, exists(selectClient(db, id))),
      updated: updateSecret(db, by, id, secretHash),
    }),
  )
  if (updated.length === 0) throw new Refusal('clientNotFound')
  return secret
}

/**
 * Deletes a client, and everything that it got.
 *
 * @param slot Where pages keep the client, without what it got, for a while.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `clientNotFound`.
 */
export async function deleteClient(
  deps: ClientDeps,
  operator: Operator,
  { id, name }: OpenidClient,
  slot?: UndoSlot,
): Promise<void> {
  const { db } = deps
  const { deleted } = await change(
    deps,
    of(operator),
    { kind: 'client_deleted', detail: name, fresh: true },
    ({ by, now, event }) => ({
      ...keepClient(db, by, slot, id, now),
      event: insertEvent(db, by, event, exists(selectClient(db, id))),
      deleted: deleteClientRow(db, by, id),
    }),
  )
  if (deleted.length === 0) throw new Refusal('clientNotFound')
}
