import { registerHooks, type ResolveFnOutput } from 'node:module'

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
 * Resolves the imports of Drizzle, and between its files. Each time, Node would parse the package's
 * `package.json` of 175 KiB: 111 times to learn that a file is an ES module, and 77 times to find
 * where `drizzle-orm` leads.
 */
function resolveDrizzleQuickly(): void {
  const found = new Map<string, ResolveFnOutput>()
  registerHooks({
    resolve(specifier, context, next) {
      if (/^drizzle-orm(?:\/|$)/.test(specifier)) {
        const output = found.get(specifier) ?? { ...next(specifier, context), shortCircuit: true }
        found.set(specifier, output)
        return output
      }
      const { parentURL = '' } = context
      if (!/^\.\.?\/.*\.js$/.test(specifier) || !parentURL.includes(DRIZZLE))
        return next(specifier, context)
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
    },
  })
}
