import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'

const countSettings = () => env.DB.prepare('select count(*) from settings').first('count(*)')
const addSetting = () => env.DB.exec(`insert into settings (key, value) values ('a', 'b')`)
const columnsAndIndexes = async () => {
  const { results } = await env.DB.prepare(
    `select name from pragma_table_info('settings')
    union all select name from pragma_index_list('settings') where origin = 'c'`,
  ).all<{ name: string }>()
  return results.map(({ name }) => name)
}

/** Each test changes storage, and the next one begins as if none had. */
describe('storage', () => {
  test('has no rows at first', async () => {
    expect(await countSettings()).toBe(0)
    await addSetting()
  })

  test('has no rows of an earlier test, when the first use changes the schema', async () => {
    await env.DB.prepare('create table made (a)').run()
    expect(await countSettings()).toBe(0)
    await addSetting()
  })

  test('has no table of an earlier test, when a session makes one', async () => {
    const session = env.DB.withSession()
    await session.prepare('create table made (a)').run()
    expect(await countSettings()).toBe(0)
  })

  test('takes an index and a column', async () => {
    await env.DB.prepare('create table made (a)').run()
    await env.DB.exec('create index settings_value on settings (value)')
    await env.DB.exec('alter table settings add column made text')
    expect(await columnsAndIndexes()).toEqual(['key', 'value', 'made', 'settings_value'])
  })

  test('has no index and no column of an earlier test', async () => {
    expect(await columnsAndIndexes()).toEqual(['key', 'value'])
  })
})
