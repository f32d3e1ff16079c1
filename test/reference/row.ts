import type { Justification } from './justifications.ts'
import type { Request } from './requests.ts'
import type { Given } from './setups.ts'

/** An answer in an envelope; what is left out is not compared. */
interface Enveloped {
  code: number
  message?: string
  /** How the message begins, where its end is a reason of our own. */
  messageStart?: string
  /** Some members of `data`. */
  data?: Record<string, unknown>
  /** How many members `data` has. */
  members?: number
}

/** An answer without an envelope: HTML, plain text, or nothing at all. */
interface Bare {
  http: number
  text?: string
}

export type Outcome = Enveloped | Bare

/** One recorded exchange with the reference, and what we answer to the like of it. */
export interface Row {
  /** `group/name` of the recording. */
  recording: string
  given: Given
  request: Request
  /** What the recording shows. */
  reference: Outcome
  /** What we answer; absent where it is the same. */
  expect?: Outcome
  /** The line of the contract that allows the difference, where there is one. */
  because?: Justification
}

/** Tells whether what we answer is, as far as it is compared, what the reference answered. */
export function isAsRecorded({ reference, expect: ours = reference }: Row): boolean {
  if ('http' in reference || 'http' in ours) {
    if (!('http' in reference && 'http' in ours)) return false
    return ours.http === reference.http && isSame(ours.text, reference.text)
  }
  return (
    ours.code === reference.code &&
    isSame(ours.message, reference.message) &&
    (ours.messageStart === undefined || ours.messageStart === `${reference.message}: `) &&
    ours.members === reference.members &&
    isSame(JSON.stringify(ours.data), JSON.stringify(reference.data))
  )
}

function isSame(ours: string | undefined, theirs: string | undefined): boolean {
  return ours === undefined || ours === theirs
}
