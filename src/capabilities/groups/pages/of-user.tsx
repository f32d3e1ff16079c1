import { of, read } from '../../../core/access/subject.ts'
import { selectAllGroupNames } from '../../../core/accounts/groups.ts'
import { GUEST } from '../../../core/accounts/roles.ts'
import { EVERYTHING } from '../../../core/base/paging.ts'
import { actorOf } from '../../../web/http/guard.ts'
import { Field } from '../../../web/kit/fields.tsx'
import { echo } from '../../../web/kit/form.ts'
import type { PartOfUser } from '../../../web/kit/part-of-user.ts'
import { goTo } from '../../../web/kit/view.ts'
import { selectGroups } from '../group-store.ts'
import { addToNamedGroup } from '../members.ts'
import { foldersOfUser } from './admin/folder-props.ts'
import { groupAddress } from './admin/groups.tsx'

export const ofUser: PartOfUser = {
  async section({ db }, userId, batch) {
    const { groups } = await batch.add({ groups: selectGroups(db, userId, EVERYTHING) })
    return ({ view, user }) => {
      const t = view.t.groups
      return {
        icon: 'groups',
        title: t.title,
        ...(groups.length === 0 ? { about: t.inNone } : { count: groups.length }),
        content: (
          <>
            {groups.length > 0 && (
              <ul>
                {groups.map(({ id, name }) => (
                  <li>
                    <a href={groupAddress(id)}>{name}</a>
                  </li>
                ))}
              </ul>
            )}
            <p>
              <a href={foldersOfUser(user.username)}>{t.seenBy(user.username)}</a>
            </p>
          </>
        ),
      }
    }
  },
  selected: {
    group: {
      label: (t) => t.groups.joinSelected,
      question: (t) => t.groups.joinQuestion,
      fits: ({ role }) => role !== GUEST,
      asks: {
        names: ['name'],
        async read(c) {
          const deps = c.get('deps')
          const names = { groups: selectAllGroupNames(deps.db) }
          const { groups } = await read(deps, of(actorOf(c)), names)
          return ({ view: { t }, fields, problem }) => (
            <Field
              name="name"
              label={t.groups.joinGroup}
              hint={t.groups.joinGroupHint}
              value={echo(fields, 'name')}
              problem={problem}
              list={groups.map(({ name }) => name)}
              focus
              spellcheck
            />
          )
        },
      },
      async runAll(c, userIds, { name }) {
        const id = await addToNamedGroup(c.get('deps'), actorOf(c), name, userIds)
        return goTo(c, groupAddress(id), 'group-joined')
      },
    },
  },
}
