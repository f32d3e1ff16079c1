import type * as v from 'valibot'
import type { RefusalName } from '../../src/base/refusals.ts'

/**
 * What holds before an example; the test that replays the examples has a set-up for each. Unless an
 * example says otherwise, `alice` is signed in where a token is needed, and nobody elsewhere.
 */
export type Given =
  | 'alice is signed in'
  | 'alice signed in an hour ago'
  | 'alice is signed in twice'
  | 'alice has the key "laptop"'
  | 'alice has 100 keys'
  | 'alice was shown a QR code'
  | 'alice uses two-step verification'
  | 'alice names files by her name'
  | 'alice failed to sign in five times'
  | 'alice entered ten wrong codes'
  | 'the admin is signed in'
  | 'the admin signed in an hour ago'
  | 'root made alice an admin'
  | 'the admin is signed in, alice has the key "laptop"'
  | 'a server has a service token, alice has the key "laptop" and may use SFTP'
  | 'nobody is signed in'
  | 'nobody is signed in, the guest is enabled'
  | 'nobody is signed in, an operator set a security contact'
  | 'the session has ended'
  | 'the token is older than 48 hours'
  | 'the password was changed since'
  | 'the account was disabled since'
  | 'the body is larger than 64 KiB'
  | 'the database is away'
  | 'no secret is configured'

/** One request and what it is answered. */
export interface Example {
  given?: Given
  query?: Record<string, string>
  body?: object
  answer: Answer
}

type Answer =
  | { data: unknown }
  | { refusal: RefusalName; fill?: string }
  /** Where the answer is no envelope. */
  | { raw: unknown }

/** What the document says of an endpoint beyond what its route says itself. */
export interface Operation {
  summary: string
  description?: string
  /** Of `data` on success, or of the whole answer where that is no envelope. */
  schema: v.GenericSchema
  /** What the answer is when it is no envelope. */
  plain?: 'text/plain' | 'application/json'
  /** The refusal for the guest, where the guest is refused. */
  guest?: RefusalName
  /** A credential that the guard doesn't ask for. */
  security?: 'token' | 'serviceToken'
  /** What there is no answer without; database and secret where nothing is said. */
  needs?: ('database' | 'secret')[]
  /** Where success is no 200; it has no body then. */
  redirects?: 302
  /** HTTP answers that are neither success nor refusal. */
  otherStatus?: Record<string, string>
  /** By name. Those that follow from a route's guard, its input and its needs are added to them. */
  examples: Examples
}

/** What else can go wrong starts from the request that succeeds. */
export interface Examples {
  success: Example
  [name: string]: Example
}

/** By method and path: `POST /api/auth/login`. */
export type Operations = Record<string, Operation>
