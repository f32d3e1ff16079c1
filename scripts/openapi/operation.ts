import type * as v from 'valibot'
import type { RefusalName } from '../../src/core/base/refusals.ts'

/**
 * The state before an example; the test that replays the examples has a set-up for each. By
 * default, `alice` is signed in if the endpoint needs a token; otherwise nobody is signed in.
 */
export type Given =
  | 'alice is signed in'
  | 'alice signed in an hour ago'
  | 'alice is signed in twice'
  | 'alice has the key "laptop"'
  | 'alice has 100 keys'
  | 'alice has made 200 changes'
  | 'alice has an app password'
  | 'alice has an app password of another scope'
  | 'the caller has an app password'
  | 'a password alone made what alice has, who uses two-step verification'
  | 'the site demands a second factor, and a password alone made the app password'
  | 'alice has 50 app passwords'
  | 'a server has a service token, alice has an app password'
  | 'alice may use WebDAV and has an app password for files'
  | 'alice may use WebDAV and has an app password for reading files'
  | 'the admin is signed in, alice has an app password'
  | 'alice has a channel'
  | 'alice has a channel and has just tested it'
  | 'the admin is signed in, there is a channel'
  | 'the admin is signed in and has just tested the channel'
  | 'the admin is signed in, there are 20 channels'
  | 'alice was shown a QR code'
  | 'alice uses two-step verification'
  | 'alice keeps files under her name'
  | 'alice has had ten other names'
  | 'alice failed to sign in five times'
  | 'alice entered ten wrong codes'
  | 'the admin is signed in'
  | 'the admin signed in an hour ago'
  | 'root made alice an admin'
  | 'the admin is signed in, there is a group'
  | 'the admin is signed in, a group may write a folder'
  | 'the admin is signed in, alice has the key "laptop"'
  | 'an LDAP door has a service token, alice may use SFTP'
  | 'a server has a service token, alice has the key "laptop" and may use SFTP'
  | 'nobody is signed in'
  | 'nobody is signed in, the guest is enabled'
  | 'nobody is signed in, an administrator set a security contact'
  | 'the session has ended'
  | 'the token has expired'
  | 'the password was changed since'
  | 'the account was disabled since'
  | 'the site demands a second factor, and alice has none'
  | 'the site demands a second factor, alice has only an authenticator app'
  | 'the site demands a second factor, alice has only the passkey "phone"'
  | 'the site demands a second factor, the admin has only an authenticator app'
  | 'the site demands a second factor, and alice did not show hers'
  | 'the admin is signed in, bob was deleted'
  | 'alice is signed in, and the site signs users in to a program'
  | 'alice says no at GitHub'
  | 'GitHub does not answer'
  | 'GitHub refuses the client secret'
  | 'octocat at GitHub is the only way in of alice'
  | 'the body is larger than 64 KiB'
  | 'passkeys are off'
  | 'alice began to add a passkey'
  | 'alice has the passkey "phone"'
  | 'alice has 20 passkeys'
  | 'nobody is signed in, alice answers with her passkey'
  | 'the admin is signed in, alice has the passkey "phone"'
  | 'the admin is signed in, alice is linked with octocat at GitHub'
  | 'the admin is signed in, octocat at GitHub is the only way in of alice'
  | 'nobody is signed in, an administrator set a related origin'
  | 'single sign-on is off'
  | 'single sign-on has no provider'
  | 'GitHub is the provider'
  | 'alice comes back from GitHub'
  | 'alice comes back from GitHub in compatibility mode'
  | 'alice comes back from GitHub to bind her account'
  | 'nobody is signed in, registration is open'
  | 'nobody is signed in, registration is open and ten have registered'
  | 'nobody is signed in, the site sends mail'
  | 'nobody is signed in, alice has a link for a new password'
  | 'alice is signed in, and the site sends mail'
  | 'alice has a confirmed address'
  | 'alice has an address that is not confirmed'
  | 'alice was mailed a link for her address'
  | 'alice was mailed a link for her address, and bob is signed in'
  | 'the admin is signed in, there is an invitation'
  | 'the admin is signed in, bob waits for an approval'
  | 'the database is unavailable'
  | 'no secret is configured'
  | 'a program has a code of alice'
  | 'a program has an access token of alice'
  | 'a program has a token that is not in force'

/** One request and its answer. */
export interface Example {
  given?: Given
  query?: Record<string, string>
  body?: object
  /** Sent in place of a body of JSON. */
  form?: Record<string, string>
  headers?: Record<string, string>
  answer: Answer
}

type Answer =
  | { data: unknown }
  | { refusal: RefusalName; fill?: string }
  /** An answer without an envelope. */
  | { raw: unknown; status?: number }

/** The description of an endpoint: everything that the document can't read from its route. */
export interface Operation {
  summary: string
  description?: string
  /** Schema of `data` on success, or of the whole answer when it has no envelope. */
  schema: v.GenericSchema
  /** Content type of an answer without an envelope. */
  plain?: 'text/plain' | 'text/html' | 'application/json'
  /** The refusal that the guest gets; missing when the guest is served. */
  guest?: RefusalName
  /**
   * What a session may do here without the second factor that the site demands: set up a first one,
   * or everything.
   */
  withoutFactor?: 'to enrol' | 'always'
  /** A credential that the guard does not check. */
  security?: 'token' | 'serviceToken' | 'appPassword' | 'client' | 'accessToken'
  /** Schema of a form, for an endpoint that takes one. */
  form?: v.GenericSchema
  /** A header that the endpoint needs besides `Authorization`. */
  requiredHeader?: string
  /** Further headers that the endpoint reads. */
  headers?: string[]
  /** The parts that the endpoint needs; database and secret by default. */
  needs?: ('database' | 'secret')[]
  /** HTTP status of a successful redirect, which has no body. */
  redirects?: 302
  /** Descriptions of HTTP answers that are neither success nor refusal, by status. */
  otherStatus?: Record<string, string>
  /** Examples by name; `examplesOf` adds those that the route's guard, input and needs imply. */
  examples: Examples
}

/** Implied refusals send the request of `success`. */
export interface Examples {
  success: Example
  [name: string]: Example
}

/** Descriptions by method and path: `POST /api/auth/login`. */
export type Operations = Record<string, Operation>
