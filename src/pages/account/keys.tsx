import type { listKeys } from '../../ssh-keys/keys.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../confirm.tsx'
import { echo, type Fields, type Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert, Confirm, Empty, Field, Time } from '../parts.tsx'
import type { View } from '../view.ts'

type Key = Awaited<ReturnType<typeof listKeys>>['keys'][number]

interface KeysProps {
  view: View
  keys: Key[]
  /** The values of a refused form. */
  fields?: Fields | undefined
  problem?: Problem | undefined
}

export function KeysPage({ view, keys, fields, problem }: KeysProps) {
  const t = view.t.keys
  return (
    <AccountPage view={view} title={t.title}>
      <hgroup>
        <h1>{t.title}</h1>
        <p>{t.lead}</p>
      </hgroup>
      {keys.length === 0 ? (
        <Empty icon="keys" title={t.none} hint={t.noneHint} />
      ) : (
        <ul class="rows">
          {keys.map((key) => (
            <KeyRow view={view} item={key} />
          ))}
        </ul>
      )}
      {keys.length > 1 && (
        <Confirm label={t.deleteAll} question={t.deleteAllQuestion}>
          <form method="post" action="/account/keys/delete-all">
            <button class="danger">{t.deleteAll}</button>
          </form>
        </Confirm>
      )}
      <article>
        <h2>{t.addTitle}</h2>
        <form method="post" action="/account/keys/add">
          <Alert problem={problem} fields={['title', 'key', ...CONFIRM_FIELDS]} />
          <Field
            name="title"
            label={t.keyTitle}
            hint={t.keyTitleHint}
            value={echo(fields, 'title')}
            problem={problem}
            spellcheck
          />
          <Field
            name="key"
            label={t.key}
            hint={t.keyHint}
            value={echo(fields, 'key')}
            problem={problem}
            rows={4}
          />
          <ConfirmFields view={view} form="add" problem={problem} />
          <button>{t.submit}</button>
        </form>
      </article>
    </AccountPage>
  )
}

function KeyRow({ view, item }: { view: View; item: Key }) {
  const t = view.t.keys
  return (
    <li>
      <h2>{item.title}</h2>
      <p class="facts">
        <span>{item.type}</span>
        <span>{t.bits(item.bits)}</span>
        <span>
          {t.added} <Time view={view} at={item.addedAt} />
        </span>
        <span>
          {item.lastUsedAt === item.addedAt ? (
            t.neverUsed
          ) : (
            <>
              {t.lastUsed} <Time view={view} at={item.lastUsedAt} />
            </>
          )}
        </span>
      </p>
      <code>{item.fingerprint}</code>
      <Confirm label={t.delete} question={t.deleteQuestion(item.title)}>
        <form method="post" action="/account/keys/delete">
          <button class="danger" name="id" value={String(item.id)}>
            {t.deleteSubmit}
          </button>
        </form>
      </Confirm>
    </li>
  )
}
