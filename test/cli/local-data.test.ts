import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, inject } from 'vitest'
import { localIds, readSiteConfig } from '../../src/programs/site/site-config.ts'
import { Clone } from '../support/clone.ts'

/** The lines for the database and the namespace in `wrangler.toml`. */
const IDS = [
  ['', ''],
  ['database_id = "d"', 'id = "k"'],
  ['preview_database_id = "pd"', 'preview_id = "pk"'],
  ['database_id = "d"\npreview_database_id = "pd"', 'id = "k"\npreview_id = "pk"'],
] as const

/** Prints what wrangler makes of each configuration. In a process of its own, for wrangler's sake. */
const ASK_WRANGLER = `
  const { unstable_getMiniflareWorkerOptions } = await import('wrangler')
  const options = process.argv.slice(1).map((path) => unstable_getMiniflareWorkerOptions(path).workerOptions)
  console.log(JSON.stringify(options.map(({ d1Databases: { DB }, kvNamespaces: { SETTINGS } }) =>
    ({ database: DB.id, namespace: SETTINGS.id }))))`

const home = process.cwd()
let clone: Clone

beforeEach(() => {
  clone = new Clone(inject('freshClone'))
  process.chdir(clone.folder)
})
afterEach(async () => {
  process.chdir(home)
  await clone.remove()
})

test('commands open the data that npm start serves, whatever ids wrangler.toml has', async () => {
  const config = readFileSync('wrangler.toml', 'utf8')
  const paths: string[] = []
  const ours: unknown[] = []
  for (const [i, [database, namespace]] of IDS.entries()) {
    const text = config
      .replace('[[d1_databases]]', `$&\n${database}`)
      .replace('[[kv_namespaces]]', `$&\n${namespace}`)
    paths.push(`wrangler.${i}.toml`)
    writeFileSync(`wrangler.${i}.toml`, text)
    writeFileSync('wrangler.toml', text)
    ours.push(localIds(await readSiteConfig()))
  }
  const asked = ['--eval', ASK_WRANGLER, ...paths]
  const { stdout } = await clone.run('--input-type=module', asked, { WRANGLER_LOG: 'none' })
  expect(JSON.parse(stdout)).toEqual(ours)
  expect(ours).toContainEqual({ database: 'pd', namespace: 'pk' })
})
