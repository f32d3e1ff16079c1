import { registerHooks } from 'node:module'

/** The permission bits of users other than the owner of a file. */
export const OTHERS = 0o077

/** Makes new files of this process and its children private to this user. */
export function writePrivately(): void {
  process.umask(OTHERS)
}

/** Prepares a program before it loads other code. */
export function prepareProcess(): void {
  writePrivately()
  resolveDrizzleQuickly()
}

/** Of the package whose modules this resolves without Node's look at `package.json`. */
const DRIZZLE = '/node_modules/drizzle-orm/'

/**
 * Resolves the imports between Drizzle's files. To learn that such a file is an ES module, Node
 * parses the package's `package.json` of 175 KiB again for each of 111 files: a third of the 1.4 s
 * of CPU that a command takes without this.
 */
function resolveDrizzleQuickly(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '' } = context
      if (!/^\.\.?\/.*\.js$/.test(specifier) || !parentURL.includes(DRIZZLE))
        return next(specifier, context)
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
    },
  })
}
