import { and, sql } from 'drizzle-orm'
import { checkChosenName, refuseReservedName } from '../../core/accounts/chosen-names.ts'
import { namesInList } from '../../core/accounts/group-lists.ts'
import { groupsNamed } from '../../core/accounts/groups.ts'
import { keptNamesIn, selectKeptNames } from '../../core/accounts/kept-names.ts'
import { usualFolder } from '../../core/accounts/usual-folder.ts'
import {
  isFreeName,
  type NewName,
  nameAndFolder,
  selectTaken,
} from '../../core/accounts/new-names.ts'
import { type AuditEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { type Authority, runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import {
  checkPasswordLength,
  refuseCommonPassword,
  selectCommonPassword,
} from '../../core/passwords/password-rules.ts'
import { hashPassword, staticDigest } from '../../core/passwords/passwords.ts'
import { selectSettings, withAllDefaults } from '../settings/store.ts'
import { openSetting } from '../settings/secret.ts'
import { chargeRequest } from '../../core/throttle/requests.ts'
import { isUsedBy, selectLive, spendLink } from './link-store.ts'
import { type LinkUse, linkUse } from './links.ts'
import {
  hasWaitingRoom,
  type Registrant,
  registrantGroups,
  registrantInsertion,
} from './registration-store.ts'
import { checkHuman } from './turnstile.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

const SETTING_KEYS = [
  'allow_register',
  'register_approval',
  'register_permission',
  'register_base_path',
  'register_days',
  'register_groups',
  'turnstile_site_key',
  'turnstile_secret',
] as const

export interface Registration {
  /** Empty when the invitation fixes it. */
  username: string
  password: string
  /** The secret of a link; empty for an open registration. */
  invitation: string
  /** The answer of the widget; empty without one. */
  turnstile: string
}

type RegistrationDeps = Pick<
  Deps,
  | 'db'
  | 'now'
  | 'randomBytes'
  | 'hashPassword'
  | 'keyRing'
  | 'sendOut'
  | 'turnstileUrl'
  | 'fileServer'
>

/** The fields of a new account, beside its name and its password. */
type Preset = Omit<Registrant, 'username' | 'passwordHash' | 'registeredNetwork'>

/** The name of the new account, and whether an admin has to approve it first. */
interface Registered {
  username: string
  isWaiting: boolean
}

/** The settings of registrations without an invitation. */
export type OpenRegistration = Record<(typeof SETTING_KEYS)[number], string>

/** Reads the settings, once for a request. @throws {Refusal} `registrationOff`. */
export async function readOpenRegistration({ db }: Pick<Deps, 'db'>): Promise<OpenRegistration> {
  const set = withAllDefaults(await selectSettings(db, [...SETTING_KEYS]))
  if (set.allow_register !== 'true') throw new Refusal('registrationOff')
  return set
}

/**
 * Registers a user, with an invitation or without one. The order of the checks is that of their
 * price and of what they tell: whether a name is taken is told only after the limit and Turnstile.
 *
 * @param open What `readOpenRegistration` has returned; `undefined` with an invitation.
 * @throws {Refusal} `linkInvalid`, `tooManyRequests`, `humanCheckFailed`, `humanCheckUnavailable`,
 *   `usernameTaken`, `invalidBody`.
 */
export function register(
  deps: RegistrationDeps,
  request: Registration,
  client: Client,
  open: OpenRegistration | undefined,
): Promise<Registered> {
  return open === undefined
    ? registerInvited(deps, request, client)
    : registerOpenly(deps, open, request, client)
}

async function registerOpenly(
  deps: RegistrationDeps,
  set: OpenRegistration,
  { username, password, turnstile }: Registration,
  client: Client,
): Promise<Registered> {
  const { db } = deps
  checkPasswordLength(password)
  checkChosenName(username)
  await chargeRequest(deps, 'register', client)
  if (set.turnstile_site_key !== '' || set.turnstile_secret !== '')
    await checkHuman(deps, await secretOf(deps, set.turnstile_secret), turnstile, client.network)
  const { basePath, name } = nameAndFolder(
    set.register_base_path || usualFolder(deps),
    username,
    true,
  )
  await refuseTakenName(deps, name, password)
  const now = deps.now()
  const days = Number(set.register_days)
  const isWaiting = set.register_approval === 'true'
  const preset = {
    permission: Number(set.register_permission),
    basePath,
    endsAt: days === 0 ? null : now + days * DAY_MILLISECONDS,
    email: '',
    emailVerified: false,
    waiting: isWaiting,
  }
  const event: AuditEvent = { ...client, at: now, kind: 'registered' }
  const user = await registrantOf(deps, username, password, preset, client)
  const names = namesInList(set.register_groups)
  const groups = { ids: groupsNamed(names).ids, source: 'registration', addedBy: null } as const
  const when = and(isFreeName(db, name), isWaiting ? hasWaitingRoom() : undefined)
  const { inserted, taken } = await runBatch(db, {
    taken: selectTaken(db, name),
    ...registrantInsertion(db, THE_SERVICE, user, event, when),
    ...(names.length > 0 && registrantGroups(db, THE_SERVICE, user, groups, event)),
  })
  const [made] = inserted
  if (made === undefined) throw new Refusal(taken.length > 0 ? 'usernameTaken' : 'tooManyRequests')
  logEvent({ ...event, userId: made.id })
  return { username, isWaiting }
}

async function registerInvited(
  deps: RegistrationDeps,
  { username: chosen, password, invitation }: Registration,
  client: Client,
): Promise<Registered> {
  const { db } = deps
  const use = await linkUse(deps, 'invitation', invitation)
  checkPasswordLength(password)
  // One that is not valid is not counted: nobody guesses one, and any page could send ten for its reader.
  const link = await findInvitation(deps, use)
  await chargeRequest(deps, 'register', client)
  const isFixed = link.username !== ''
  const username = isFixed ? link.username : chosen
  if (!isFixed) checkChosenName(username)
  const { basePath, name } = nameAndFolder(link.basePath, username, !isFixed)
  await refuseTakenName(deps, name, password)
  const now = deps.now()
  const { accountEndsAt, accountDays } = link
  const ofDays = accountDays === null ? null : now + accountDays * DAY_MILLISECONDS
  const preset = {
    permission: link.permission,
    basePath,
    endsAt: accountEndsAt ?? ofDays,
    email: link.email,
    // Only the reader of that address had the link.
    emailVerified: link.email !== '',
    waiting: false,
    invitationId: link.id,
  }
  const event: AuditEvent = {
    ...client,
    at: now,
    kind: 'registered',
    detail: link.name,
    ...(link.createdBy !== null && { actorId: link.createdBy }),
  }
  const user = await registrantOf(deps, username, password, preset, client)
  const by: Authority = isUsedBy(db, use)
  const isFree = isFreeName(db, name)
  const groups = {
    ids: sql`${link.groupIds}`,
    source: 'invitation',
    addedBy: link.createdBy,
  } as const
  const { spent, inserted, taken } = await runBatch(db, {
    taken: selectTaken(db, name),
    spent: spendLink(db, use, now, isFree),
    ...registrantInsertion(db, by, user, event, isFree),
    ...(link.groupIds !== '[]' && registrantGroups(db, by, user, groups, event)),
  })
  const [made] = inserted
  if (made !== undefined) {
    logEvent({ ...event, userId: made.id })
    return { username, isWaiting: false }
  }
  throw new Refusal(spent.length === 0 && taken.length > 0 ? 'usernameTaken' : 'linkInvalid')
}

/** @throws {Refusal} `linkInvalid`. */
async function findInvitation(deps: Pick<Deps, 'db' | 'now'>, { tokenHash }: LinkUse) {
  const [link] = await selectLive(deps.db, tokenHash, deps.now())
  if (link?.kind !== 'invitation') throw new Refusal('linkInvalid')
  return link
}

/** Returns the secret of Turnstile. Without one, nobody is let in. */
async function secretOf(deps: Pick<Deps, 'keyRing'>, sealed: string): Promise<string> {
  if (sealed === '')
    throw new Refusal('humanCheckUnavailable', { detail: 'turnstile_secret is not set' })
  return openSetting(await deps.keyRing(), 'turnstile_secret', sealed)
}

/**
 * Checks what needs the database, before anything is hashed.
 *
 * @throws {Refusal} `usernameTaken`, `invalidBody` for a common password.
 */
async function refuseTakenName(
  { db }: Pick<Deps, 'db'>,
  name: NewName,
  password: string,
): Promise<void> {
  const { kept, taken, common } = await runBatch(db, {
    kept: name.isChosen ? selectKeptNames(db) : undefined,
    taken: selectTaken(db, name),
    common: selectCommonPassword(db, password),
  })
  refuseCommonPassword(common)
  if (kept !== undefined) refuseReservedName(name.username, keptNamesIn(kept))
  if (taken.length > 0) throw new Refusal('usernameTaken')
}

async function registrantOf(
  deps: RegistrationDeps,
  username: string,
  password: string,
  preset: Preset,
  { network }: Client,
): Promise<Registrant> {
  const passwordHash = await hashPassword(deps, await staticDigest(password))
  return { ...preset, username, passwordHash, registeredNetwork: network }
}
