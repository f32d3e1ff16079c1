import { CAPABILITIES } from './site/capabilities.ts'
import type { Group, Loaded } from './site/in-programs.ts'
import type { Declared, Taken } from './kit/declaration.ts'
import type { Text } from './kit/help.ts'

/** The commands of programs, beside those of capabilities. */
const OF_PROGRAMS: Readonly<Record<string, Group>> = {
  ldap: {
    about: 'answers LDAP for apps that ask it who a user is',
    zh: '通过 LDAP 告诉其他应用用户是谁',
    load: async () => (await import('./ldap-door/command.ts')).ldapCommand,
  },
  secrets: {
    about: 'makes entries of SECRET_KEYS, and seals everything with a new one',
    zh: '生成 SECRET_KEYS 的条目，并用新条目重新加密所有内容',
    load: async () => (await import('./secrets/secrets.ts')).secretsCommands,
  },
  doctor: {
    about: 'checks everything that a site needs; says how to fix what is wrong',
    zh: '检查站点所需的一切，并说明如何修复',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  backup: {
    about: 'copies all data of the local site into one file; the site may be running',
    zh: '将本地站点的全部数据备份到一个文件，站点可以正在运行',
    load: async () => (await import('./backup/backup.ts')).backupCommand,
  },
  restore: {
    about: 'creates a local site from a backup',
    zh: '用备份恢复本地站点',
    load: async () => (await import('./backup/restore.ts')).restoreCommand,
  },
  import: {
    about:
      'imports a site from OpenList, AList, OpenList-Worker or Latchkey: a database, or a backup in JSON',
    zh: '从 OpenList、AList、OpenList-Worker 或 Latchkey 导入：数据库或 JSON 备份',
    load: async () => (await import('./import/command.ts')).importCommand,
  },
}

/**
 * The commands, most of them groups. Each is loaded when it is used, because loading D1's tools
 * takes a second.
 */
export const COMMANDS: Readonly<Record<string, Group>> = {
  ...Object.fromEntries(
    CAPABILITIES.flatMap(({ commands = {} }) => Object.entries(commands)).map(([name, group]) => [
      name,
      { ...group, load: () => loadGroup(name, group) },
    ]),
  ),
  ...OF_PROGRAMS,
}

/** Loads a command, or a group with what other capabilities add to it. */
async function loadGroup(name: string, { load }: Group): Promise<Loaded> {
  const loaded = await load()
  if (isCommand(loaded)) return loaded
  const added = await Promise.all(
    CAPABILITIES.map(async ({ verbs }) => (await verbs?.[name]?.()) ?? {}),
  )
  return Object.assign({}, loaded, ...added)
}

/** Tells one command from a group. */
export function isCommand(loaded: Loaded): loaded is Declared {
  return typeof loaded.run === 'function'
}

/** A command or a group of commands, for lists of all. */
export interface Listed {
  /** The words that lead to the command, without the program: `user`, `add`. */
  words: readonly string[]
  about: Text
  /** Nothing for a group. */
  takes: readonly Taken<unknown>[]
  isGroup: boolean
}

/** Lists all commands and groups, for documents and tests. */
export async function loadCommands(): Promise<Listed[]> {
  const listed: Listed[] = []
  for (const [name, { about, zh, load }] of Object.entries(COMMANDS)) {
    const loaded = await load()
    if (isCommand(loaded)) listed.push({ ...describe([name], loaded), about: [about, zh] })
    else {
      listed.push({ words: [name], about: [about, zh], takes: [], isGroup: true })
      for (const [verb, declared] of Object.entries(loaded))
        listed.push(describe([name, verb], declared))
    }
  }
  return listed
}

function describe(words: readonly string[], { about = '', zh = '', takes = {} }: Declared): Listed {
  return { words, about: [about, zh], takes: Object.values<Taken<unknown>>(takes), isGroup: false }
}
