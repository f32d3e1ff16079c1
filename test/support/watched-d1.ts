import { env } from 'cloudflare:workers'

/** A D1 that tells of every statement that is sent. */
export function watchedD1(onStatement: (sql: string) => void): D1Database {
  return new Proxy(env.DB, {
    get: (d1, name) =>
      name === 'withSession' ? () => watched(d1.withSession('first-primary')) : undefined,
  })
  function watched(session: D1DatabaseSession): D1DatabaseSession {
    return {
      prepare(query) {
        onStatement(query)
        return session.prepare(query)
      },
      batch: (statements) => session.batch(statements),
      getBookmark: () => session.getBookmark(),
    }
  }
}
