import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ServedWorker } from '../support/served-worker.ts'

let worker: ServedWorker

beforeAll(async () => {
  worker = await ServedWorker.start(inject('workerFolder'))
  await worker.setUp('correct-horse-battery')
})
afterAll(() => worker.stop())

/** What differs from run to run. */
function withoutChance(printed: string): string {
  return printed
    .replaceAll(/"token":"[^"]*"/g, '"token":"…"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+\+00:00/g, 'TIME')
}

test('the README shows what its commands print', () => {
  const [, session = ''] = /```console\n(.*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? []
  const commands = session.split('\n').filter((line) => line.startsWith('$ '))
  const script = commands
    .map((command) => command.slice(2).replaceAll('http://127.0.0.1:8787/', worker.url.href))
    .map((command) => (command.startsWith('curl') ? `${command}; echo` : command))
    .join('\n')
  const printed = execFileSync('bash', ['-c', script], { encoding: 'utf8' })
  const shown = session
    .split('\n')
    .filter((line) => !line.startsWith('$ '))
    .join('\n')
  expect(withoutChance(printed)).toBe(withoutChance(shown))
})
