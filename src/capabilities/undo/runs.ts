import { pruneDeleted } from '../../core/access/undo.ts'
import type { RunPart } from '../../core/deps.ts'

export const frequent: RunPart = ({ deps, now, batch }) =>
  batch.add({ deleted: pruneDeleted(deps.db, now) })
