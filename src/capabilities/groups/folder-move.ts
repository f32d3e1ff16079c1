import { notExists, type SQL } from 'drizzle-orm'
import { Refusal } from '../../core/base/refusals.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import type { Database } from '../../core/deps.ts'
import {
  asOnlyWriter,
  FOLDER_MOVE,
  type LeaseDeps,
  OTHERS_WRITE,
  selectHeld,
} from '../files/lease.ts'

/** No rule is changed for so long, if whoever moves a folder was killed. */
const MOVE_MILLISECONDS = 5 * 60_000

/**
 * Gives folders other paths while nobody changes rules: a change would be left behind.
 *
 * @throws {Refusal} `folderIsMoving` while somebody else does so; those of `move`.
 */
export function moveFolders<T>(
  deps: LeaseDeps,
  files: FileServer,
  move: () => Promise<T>,
): Promise<T> {
  const lease = { leaseMilliseconds: MOVE_MILLISECONDS, patienceMilliseconds: 0 }
  return asOnlyWriter(deps, files, FOLDER_MOVE, move, lease).catch((error: unknown) => {
    const isSecond = error instanceof Refusal && error.detail === OTHERS_WRITE
    throw isSecond ? new Refusal('folderIsMoving') : error
  })
}

/**
 * Holds while no folder is being given another path.
 *
 * @param now Unix time, milliseconds.
 */
export function isNoFolderMoving(db: Database, now: number): SQL {
  return notExists(selectFolderMove(db, now))
}

/** Selects the lease of who gives folders other paths, while somebody does. */
export function selectFolderMove(db: Database, now: number) {
  return selectHeld(db, FOLDER_MOVE, now)
}

/** @throws {Refusal} `folderIsMoving`. */
export function refuseWhileMoving(moves: readonly unknown[]): void {
  if (moves.length > 0) throw new Refusal('folderIsMoving')
}
