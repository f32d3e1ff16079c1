import type { Child } from 'hono/jsx'
import type { Acting } from '../../../core/access/act-as.ts'
import { sftpAccess } from '../../../core/accounts/file-access.ts'
import type { listKeysWithHelp, SftpHelp } from '../keys.ts'
import { sftpCommand } from '../sftp-command.ts'
import { Change } from '../../../web/kit/confirm.tsx'
import { Alert } from '../../../web/kit/fields.tsx'
import type { Problem } from '../../../web/kit/form.ts'
import { ListHeader } from '../../../web/kit/frames.tsx'
import { Icon } from '../../../web/kit/icons.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { CopyButton } from '../../../web/kit/parts.tsx'
import { Empty, Menu, NEWEST, Row, Rows } from '../../../web/kit/rows.tsx'
import { TimeFact } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'
import { type Closed, ClosedBadge, ClosedNote } from '../../me/pages/closed-credentials.tsx'

type Key = Awaited<ReturnType<typeof listKeysWithHelp>>['keys'][number]

/** Older keys are folded, so that the page of a user with many keys stays short on a phone. */
const SHOWN_KEYS = 10

interface KeysProps extends Closed {
  view: View
  account: Acting
  /** By id. */
  keys: Key[]
  help: SftpHelp
  problem?: Problem | undefined
}

export function KeysPage({ view, account, keys, help, problem, ...closed }: KeysProps) {
  const t = view.t.keys
  const newestFirst = keys.toReversed()
  const newest = newestFirst.slice(0, SHOWN_KEYS)
  const older = newestFirst.slice(SHOWN_KEYS)
  const closedIds = closed.closedKeys.map(({ id }) => id)
  const hasAccess = sftpAccess(account.permission) !== 'none'
  return (
    <AccountPage view={view} title={t.title}>
      <ListHeader
        title={t.title}
        lead={hasAccess ? t.lead : t.leadWithoutAccess}
        add={{ href: '/account/keys/add', label: t.add }}
      >
        {keys.length > 1 && (
          <Menu label={view.t.actionsFor(t.title)}>
            <Change
              view={view}
              label={t.deleteAll}
              question={t.deleteAllQuestion}
              action="/account/keys/delete-all"
              submit={t.deleteAll}
            />
          </Menu>
        )}
      </ListHeader>
      <Alert problem={problem} fields={[]} />
      <ClosedNote view={view} {...closed} />
      {hasAccess ? (
        <Command view={view} username={account.username} help={help} />
      ) : (
        <NoAccess view={view} contact={help.contact} />
      )}
      <KeyRows view={view} keys={newest} closedIds={closedIds} isNewest />
      {older.length > 0 && (
        <details class="older">
          <summary>{t.older(older.length)}</summary>
          <KeyRows view={view} keys={older} closedIds={closedIds} />
        </details>
      )}
    </AccountPage>
  )
}

interface CommandProps {
  view: View
  username: string
  help: SftpHelp
}

/** The command that signs the user in; nothing while the operator has not set the address. */
function Command({ view, username, help }: CommandProps): Child {
  if (help.address === undefined) return null
  return (
    <div class="command">
      <p>{view.t.keys.connect}</p>
      <code id="sftp">{sftpCommand(username, help.address)}</code>
      <CopyButton view={view} from="sftp" />
    </div>
  )
}

/** Says whom to ask for the permission without which no key works. */
function NoAccess({ view, contact }: { view: View; contact: string | undefined }) {
  const t = view.t.keys
  const name = contact?.replace(/^(?:mailto|tel):|^https:\/\//, '').replace(/\?.*/, '')
  return (
    <article class="status warn">
      <Icon name="keys" />
      <div>
        <h2>{t.noAccess}</h2>
        <p>{t.noAccessHint}</p>
      </div>
      {contact !== undefined && <a href={contact}>{name}</a>}
    </article>
  )
}

interface KeyRowsProps {
  view: View
  keys: Key[]
  closedIds: number[]
  isNewest?: boolean
}

function KeyRows({ view, keys, closedIds, isNewest = false }: KeyRowsProps) {
  const t = view.t.keys
  return (
    <Rows
      rows={keys.map((key, place) => (
        <KeyRow
          view={view}
          item={key}
          isClosed={closedIds.includes(key.id)}
          id={isNewest && place === 0 ? NEWEST : undefined}
        />
      ))}
      none={<Empty icon="keys" title={t.none} hint={t.noneHint} />}
    />
  )
}

interface KeyRowProps {
  view: View
  item: Key
  isClosed: boolean
  id: string | undefined
}

function KeyRow({ view, item, isClosed, id }: KeyRowProps) {
  const t = view.t.keys
  return (
    <Row icon="keys" title={item.title} id={id}>
      <p class="facts">
        <ClosedBadge view={view} isClosed={isClosed} />
        <Use view={view} item={item} />
        <TimeFact view={view} at={item.addedAt} phrase={t.added} />
        <span class="minor">
          {item.type}
          {item.type === 'ssh-rsa' && `, ${t.bits(item.bits)}`}
        </span>
      </p>
      <Menu label={view.t.actionsFor(item.title)}>
        <p class="row-note">
          {t.fingerprint} <code>{item.fingerprint}</code>
        </p>
        <Change
          view={view}
          label={t.delete}
          question={t.deleteQuestion(item.title)}
          action="/account/keys/delete"
          values={{ id: item.id }}
          named={item.title}
          submit={t.deleteSubmit}
        />
      </Menu>
    </Row>
  )
}

/** When and from where a key was last used. */
function Use({ view, item }: { view: View; item: Key }) {
  const t = view.t.keys
  if (item.lastUsedAt === item.addedAt) return <span>{t.neverUsed}</span>
  const isKnown = item.lastUsedNetwork !== '' && item.lastUsedNetwork !== 'unknown'
  return (
    <>
      <TimeFact view={view} at={item.lastUsedAt} phrase={t.lastUsed} />
      {isKnown && <span class="minor">{t.usedFrom(item.lastUsedNetwork)}</span>}
    </>
  )
}
