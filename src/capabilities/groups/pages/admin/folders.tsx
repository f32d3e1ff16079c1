import { Change, CONFIRM_FIELDS, ConfirmFields, Press } from '../../../../web/kit/confirm.tsx'
import { Alert, Field } from '../../../../web/kit/fields.tsx'
import { echo, problemIn } from '../../../../web/kit/form.ts'
import { Icon } from '../../../../web/kit/icons.tsx'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { Heading } from '../../../../web/kit/parts.tsx'
import { Empty, Fold, Row, Rows } from '../../../../web/kit/rows.tsx'
import { treeOf } from '../../tree.ts'
import { Check } from './folder-check.tsx'
import { FOLDERS_PATH, type FoldersProps } from './folder-props.ts'
import { Tree } from './folder-tree.tsx'
import { AccessField } from './right-parts.tsx'

/** The folders with rules, for operators: who may do what. */
export function FoldersPage(props: FoldersProps) {
  const { view, rules, hasGuest, hasFiles } = props
  const t = view.t.folders
  const tree = treeOf(rules, hasGuest)
  return (
    <AccountPage view={view} title={t.title}>
      <header class="bar">
        <Heading title={t.title} lead={t.lead} />
        {hasFiles && <NewRight {...props} />}
      </header>
      <Notes {...props} />
      {tree.length > 0 && <Check {...props} />}
      {tree.length > 0 ? (
        <article>
          <Tree {...props} folders={tree} />
        </article>
      ) : hasFiles ? (
        <Empty icon="folders" title={t.none} hint={t.noneHint} />
      ) : (
        <Empty icon="folders" title={t.noFilesTitle} hint={t.noFilesHint} />
      )}
      <Foreign {...props} />
      {hasFiles && tree.length > 0 && <Move {...props} />}
    </AccountPage>
  )
}

/** What keeps rules from doing what they say, for all folders. */
function Notes({ view, rules, hasFiles, hasOpenLinks, there, refused }: FoldersProps) {
  const t = view.t.folders
  if (there === undefined) {
    if (rules.length === 0) return <></>
    return <p class="note">{hasFiles ? t.away : t.noFilesHint}</p>
  }
  const { waiting, underWay, isEnding, secondPaths, signsLinks } = there
  const waits = waiting.length > 0
  return (
    <>
      {(waits || underWay > 0 || isEnding) && (
        <article class="status warn">
          <Icon name="folders" />
          <div>
            <h2>{waits ? t.waiting(waiting.length) : t.attention}</h2>
            {waits && <p>{t.waitingHint}</p>}
            {underWay > 0 && <p>{t.underWay(underWay)}</p>}
            {isEnding && <p>{t.ending}</p>}
          </div>
          <Press
            view={view}
            label={waits ? t.sync : t.again}
            action={`${FOLDERS_PATH}/sync`}
            confirmedAs="sync"
            problem={problemIn(refused, 'sync')}
          />
        </article>
      )}
      {!signsLinks && <p class="note">{hasOpenLinks ? t.openLinks : t.refusedLinks}</p>}
      {secondPaths.length > 0 && (
        <p class="note">{t.secondPaths(secondPaths.join(view.t.listSeparator))}</p>
      )}
    </>
  )
}

/** The users that OpenList has of its own for folders. */
function Foreign({ view, there, refused }: FoldersProps) {
  const t = view.t.folders
  if (there === undefined || there.foreign.length === 0) return <></>
  return (
    <section>
      <h2>{t.foreign}</h2>
      <p class="hint">{t.foreignHint}</p>
      <Rows
        rows={there.foreign.map((path) => (
          <Row icon="folders" tone="amber" level={3} title={path}>
            <Press
              view={view}
              label={t.adopt}
              action={`${FOLDERS_PATH}/adopt`}
              values={{ path }}
              confirmedAs={`adopt-${path}`}
              problem={problemIn(refused, 'adopt', { path })}
            />
          </Row>
        ))}
        none={<></>}
      />
    </section>
  )
}

function NewRight({ view, groups, newFor, refused }: FoldersProps) {
  const t = view.t.folders
  const problem = problemIn(refused, 'add')
  const fields = problem === undefined ? undefined : refused?.fields
  const who = fields === undefined ? newFor : echo(fields, 'who')
  const isUser = who.startsWith('user:')
  return (
    <Change
      view={view}
      id="add"
      label={t.add}
      action={`${FOLDERS_PATH}/add`}
      submit={t.create}
      confirmedAs="add"
      fields={['path', 'who', 'username', 'access']}
      problem={problem}
      isOpen={newFor !== ''}
      isHarmless
      isPrimary
    >
      <Field
        name="path"
        form="add"
        label={t.path}
        hint={t.pathHint}
        value={echo(fields, 'path')}
        problem={problem}
      />
      <Field
        name="who"
        form="add"
        label={t.who}
        options={[
          ['group:user', t.allUsers],
          ['group:guest', t.guests],
          ['user:', t.oneUser],
        ]}
        groups={
          groups.length === 0
            ? []
            : [[view.t.groups.title, groups.map((name) => [`group:${name}`, name])]]
        }
        value={isUser ? 'user:' : who}
        problem={problem}
      />
      <Field
        name="username"
        form="add"
        label={t.checkUser}
        value={echo(fields, 'username') || (isUser ? who.slice('user:'.length) : '')}
        problem={problem}
        optional
      />
      <AccessField
        view={view}
        form="add"
        value={echo(fields, 'access') || 'read'}
        hint={t.addHint}
        problem={problem}
      />
    </Change>
  )
}

function Move({ view, rules, refused }: FoldersProps) {
  const t = view.t.folders
  const problem = problemIn(refused, 'move')
  const fields = problem === undefined ? undefined : refused?.fields
  const paths = Array.from(new Set(rules.map(({ path }) => path)))
  return (
    <Fold icon="folders" title={t.move} open={problem !== undefined}>
      <p class="hint">{t.moveHint}</p>
      <form method="post" action={`${FOLDERS_PATH}/move`}>
        <Alert problem={problem} fields={['path', 'to', ...CONFIRM_FIELDS]} />
        <Field
          name="path"
          form="move"
          label={t.path}
          value={echo(fields, 'path')}
          problem={problem}
          list={paths}
        />
        <Field name="to" form="move" label={t.to} value={echo(fields, 'to')} problem={problem} />
        <ConfirmFields view={view} form="move" problem={problem} />
        <button>{t.moveSubmit}</button>
      </form>
    </Fold>
  )
}
