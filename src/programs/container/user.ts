import {
  accessSync,
  constants,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { codeOf, CommandError } from '../kit/command-error.ts'

const DEFAULT_ID = '1000'
/** The files of the site and its operators: only these are ever given to another user. */
const OWN = /^(?:\.wrangler.*|\.dev\.vars|backups)$/
const MAX_LISTED = 3

interface Ids {
  uid: number
  gid: number
}

/**
 * Makes the process that of the owner of the data. Started as root, a start gives the folder to
 * `PUID:PGID` first, when nothing of others is in it. Started as another user, it changes nothing.
 *
 * @param isStart A command takes the owner as it is.
 * @throws {CommandError} When the folder can't be used.
 */
export function becomeOwner(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  isStart: boolean,
): void {
  const owner = ownerOf(folder)
  if (process.getuid?.() === 0) {
    const wanted = { uid: readId('PUID', env), gid: readId('PGID', env) }
    if (isStart) give(folder, owner, wanted)
    become(isStart || owner.uid === 0 ? wanted : owner)
  }
  if (isStart) checkWritable(folder)
}

function ownerOf(folder: string): Ids {
  try {
    const { uid, gid } = statSync(folder)
    return { uid, gid }
  } catch (error) {
    throw new CommandError(`Can't use ${folder} (${codeOf(error)}): mount a folder there.`)
  }
}

function readId(name: 'PUID' | 'PGID', env: Readonly<Record<string, string | undefined>>): number {
  const text = env[name] || DEFAULT_ID
  const id = Number(text)
  if (/^\d+$/.test(text) && id >= 1 && id < 2 ** 31) return id
  throw new CommandError(`${name} must be a number from 1, not "${text}".`)
}

/** @throws {CommandError} When files of others are in the folder, or the system refuses. */
function give(folder: string, owner: Ids, wanted: Ids): void {
  const names = readdirSync(folder)
  const isOwned = owner.uid === wanted.uid && owner.gid === wanted.gid
  const foreign = names.filter((name) => !OWN.test(name))
  if (!isOwned && foreign.length > 0)
    throw new CommandError(
      `${folder} holds files that are not Latchkey's (${foreign.slice(0, MAX_LISTED).join(', ')}): mount an empty folder there, or one with the data of a site alone. Nothing was changed.`,
    )
  try {
    if (!isOwned) lchownSync(folder, wanted.uid, wanted.gid)
    for (const name of names) if (OWN.test(name)) giveAll(join(folder, name), wanted)
  } catch (error) {
    throw new CommandError(belongsTo(folder, owner, wanted), { cause: error })
  }
}

/** Follows no link. */
function giveAll(path: string, { uid, gid }: Ids): void {
  const entry = lstatSync(path)
  if (entry.uid !== uid || entry.gid !== gid) lchownSync(path, uid, gid)
  if (entry.isDirectory())
    for (const name of readdirSync(path)) giveAll(join(path, name), { uid, gid })
}

/** The groups first: without the user root, nothing of it can be changed. */
function become({ uid, gid }: Ids): void {
  try {
    process.setgroups?.([])
    process.setgid?.(gid)
    process.setuid?.(uid)
  } catch (error) {
    throw new CommandError(
      `Can't become the user ${uid}:${gid} (${codeOf(error)}): the container needs the capabilities SETUID and SETGID, or set user: ${uid}:${gid}.`,
    )
  }
}

function checkWritable(folder: string): void {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    mkdirSync(join(folder, 'backups'), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new CommandError(belongsTo(folder, ownerOf(folder), self), { cause: error })
  }
}

function belongsTo(folder: string, owner: Ids, self: Ids): string {
  const [theirs, ours] = [`${owner.uid}:${owner.gid}`, `${self.uid}:${self.gid}`]
  return `${folder} belongs to ${theirs}, and Latchkey runs as ${ours}: on the host, run chown -R ${ours} on the folder that is mounted there, or set PUID and PGID to its owner. A folder of NFS, SMB or exFAT can't be used.`
}
