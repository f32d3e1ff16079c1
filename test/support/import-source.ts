/** What only a Latchkey, or an AList since 3.46, has beside users, keys and settings: nothing. */
export const NOTHING_ELSE = {
  passkeys: [],
  recoveryCodes: [],
  identities: [],
  reservedNames: [],
  serviceTokens: [],
  groups: [],
  groupMembers: [],
  folderRules: [],
  roles: [],
  warnings: [],
}
