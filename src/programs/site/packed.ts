import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { installed, PACKED_MIGRATIONS } from '../kit/places.ts'

const migrationsSchema = v.record(v.string(), v.array(v.string()))

/** Reads the statements of each migration of a pack, by its file name, in order. */
export function readPackedMigrations(): Record<string, readonly string[]> {
  return v.parse(migrationsSchema, readPacked(PACKED_MIGRATIONS))
}

/** Reads a JSON file of a pack. */
export function readPacked(name: string): unknown {
  return JSON.parse(readFileSync(installed(name), 'utf8'))
}
