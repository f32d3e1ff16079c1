import type { RunPart } from '../../core/deps.ts'
import { nearEndParts } from './near-ends.ts'

export const nightly: RunPart = ({ deps, now, batch }) => batch.add(nearEndParts(deps, now))
