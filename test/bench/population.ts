type Statements = Parameters<D1Database['batch']>[0]

/** What populating takes of a D1 database, the one Miniflare hands out included. */
interface Populated {
  prepare: (query: string) => Statements[number]
  batch: (statements: Statements) => Promise<unknown>
}

/** Users in one statement; a transaction of more takes minutes to end. */
const CHUNK = 50_000

/**
 * Fills an empty database as a used one would be: a guest, and users `user1`, `user2`, … with a
 * session, a key and three events each. In plain SQL, so that it fits every version of the schema.
 */
export async function populate(d1: Populated, users: number, passwordHash: string): Promise<void> {
  const now = Date.now()
  await d1.batch([
    d1.prepare(
      `insert into users (username, username_key, role, disabled, created_at) values ('guest', 'guest', 1, 1, ${now})`,
    ),
  ])
  for (let from = 1; from <= users; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, users)
    const numbers = `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})`
    const owner = `users join n on users.username_key = 'user' || i`
    await d1.batch([
      d1.prepare(
        `${numbers} insert into users (username, username_key, password_hash, created_at)
         select 'user' || i, 'user' || i, '${passwordHash}', ${now} from n`,
      ),
      d1.prepare(
        `${numbers} insert into sessions (id, user_id, created_at, signed_in_at, expires_at, network, user_agent)
         select 'session-' || i, users.id, ${now}, ${now}, ${now + 86_400_000}, '192.0.2.1', '' from ${owner}`,
      ),
      d1.prepare(
        `${numbers} insert into ssh_keys (user_id, title, fingerprint, type, bits, line, added_at, last_used_at)
         select users.id, 'laptop', 'SHA256:' || i, 'ssh-ed25519', 256, 'ssh-ed25519 AAAA', ${now}, ${now} from ${owner}`,
      ),
      d1.prepare(
        `${numbers} insert into audit_events (at, kind, user_id, network, user_agent)
         select ${now}, kind.value, users.id, '192.0.2.1', ''
         from ${owner} join json_each('["sign_in","key_added","sign_in"]') as kind`,
      ),
    ])
  }
}
