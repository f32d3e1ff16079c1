import * as v from 'valibot'
import type { KeyRing } from './key-ring.ts'
import { openBox, type RandomSource, sealBox } from './sealed-box.ts'

/** The part of `Deps` that seals. */
export interface SealDeps extends RandomSource {
  keyRing: () => Promise<KeyRing>
  /** Unix time, milliseconds. */
  now: () => number
}

/** A text that a browser keeps, in a cookie or an address, and can neither read nor change. */
interface SealedText<Schema extends v.GenericSchema> {
  seconds: number
  seal: (deps: SealDeps, content: v.InferInput<Schema>) => Promise<string>
  /** @returns `undefined` for a text that is not ours, and `expired` for an old one. */
  open: (
    deps: Pick<SealDeps, 'keyRing' | 'now'>,
    sealed: string,
  ) => Promise<v.InferOutput<Schema> | 'expired' | undefined>
}

/** When it expires (Unix time, milliseconds), and the content. */
const wholeSchema = v.tuple([v.number(), v.unknown()])

/**
 * Makes a kind of sealed text.
 *
 * @param use A text of one use does not open for another.
 * @param seconds The lifetime.
 */
export function sealedText<Schema extends v.GenericSchema>(
  use: string,
  seconds: number,
  schema: Schema,
): SealedText<Schema> {
  return {
    seconds,
    seal: async (deps, content) => {
      const json = JSON.stringify([deps.now() + seconds * 1000, content])
      const bytes = new Uint8Array(new TextEncoder().encode(json))
      return sealBox(deps, await deps.keyRing(), bytes, use, 'ceremony')
    },
    open: async (deps, sealed) => {
      const ring = await deps.keyRing()
      const bytes = await openBox(ring, sealed, use, 'a sign-in', 'ceremony').catch(() => undefined)
      if (bytes === undefined) return undefined
      const [expiresAt, json] = v.parse(wholeSchema, JSON.parse(new TextDecoder().decode(bytes)))
      if (expiresAt <= deps.now()) return 'expired'
      // A text of another version of this program may not fit the schema.
      const content = v.safeParse(schema, json)
      return content.success ? content.output : undefined
    },
  }
}
