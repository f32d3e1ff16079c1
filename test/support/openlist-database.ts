import { createHash } from 'node:crypto'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** The tables as OpenList 4 makes them. */
const TABLES: Record<string, string> = {
  users: `id integer PRIMARY KEY AUTOINCREMENT, username text UNIQUE, pwd_hash text, pwd_ts integer,
    salt text, password text, base_path text, role integer, disabled numeric, permission integer,
    otp_secret text, sso_id text, authn text, allow_ldap numeric DEFAULT true`,
  ssh_public_keys: `id integer PRIMARY KEY AUTOINCREMENT, user_id integer, title text,
    fingerprint text, key_str text, added_time datetime, last_used_time datetime`,
  setting_items: `key text PRIMARY KEY, value text, help text, type text, options text,
    "group" integer, flag integer, "index" integer`,
}

type Row = Record<string, SQLInputValue>

/** A database as OpenList leaves it, with its write-ahead log gone. */
export function writeOpenListDatabase(
  path: string,
  rows: { users?: Row[]; keys?: Row[]; settings?: Row[]; roles?: Row[] },
  { prefix = 'x_', tables = TABLES } = {},
): void {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; begin')
  for (const [name, columns] of Object.entries(tables))
    database.exec(`create table "${prefix}${name}" (${columns})`)
  insert(database, `${prefix}users`, rows.users ?? [])
  insert(database, `${prefix}ssh_public_keys`, rows.keys ?? [])
  insert(database, `${prefix}setting_items`, rows.settings ?? [])
  // Of AList since 3.46.
  if (rows.roles !== undefined) {
    database.exec(`create table "${prefix}roles"
      (id integer primary key, name text, description text, raw_permission text)`)
    insert(database, `${prefix}roles`, rows.roles)
  }
  database.exec('commit')
  database.close()
}

export function insert(database: DatabaseSync, table: string, rows: Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row)
    const places = names.map(() => '?').join()
    database
      .prepare(`insert into "${table}" ("${names.join('","')}") values (${places})`)
      .run(...Object.values(row))
  }
}

/** Returns the hash of a password that OpenList stores: model/user.go, TwoHashPwd. */
export function oldHash(password: string, salt: string) {
  const digest = sha256(`${password}-https://github.com/alist-org/alist`)
  return { pwd_hash: sha256(`${digest}-${salt}`), salt, pwd_ts: 1_741_500_000 }
}

/** Returns the digest that clients send in place of the password. */
export function oldDigest(password: string): string {
  return sha256(`${password}-https://github.com/alist-org/alist`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
