import { EVERYTHING } from '../../../core/base/paging.ts'
import { idQuery } from '../../../web/http/input.ts'
import { action } from '../../../web/kit/action.ts'
import { accountOfPage } from '../../../web/kit/admin/user-of-page.ts'
import { Change } from '../../../web/kit/confirm.tsx'
import { Alert } from '../../../web/kit/fields.tsx'
import { problemIn } from '../../../web/kit/form.ts'
import type { PartOfUser, UserPage } from '../../../web/kit/part-of-user.ts'
import { Row, Rows } from '../../../web/kit/rows.tsx'
import { TimeFact } from '../../../web/kit/time.tsx'
import { removeKeys } from '../keys.ts'
import { selectKeys, type StoredKey } from '../store.ts'

export const ofUser: PartOfUser = {
  async remaining({ db }, userId, batch) {
    const { keys } = await batch.add({ keys: selectKeys(db, userId, EVERYTHING) })
    return {
      title: (t) => t.keys.title,
      page: '/account/keys',
      rows: keys.map((key) => (view) => ({
        name: key.title,
        facts: (
          <>
            <p class="facts">
              <TimeFact view={view} at={key.addedAt} phrase={view.t.keys.added} />
            </p>
            <code>{key.fingerprint}</code>
          </>
        ),
      })),
    }
  },
  async section({ db }, userId, batch) {
    const { keys } = await batch.add({ keys: selectKeys(db, userId, EVERYTHING) })
    return (page) => ({
      icon: 'keys',
      title: page.view.t.adminUsers.keys,
      count: keys.length,
      content: <UserKeys {...page} keys={keys} />,
    })
  },
  forms: {
    'delete-key': action({
      reads: idQuery,
      run: (c, { id }) => removeKeys(...accountOfPage(c), id),
      done: 'key-deleted',
    }),
  },
}

/** The SSH keys of a user, for an operator. */
function UserKeys({ view, keys, action: path, refused }: UserPage & { keys: StoredKey[] }) {
  const { adminUsers: t, keys: words } = view.t
  return (
    <>
      <Alert problem={problemIn(refused, 'delete-key')} fields={[]} />
      <Rows
        rows={keys.toReversed().map((key) => (
          <Row icon="keys" title={key.title} level={3}>
            <p class="facts">
              <span>{key.type}</span>
              <TimeFact view={view} at={key.addedAt} phrase={words.added} />
            </p>
            <code>{key.fingerprint}</code>
            <Change
              view={view}
              label={words.delete}
              question={words.deleteQuestion(key.title)}
              action={path('delete-key')}
              values={{ id: key.id }}
              submit={words.deleteSubmit}
            />
          </Row>
        ))}
        none={<p class="hint">{t.noKeys}</p>}
      />
    </>
  )
}
