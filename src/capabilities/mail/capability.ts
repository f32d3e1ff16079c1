import { capability } from '../../web/kit/capability.ts'

export const mail = capability({})
