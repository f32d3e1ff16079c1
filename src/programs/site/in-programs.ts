import type { Declared } from '../kit/declaration.ts'
import type { Finding } from '../kit/findings.ts'
import type { Row } from '../kit/output.ts'
import type { ReadToken } from '../../core/access/read-token.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import type { SettingsElsewhere } from '../../core/base/settings-elsewhere.ts'
import type { SealedColumn } from './sealed-column.ts'
import type { SiteConfig } from './site-config.ts'
import type { Site } from './site.ts'

/** Commands of a group, by their names. */
type Verbs = Readonly<Record<string, Declared>>

/** A command, or a group of commands by their names. */
export type Loaded = Declared | Verbs

/** A command or a group before it is loaded. */
export interface Group {
  about: string
  /** The same in Chinese. */
  zh: string
  load: () => Promise<Loaded>
}

/** Where the site is that a command works on: here, served by `npm start` or not, or deployed. */
export type SitePlace = 'running' | 'stopped' | 'deployed'

/** How a site is set up, for the checks of `doctor`. */
export interface Setup {
  isRemote: boolean
  /** `wrangler.toml`. */
  config: SiteConfig
  /** The host name of a deployed site, without a port, if it is known. */
  host: string | undefined
  /** Reads a variable of the site; `undefined` where it is not set. */
  variable: (name: string) => string | undefined
}

/** A check of `doctor`: one finding for each thing that it looks at. It changes nothing. */
type Check = (site: Site, setup: Setup) => Promise<Finding[]>

/** The checks of a capability that `doctor` makes. */
export interface Checks {
  ofSetup?: Check
  /** Not called while migrations are missing. */
  ofData?: Check
  /** For `files check`. */
  ofFiles?: (site: Site, files: FileServer) => Promise<Finding[]>
}

/** Credentials and receivers of notices that remain after a new password. */
export interface Remaining {
  /** Its name in JSON, and the names of what remains. */
  record: Readonly<Record<string, readonly string[]>>
  title: string
  /** How it is deleted. */
  how: string
  columns: string[]
  content: Row[]
}

/** The data of a capability about a user, for the commands of the group `user`. */
export interface OfUser {
  /** Its lines of `user show`. */
  shown?: (site: Site, account: Account) => Promise<Row>
  /** Its part of `user export`. */
  exported?: (site: Site, account: Account) => Promise<Readonly<Record<string, unknown>>>
  /** Its part of the list of `user password`. */
  remaining?: (site: Site, account: Account) => Promise<Remaining>
  /** A sentence on what stays of it after a deletion. */
  staying?: (site: Site, account: Account) => Promise<string | undefined>
  /** The names of programs that know users by their names. */
  programs?: (site: Site) => Promise<string[]>
}

/**
 * The manifest of a capability for programs. It names only what it has, and is itself named in
 * `capabilities.ts` beside this file. Every command starts with all of these, so each loads its
 * parts when they are asked for.
 */
export interface InPrograms {
  /** Commands and groups of its own, by their names. */
  commands?: Readonly<Record<string, Group>>
  /** Its commands in the groups of other capabilities, by the name of the group. */
  verbs?: Readonly<Record<string, () => Promise<Verbs>>>
  /** Its column that `SECRET_KEYS` seals. D1 takes five such columns in a union. */
  sealed?: () => Promise<SealedColumn>
  /** The settings that another server has, too or alone; `undefined` without such a server. */
  settingsElsewhere?: (site: Site, isRemote: boolean) => Promise<SettingsElsewhere | undefined>
  checks?: () => Promise<Checks>
  ofUser?: () => Promise<OfUser>
  /** Reads tokens of its own. */
  readToken?: () => Promise<ReadToken>
  /** Runs after a command that has written something that concerns the capability. */
  afterCommand?: (site: Site, place: SitePlace) => Promise<void>
}
