import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { literalText } from '../../core/database/literal.ts'
import { readJson, type Wrangler } from '../site/cloudflare.ts'

const answersSchema = v.array(v.object({ results: v.array(v.record(v.string(), v.unknown())) }))

const EXECUTE = ['d1', 'execute', 'DB', '--remote']

/**
 * The deployed database as `wrangler d1 execute` reaches it: with the rights that the migrations
 * need, and no others. Workers Builds has them.
 *
 * A batch is one run of wrangler and one transaction. What only reads stands on the command line;
 * what writes goes through a file, because other users of a machine see command lines. Such a batch
 * answers no rows.
 */
export class WranglerD1 implements D1Database {
  readonly #wrangler: Wrangler
  readonly #folder: string

  /** @param folder Private and temporary, for the file. */
  constructor(wrangler: Wrangler, folder: string) {
    this.#wrangler = wrangler
    this.#folder = folder
  }

  prepare(query: string): D1PreparedStatement {
    return new TextStatement(query)
  }

  withSession(): D1DatabaseSession {
    return {
      prepare: (query) => this.prepare(query),
      batch: (statements) => this.batch(statements),
      getBookmark: () => null,
    }
  }

  async batch<Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]>
  async batch(statements: D1PreparedStatement[]): Promise<D1Result[]> {
    const texts = statements.map(String)
    if (texts.every((text) => text.startsWith('select '))) {
      const args = [...EXECUTE, '--json', '--command', texts.join(';\n')]
      return (await readJson(this.#wrangler, args, answersSchema)).map(answerOf)
    }
    const file = join(this.#folder, 'statements.sql')
    try {
      writeFileSync(file, `${texts.join(';\n')};\n`, { mode: 0o600 })
      await this.#wrangler([...EXECUTE, '--yes', '--file', file])
      return texts.map(() => answerOf({ results: [] }))
    } finally {
      rmSync(file, { force: true })
    }
  }

  exec = notHere
  dump = notHere
}

/** A statement with its values in its text: `d1 execute` takes no parameters. */
class TextStatement implements D1PreparedStatement {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  bind(...values: unknown[]): D1PreparedStatement {
    const rest = values.map(faithfulText)
    // A question mark in quotes is no parameter.
    const text = this.#text.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (found) =>
      found === '?' ? (rest.shift() ?? notHere()) : found,
    )
    return new TextStatement(text)
  }

  toString(): string {
    return this.#text
  }

  first = notHere
  run = notHere
  all = notHere
  raw = notHere
}

/** @throws {TypeError} For a value that would arrive as another. */
function faithfulText(value: unknown): string {
  if (value === null) return literalText(value)
  if (typeof value === 'number' && Number.isFinite(value)) return literalText(value)
  // wrangler rewrites line ends, and SQLite ends a text at NUL.
  if (typeof value === 'string' && !/\p{Cc}/u.test(value)) return literalText(value)
  throw new TypeError('no SQL text for this value')
}

/** @returns The rows as D1 hands them to a Worker. Their cost is not known. */
function answerOf({ results }: { results: unknown[] }): D1Result {
  const cost = { duration: 0, rows_read: 0, rows_written: 0, changes: 0 }
  const state = { size_after: 0, last_row_id: 0, changed_db: false }
  return { success: true, results, meta: { ...cost, ...state } }
}

/** @throws {TypeError} Always: nothing calls this part of D1. */
function notHere(): never {
  throw new TypeError('wrangler-d1.ts lacks this part of D1')
}
