import * as v from 'valibot'
import { selectSessions } from '../../../core/access/session-store.ts'
import { text } from '../../../core/base/text.ts'
import { action } from '../../../web/kit/action.ts'
import { accountOfPage } from '../../../web/kit/admin/user-of-page.ts'
import { Alert } from '../../../web/kit/fields.tsx'
import { problemIn } from '../../../web/kit/form.ts'
import type { PartOfUser, UserPage } from '../../../web/kit/part-of-user.ts'
import { Row, Rows } from '../../../web/kit/rows.tsx'
import { TimeFact } from '../../../web/kit/time.tsx'
import { selectSettings } from '../../settings/store.ts'
import { endSession } from '../manage.ts'
import type { StoredSession } from '../record.ts'
import { browserOf, deviceIcon } from './device.ts'
import { Methods } from './sessions.tsx'

/**
 * The page lists the latest sessions only; “End all sessions and app passwords” ends the others
 * too.
 */
const MAX_LISTED_SESSIONS = 20

export const ofUser: PartOfUser = {
  async section({ db, now }, userId, batch) {
    const { sessions, limit } = await batch.add({
      sessions: selectSessions(db, userId, now()),
      limit: selectSettings(db, ['max_devices']),
    })
    const maxSessions = Number(limit[0]?.value ?? 0)
    return (page) => ({
      icon: 'sessions',
      title: page.view.t.adminUsers.sessions,
      count: sessions.length,
      ...(maxSessions > 0 && { about: page.view.t.adminUsers.maxSessions(maxSessions) }),
      content: <UserSessions {...page} sessions={sessions} />,
    })
  },
  forms: {
    'end-session': action({
      reads: v.object({ id: text() }),
      run: (c, { id }) => endSession(...accountOfPage(c), id),
      done: 'session-ended',
    }),
  },
}

/** The latest sessions of a user, for an operator. */
function UserSessions(props: UserPage & { sessions: readonly StoredSession[] }) {
  const { view, sessions, refused } = props
  const t = view.t.adminUsers
  const more = sessions.length - MAX_LISTED_SESSIONS
  return (
    <>
      <Alert problem={problemIn(refused, 'end-session')} fields={[]} />
      <Rows
        rows={sessions.slice(0, MAX_LISTED_SESSIONS).map((session) => (
          <Row
            icon={deviceIcon(session.userAgent)}
            title={browserOf(view, session.userAgent)}
            level={3}
          >
            <p class="facts">
              <span>{session.network}</span>
              <TimeFact view={view} at={session.createdAt} phrase={view.t.sessions.since} />
              <Methods view={view} amr={session.amr} />
            </p>
            <form method="post" action={props.action('end-session')}>
              <button class="secondary" name="id" value={session.id}>
                {t.endSession}
              </button>
            </form>
          </Row>
        ))}
        none={<p class="hint">{t.noSessions}</p>}
      />
      {more > 0 && <p class="hint">{t.moreSessions(more)}</p>}
    </>
  )
}
