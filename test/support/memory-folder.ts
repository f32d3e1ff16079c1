import { statfsSync } from 'node:fs'

/** Where Linux keeps files in memory. */
const FOLDER = '/dev/shm'
/** Far more than any test stores; Docker gives a container 64 MB unless it is told otherwise. */
const LEAST_BYTES = 1024 ** 3

/**
 * A folder in memory, if this machine has one with room. D1 waits for the disk after each write,
 * which takes longer than the write.
 */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(FOLDER)
    return bavail * bsize < LEAST_BYTES ? undefined : FOLDER
  } catch {
    return undefined
  }
}
