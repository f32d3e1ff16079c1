/** Makes a phrase with a number from its singular and its plural, in which `#` is the number. */
export function counted(one: string, many: string): (count: number) => string {
  return (count) => (count === 1 ? one : many.replace('#', String(count)))
}

export const someAppPasswords = counted('1 app password', '# app passwords')
export const someKeys = counted('1 SSH key', '# SSH keys')
