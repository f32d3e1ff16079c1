import type { FileServer } from '../../../core/base/file-server.ts'
import type { Deps } from '../../../core/deps.ts'
import type { FileCall, GuardedCall } from '../../../web/kit/file-guard.ts'
import { findDeletable, followMeta, forgetDeleted, mergeMeta } from '../merge.ts'
import type { Meta } from '../metas.ts'

/** OpenList reads other kinds of bodies, too, and their members from the query. */
const AS_UNDERSTOOD = { search: '', headers: { 'Content-Type': 'application/json' } }

/** Guards the calls of admins that write metas. @returns `undefined` for another call. */
export function guardMetas(deps: Deps, files: FileServer, call: FileCall): GuardedCall | undefined {
  const [, name] = /^\/api\/admin\/meta\/(create|update|delete)$/.exec(call.path) ?? []
  if (call.area !== 'api' || call.method !== 'POST') return undefined
  if (name === 'create' || name === 'update') {
    let before: Meta | undefined
    const note = (meta: Meta | undefined) => void (before = meta)
    return {
      admit: () => Promise.resolve(AS_UNDERSTOOD),
      sendMeta: (meta) => mergeMeta(deps, files, name, meta, note),
      // Metas of this site below it say the same.
      answer: async (_, answer) => {
        await followMeta(deps, files, before)
        return answer
      },
    }
  }
  const id = call.query.get('id') ?? ''
  if (name !== 'delete' || !/^[+-]?\d{1,15}$/.test(id)) return undefined
  let deleted: Meta | undefined
  return {
    admit: async () => {
      deleted = await findDeletable(deps, files, Number(id))
      return { search: `?id=${Number(id)}` }
    },
    answer: async (_, answer) => {
      if (deleted !== undefined) await forgetDeleted(deps, files, deleted)
      return answer
    },
  }
}
