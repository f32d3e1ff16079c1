import type { RunPart } from '../../core/deps.ts'
import { rebuildCopy } from './store.ts'

export const nightly: RunPart = ({ deps }) => rebuildCopy(deps)
