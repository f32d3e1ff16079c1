/** A row of the source; nothing in it is trusted. */
export type RawRow = Record<string, unknown>

/** The data of an old site, in the columns of OpenList. */
export interface Source {
  /** `database` is OpenList's or AList's. */
  kind: 'database' | 'backup' | 'openlist-worker' | 'latchkey'
  users: RawRow[]
  keys: RawRow[]
  settings: RawRow[]
  /** Unused recovery codes, and the tokens of servers. Only a Latchkey site has them. */
  recoveryCodes: RawRow[]
  /** See `readPasskey`. */
  passkeys: RawRow[]
  serviceTokens: RawRow[]
  /** Only a Latchkey site has this table; OpenList has identities in `sso_id`. */
  identities: RawRow[]
  /** The names of accounts that were deleted or renamed. Only a Latchkey site has them. */
  reservedNames: RawRow[]
  /** Groups, their members and folder rules. Only a Latchkey site has them. */
  groups: RawRow[]
  groupMembers: RawRow[]
  folderRules: RawRow[]
  /** The roles of AList since 3.46. */
  roles: RawRow[]
  /** Warnings about the file, for the operator. */
  warnings: string[]
}

/** A row of the source that the report names. */
export interface Item {
  kind: 'user' | 'key' | 'setting' | 'passkey' | 'group' | 'folder rule'
  /** The id in the source. */
  id?: number
  name: string
  reason: string
}
