import { statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as LocalDatabase from '../../src/programs/site/local-database.ts'
import type * as LocalSite from '../../src/programs/site/local-site.ts'

/*
 * Stands in for `local-site.ts` where commands run one after another in one process
 * (`command-runner.ts`): those of one folder share a Workers runtime, which takes longer to start
 * than most commands.
 */

type Data = Awaited<ReturnType<typeof LocalSite.openLocalData>>

const [, , sources = ''] = process.argv
const importOwn = (module: string) => import(pathToFileURL(join(sources, module)).href)
const { openLocalData: open }: typeof LocalSite = await importOwn('programs/site/local-site.ts')
const { findLocalDatabase }: typeof LocalDatabase = await importOwn(
  'programs/site/local-database.ts',
)

/** The data of the folder whose command was the last to open any. */
let kept: { folder: string; data: Data; file: number | undefined } | undefined

/** As a command opens the data, which stay open for the next one in this folder. */
export async function openLocalData(): Promise<Data> {
  // A restore puts another file in the place of the database.
  if (kept?.folder !== process.cwd() || kept.file !== databaseFile()) await closeLocalData()
  kept ??= { folder: process.cwd(), data: await open(), file: undefined }
  const opened = kept
  return {
    send: opened.data.send,
    dispose: async () => {
      opened.file ??= databaseFile()
    },
  }
}

export async function closeLocalData(): Promise<void> {
  const closed = kept
  kept = undefined
  await closed?.data.dispose()
}

/** Returns a number that tells the file of the database from another one of its name. */
function databaseFile(): number | undefined {
  const path = findLocalDatabase()
  return path === undefined ? undefined : statSync(path).ino
}
