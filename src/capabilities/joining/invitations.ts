import { and, lte, sql } from 'drizzle-orm'
import { links } from '../../../schema/tables.ts'
import { groupsNamed, selectOpenFolders } from '../../core/accounts/groups.ts'
import { refuseNameOfFiles } from '../../core/accounts/chosen-names.ts'
import { usualFolder } from '../../core/accounts/usual-folder.ts'
import { givenName, isFreeName } from '../../core/accounts/new-names.ts'
import { selectReservationByProgram } from '../../core/accounts/reserved-names.ts'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import { isActor, type Operator } from '../../core/access/operators.ts'
import { change, type ChangeDeps, of, read } from '../../core/access/subject.ts'
import type { UndoSlot } from '../../core/access/undo-slot.ts'
import { insertEvent, insertEvents } from '../../core/audit/events.ts'
import { boundedWindowOf } from '../../core/base/paging.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Language } from '../../core/base/language.ts'
import { NOBODY } from '../../core/database/user-id.ts'
import type { Deps } from '../../core/deps.ts'
import { getMailSite, type MailSiteDeps } from '../mail/mail-site.ts'
import { linkAddress } from '../mail/message.ts'
import { insertMail } from '../mail/outbox.ts'
import { sealSecret } from '../mail/sealed-secret.ts'
import { hiddenBy } from './hidden-folders.ts'
import {
  countLinks,
  deleteLinks,
  insertEventOfLink,
  insertLink,
  isLinkWithId,
  isMailedInvitation,
  renewLink,
  keepInvitation,
  type NewLink,
  selectLinks,
} from './link-store.ts'
import { endOfLink, type LinkKind, newSecret } from './links.ts'

export interface InvitationRequest {
  name: string
  /** Empty where the user chooses. */
  username: string
  /** Empty for a link that is handed over. */
  email: string
  permission: number
  /** `undefined` for that of `usualFolder`. */
  basePath: string | undefined
  uses: number | undefined
  /** Unix time, milliseconds. */
  endsAt: number | undefined
  accountEndsAt: number | undefined
  accountDays: number | undefined
  /** The names of the groups of each user who uses it. */
  groups: readonly string[]
}

/** An invitation is mailed again at most once in this time. */
const MAILED_AGAIN_MILLISECONDS = 10 * 60 * 1000

/** A link that was made. It is empty when it was mailed: only its reader may have it. */
export interface MadeLink {
  id: number
  link: string
  /** Unix time, milliseconds. */
  endsAt: number
}

/** An invitation that was made. */
export interface MadeInvitation extends MadeLink {
  /** That of its accounts. */
  basePath: string
  /** The uppermost folders of its groups that the base folder hides. */
  hidden: string[]
}

/** The dependencies of a decision that mails. */
export type MailingDeps = MailSiteDeps & Pick<Deps, 'randomBytes' | 'keyRing'>

type InvitationDeps = ChangeDeps & MailingDeps & Pick<Deps, 'fileServer'>

/**
 * Makes an invitation.
 *
 * @param site Where the link leads, when it is handed over.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `mailOff`, `invalidBody`, `groupNotFound`;
 *   `usernameTaken`, `nameReserved` for a fixed name.
 */
export async function createInvitation(
  deps: InvitationDeps,
  operator: Operator,
  request: InvitationRequest,
  { site, language }: { site: string; language: Language },
): Promise<MadeInvitation> {
  const { db } = deps
  const now = deps.now()
  checkInvitation(request, now)
  const { name, username, email, permission, basePath = usualFolder(deps), uses = 1 } = request
  const endsAt = endOfLink('invitation', request.endsAt, now)
  const { secret, tokenHash } = await newSecret(deps)
  if (email !== '') getMailSite(deps)
  const groups = groupsNamed(request.groups)
  const link: NewLink = {
    kind: 'invitation',
    tokenHash,
    createdBy: creatorOf(operator),
    name,
    username,
    email,
    permission,
    basePath,
    accountEndsAt: request.accountEndsAt ?? null,
    accountDays: request.accountDays ?? null,
    groupIds: groups.ids,
    uses,
    createdAt: now,
    endsAt,
  }
  const isFree = username === '' ? undefined : isFreeName(db, givenName(username))
  const mayBeMade = and(isFree, groups.areThere)
  const sealed = email === '' ? '' : await sealSecret(deps, await deps.keyRing(), secret)
  const mail = { kind: 'invitation', userId: null, linkHash: tokenHash, address: email } as const
  const { reserved, unknown, folders, inserted } = await change(
    deps,
    of(operator),
    { kind: 'invitation_made', detail: name, fresh: true },
    ({ by, event }) => ({
      reserved: username === '' ? undefined : selectReservationByProgram(db, username, NOBODY),
      unknown: request.groups.length === 0 ? undefined : groups.selectMissing(db),
      folders: request.groups.length === 0 ? undefined : selectOpenFolders(db, groups),
      event: insertEvent(db, by, event, mayBeMade),
      mail:
        email === ''
          ? undefined
          : insertMail(db, by, { ...mail, language, sealed, expiresAt: endsAt }, now, {
              where: mayBeMade,
            }),
      inserted: insertLink(db, by, link, mayBeMade),
    }),
  )
  const [made] = inserted
  if (unknown !== undefined && unknown.length > 0) throw new Refusal('groupNotFound')
  if (made === undefined) throw new Refusal(reserved?.length ? 'nameReserved' : 'usernameTaken')
  const address = email === '' ? linkAddress(site, secret) : ''
  return { id: made.id, link: address, endsAt, basePath, hidden: hiddenBy(basePath, folders ?? []) }
}

/**
 * Mails an invitation again. The mail has a new link, because the site knows the old one by its
 * hash only: the old one ends, and the new one rests on the operator and lasts as long as the old
 * one was made for, from now on.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `mailOff`; `linkNotFound` for a link that was
 *   not mailed or is used up, `tooManyRequests` within `MAILED_AGAIN_MILLISECONDS`.
 */
export async function mailInvitationAgain(
  deps: InvitationDeps,
  operator: Operator,
  id: number,
  language: Language,
): Promise<void> {
  const { db } = deps
  getMailSite(deps)
  const { secret, tokenHash } = await newSecret(deps)
  const sealed = await sealSecret(deps, await deps.keyRing(), secret)
  const which = isMailedInvitation(id)
  const { now, found, updated } = await change(
    deps,
    of(operator),
    { kind: 'invitation_made', fresh: true },
    ({ now: at, by, event }) => {
      const when = and(which, lte(links.createdAt, at - MAILED_AGAIN_MILLISECONDS))
      const endsAt = sql`(${links.endsAt} - ${links.createdAt} + ${at})`
      const mail = { kind: 'invitation', userId: null, linkHash: tokenHash, sealed } as const
      return {
        found: db.select({ createdAt: links.createdAt }).from(links).where(which),
        event: insertEvents(db, by, event, { detail: links.name }, { from: links, where: when }),
        mail: insertMail(
          db,
          by,
          { ...mail, address: sql`${links.email}`, language, expiresAt: endsAt },
          at,
          { from: sql`${links}`, where: when },
        ),
        updated: renewLink(db, by, { tokenHash, createdBy: creatorOf(operator), at, endsAt }, when),
      }
    },
  )
  if (updated.length > 0) return
  const [link] = found
  if (link === undefined) throw new Refusal('linkNotFound')
  const waits = link.createdAt + MAILED_AGAIN_MILLISECONDS - now
  throw new Refusal('tooManyRequests', { retryAfterSeconds: Math.ceil(waits / 1000) })
}

/** @throws {Refusal} `invalidBody`. */
function checkInvitation(request: InvitationRequest, now: number): void {
  const { username, email, uses = 1, accountEndsAt, accountDays } = request
  refuseNameOfFiles(username)
  if (uses !== 1 && (username !== '' || email !== ''))
    throw new Refusal('invalidBody', { field: 'uses', reason: { code: 'oneUse', values: {} } })
  if (accountEndsAt !== undefined && accountDays !== undefined)
    throw new Refusal('invalidBody', {
      field: 'account_days',
      reason: { code: 'oneEnd', values: {} },
    })
  if (accountEndsAt !== undefined && accountEndsAt <= now)
    throw new Refusal('invalidBody', {
      field: 'account_ends_at',
      reason: { code: 'future', values: {} },
    })
}

/** Returns the maker of a link, on whom it rests: null for the command line. */
export function creatorOf(operator: Operator): NewLink['createdBy'] {
  return isActor(operator) ? operator.userId : null
}

const MAX_LISTED = 100

/**
 * Lists links, the newest first; see `boundedWindowOf`.
 *
 * @throws {Refusal} `notAdmin`.
 */
export async function listLinks(
  deps: ReaderDeps,
  operator: Operator,
  kind: LinkKind | undefined,
  page: number,
  perPage: number,
) {
  const { db } = deps
  const { listed, counted } = await read(deps, of(operator), {
    listed: selectLinks(db, kind, boundedWindowOf(page, perPage, MAX_LISTED), deps.now()),
    counted: countLinks(db, kind),
  })
  return { links: listed, total: counted[0]?.total ?? 0 }
}

/**
 * Withdraws a link.
 *
 * @param slot Where pages keep an invitation, for a while.
 * @throws {Refusal} `notAdmin`, `linkNotFound`.
 */
export async function withdrawLink(
  deps: ChangeDeps,
  operator: Operator,
  id: number,
  slot?: UndoSlot,
): Promise<void> {
  const { db } = deps
  const { deleted } = await change(
    deps,
    of(operator),
    { kind: 'link_withdrawn' },
    ({ by, now, event }) => ({
      ...keepInvitation(db, by, slot, id, now),
      event: insertEventOfLink(db, by, id, event),
      deleted: deleteLinks(db, by, isLinkWithId(id)),
    }),
  )
  if (deleted.length === 0) throw new Refusal('linkNotFound')
}
