/** Returns SQLite's path to a member. Networks, hashes and ids contain no quotation mark. */
export const pathOf = (member: string) => `$."${member}"`
