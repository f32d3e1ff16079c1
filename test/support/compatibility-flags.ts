import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'

/** Reads the compatibility flags of a `wrangler.toml`. */
export function compatibilityFlags(root = '.'): string[] {
  const text = readFileSync(join(root, 'wrangler.toml'), 'utf8')
  const [, list = ''] = /^compatibility_flags = (.*)$/m.exec(text) ?? []
  return v.parse(v.array(v.string()), JSON.parse(list))
}
