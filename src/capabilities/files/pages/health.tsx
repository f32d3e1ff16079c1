import { HEALTH_MILLISECONDS } from '../../../core/base/part-health.ts'
import type { Deps } from '../../../core/deps.ts'
import type { CheckedPart } from '../../../web/kit/capability.ts'
import { Row } from '../../../web/kit/rows.tsx'
import { readFileServerState } from '../state.ts'

/** Checks the file server. */
export async function checkFileServer(deps: Deps): Promise<CheckedPart | undefined> {
  const files = deps.fileServer()
  if (files === undefined) return undefined
  const start = performance.now()
  const { problem, links } = await readFileServerState(deps, files, HEALTH_MILLISECONDS)
  const milliseconds = Math.round(performance.now() - start)
  return {
    name: 'files',
    health: { ok: problem === undefined, milliseconds },
    record: { problem: problem ?? null, links },
    title: ({ files: t }) => t.server,
    problem: ({ files: t }) => (problem === undefined ? '' : t.problems[problem]),
    isFair: links === 'refused',
    attention: ({ t }) =>
      links === 'signed' ? undefined : (
        <Row icon="lock" tone="red" level={3} title={t.files.links[links]}>
          <p class="facts">
            <span>{t.files.signAll}</span>
          </p>
        </Row>
      ),
  }
}
