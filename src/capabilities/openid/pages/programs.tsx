import type { AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { listAccess, removeAccess } from '../access.ts'
import { parseScope } from '../scopes.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import { Change } from '../../../web/kit/confirm.tsx'
import { Alert } from '../../../web/kit/fields.tsx'
import type { Problem, Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Heading } from '../../../web/kit/parts.tsx'
import { Empty, Row, Rows } from '../../../web/kit/rows.tsx'
import { TimeFact } from '../../../web/kit/time.tsx'
import { readView, type View } from '../../../web/kit/view.ts'

const PATH = '/account/programs'

/** The page of the programs in which the user signs in with this account. */
export const programPages = formsOf(PATH, showPrograms, {
  remove: action({
    run: (c, { id = '' }) => removeAccess(c.get('deps'), sessionOf(c), id),
    done: 'program-removed',
  }),
}).get('/', (c) => showPrograms(c))

async function showPrograms(c: AppContext, refused?: Refused) {
  const { account, programs } = await listAccess(c.get('deps'), sessionOf(c))
  const view = await readView(c, account)
  return showForm(c, ProgramsPage, { view, programs }, refused)
}

type Program = Awaited<ReturnType<typeof listAccess>>['programs'][number]

/** What an app sees, when it last used its access, and since when it has it. */
export function AppFacts({ view, program }: { view: View; program: Program }) {
  const t = view.t.programs
  const { usedAt, givenAt } = program
  const site = siteOf(program.redirectUris)
  const scopes = parseScope(program.scope)
  const sees = scopes.flatMap((scope) => t.seen[scope] ?? [])
  return (
    <p class="facts">
      {site !== undefined && (
        <span>
          <a href={site.origin}>{site.host}</a>
        </span>
      )}
      <TimeFact view={view} at={usedAt} phrase={t.used} none={t.neverUsed} />
      {givenAt !== null && <TimeFact view={view} at={givenAt} phrase={t.given} isMinor />}
      {sees.length > 0 && <span>{t.sees(sees.join(view.t.listSeparator))}</span>}
      {scopes.includes('offline_access') && <span>{t.staysSignedIn}</span>}
    </p>
  )
}

/** Where the app stands on the web; `undefined` for one on a device. */
function siteOf(redirectUris: readonly string[]): URL | undefined {
  return redirectUris.map((uri) => new URL(uri)).find(({ protocol }) => protocol === 'https:')
}

interface ProgramsProps {
  view: View
  programs: Program[]
  problem: Problem | undefined
}

function ProgramsPage({ view, programs, problem }: ProgramsProps) {
  const t = view.t.programs
  return (
    <AccountPage view={view} title={t.title}>
      <Heading title={t.title} lead={t.lead} />
      <Alert problem={problem} fields={[]} />
      <Rows
        rows={programs.map((program) => (
          <Row icon="programs" program={program.name} title={program.name}>
            <AppFacts view={view} program={program} />
            <Change
              view={view}
              label={t.remove}
              question={t.removeQuestion(program.name)}
              action={`${PATH}/remove`}
              values={{ id: program.id }}
              named={program.name}
              submit={t.removeSubmit}
            />
          </Row>
        ))}
        none={<Empty icon="programs" title={t.none} hint={t.noneHint} />}
      />
    </AccountPage>
  )
}
