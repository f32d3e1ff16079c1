import { Alert, Field } from '../../../../web/kit/fields.tsx'
import { Fold } from '../../../../web/kit/rows.tsx'
import type { View } from '../../../../web/kit/view.ts'
import type { CheckedFolder } from '../../check.ts'
import { isAtOrBelow } from '../../decision.ts'
import type { ListedRule } from '../../rule-store.ts'
import { type CheckProps, FOLDERS_PATH } from './folder-props.ts'
import { AccessBadge, whoIn } from './right-parts.tsx'

/** Asks what a user may do, and answers it folder by folder. */
export function Check({ view, rules, asked, checked, checkProblem }: CheckProps) {
  const t = view.t.folders
  const field = (name: 'user' | 'path', label: string) => ({
    name,
    form: 'check',
    label,
    value: asked[name],
    problem: checkProblem,
  })
  return (
    <Fold
      id="check"
      icon="users"
      title={checked.length > 0 ? view.t.groups.seenBy(asked.user) : t.check}
      open={checked.length > 0 || checkProblem !== undefined}
    >
      <form class="filter wide" method="get" action={`${FOLDERS_PATH}#check`}>
        <Alert problem={checkProblem} fields={['user', 'path']} />
        <Field {...field('user', t.checkUser)} />
        <Field {...field('path', t.checkPath)} hint={t.checkPathHint} optional />
        <button class="secondary">{t.checkSubmit}</button>
      </form>
      {checked.length > 0 && (
        <ul class="rights">
          {checked.map((folder) => (
            <li>
              <div>
                <span>
                  <code>{folder.path}</code>
                  <small>{whyOf(view, folder, rules, asked.user)}</small>
                </span>
                {!folder.reach ? (
                  <span class="badge bad">{t.outOfReach}</span>
                ) : folder.isWay ? (
                  <span class="badge">{t.way}</span>
                ) : (
                  <AccessBadge view={view} access={isCutShort(folder) ? 'read' : folder.access} />
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Fold>
  )
}

/** Whether the rights let a user change files, and the permissions of the account do not. */
function isCutShort({ access, canChange }: CheckedFolder): boolean {
  return access === 'write' && !canChange
}

/** Says why a user may do that at a folder, and what the account lacks for it. */
function whyOf(
  view: View,
  folder: CheckedFolder,
  rules: readonly ListedRule[],
  username: string,
): string {
  const t = view.t.folders
  const sentences = [
    ...reasonsOf(view, folder, rules, username),
    ...(folder.isEnabled ? [] : [t.noAccess]),
  ]
  return sentences.join(view.t.sentenceGap)
}

function reasonsOf(
  view: View,
  folder: CheckedFolder,
  rules: readonly ListedRule[],
  username: string,
): string[] {
  const t = view.t.folders
  const { path, access, rule, reach, isAdmin, otherSpellingOf } = folder
  if (isAdmin) return [t.admins]
  if (!reach) return [t.outOfReachHint(username)]
  const deciding = rules.find(({ id }) => id === rule)
  const closing =
    deciding !== undefined
      ? t.because(whoIn(view, deciding), deciding.path)
      : access === 'none' && rules.some((each) => isAtOrBelow(otherSpellingOf ?? path, each.path))
        ? t.becauseOthers(username)
        : t.becauseNone
  return [
    ...(otherSpellingOf === undefined ? [] : [t.otherSpelling(otherSpellingOf)]),
    closing,
    ...(isCutShort(folder) ? [t.noBits] : []),
  ]
}
