import type { RunPart } from '../../core/deps.ts'
import { pruneLinks } from './link-store.ts'

export const nightly: RunPart = ({ deps, now, batch }) =>
  batch.add({ links: pruneLinks(deps.db, now) })
