import type { AccountColumn } from '../../core/access/actor-queries.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import type { Deps } from '../../core/deps.ts'

/** A request that goes to the file server for a user, as far as its text goes. */
export interface FileCall {
  /** `raw` for a file in a share alone: other files have a signature. */
  area: 'api' | 'dav' | 'raw'
  method: string
  /** Decoded once, with a character for each byte. */
  path: string
  query: URLSearchParams
  /** Those that are sent. `Destination` is an encoded path at the file server. */
  headers: Headers
  /** The body as text; empty for a large upload. */
  body: () => string
  /** Whether it is an upload that is sent as it comes. Of another one, all has come. */
  isLarge: boolean
}

/** What is sent in the place of a part of a request. */
export interface Understood {
  body?: string
  /** With its question mark; empty for none. */
  search?: string
  headers?: Readonly<Record<string, string>>
}

/** Who sends a request. */
export interface FileAsker {
  /** The account, or that of the guest; `undefined` where none is asked for. */
  account: Account | undefined
  /** Acts as the admin of the file server. Below `/api/admin` the account is not known. */
  isAdmin: boolean
  /** This request has made its user at the file server: the column does not know of it. */
  isNew: boolean
  /** The value of the column that the guard has asked for. */
  known: string | null
  /**
   * Calls the file server as this user: by GET, or by POST with a body. `undefined` for the guest
   * and admins.
   */
  ask?: (path: string, body?: unknown) => Promise<{ code: number; data?: unknown }>
}

/** Sends a request to the file server; to its end, if that is asked for. */
export type SendCall = (isToItsEnd?: boolean) => Promise<Response>

/** A request that a guard has read. */
export interface GuardedCall {
  /** What the guard has to know, in the account's row, which is read anyway; none by default. */
  column?: AccountColumn
  /** A replica of the database, which may lack the last changes, does not do. */
  isExact?: boolean
  /**
   * Decides on the request, before anything is sent.
   *
   * @returns What is sent.
   * @throws {Refusal}
   */
  admit: (asker: FileAsker) => Promise<Understood>
  /**
   * Changes a meta that an admin writes, before it is sent. It names users by their ids there.
   *
   * @throws {Refusal}
   */
  sendMeta?: (meta: Readonly<Record<string, unknown>>) => Promise<object>
  /**
   * Sends a request that was admitted; by default as it is.
   *
   * @param send Takes whether it is sent to its end, also when the client goes away.
   * @throws {Refusal}
   */
  send?: (asker: FileAsker, send: SendCall) => Promise<Response>
  /** Changes the answer of the file server, or answers in its place. */
  answer?: (asker: FileAsker, answer: Response) => Promise<Response>
}

/**
 * Guards what users do at the file server, where the file server itself does not look. It reads a
 * request before D1 is asked who sends it.
 *
 * @throws {Refusal} For a body that it can't read.
 */
export type GuardFiles = (deps: Deps, files: FileServer, call: FileCall) => GuardedCall
