import { readFileSync, writeFileSync } from 'node:fs'
import { VERSION } from '../../capabilities/settings/defaults.ts'

/** Holds the version that was the last to change the form of the database. */
const FILE = '.wrangler/latchkey.version'

/** Notes this version, which has just migrated the database. */
export function noteVersion(): void {
  writeFileSync(FILE, `${VERSION}\n`)
}

/** @returns `undefined` when the file holds no version: earlier ones wrote none. */
export function readNotedVersion(): string | undefined {
  try {
    return /^\d+\.\d+\.\d+(?=\n$)/.exec(readFileSync(FILE, 'utf8'))?.[0]
  } catch {
    return undefined
  }
}
