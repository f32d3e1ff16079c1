import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'

let clone: Clone

beforeEach(() => {
  clone = new Clone()
})
afterEach(() => clone.remove())

const signIn = (port: string, password: string) =>
  new Client(`http://127.0.0.1:${port}`).signIn('admin', password)

test('npm start serves from a fresh clone, and a second start keeps what the first made', async () => {
  const port = await freePort()
  const first = clone.start({ PORT: port })
  await first.until('serves on')
  const [, password = ''] = /password {2}(\S+)/.exec(first.printed) ?? []
  expect(first.printed).toContain(`Latchkey serves on http://127.0.0.1:${port}`)
  expect(await signIn(port, password)).toMatchObject({ code: 200 })
  const devVars = clone.path('.dev.vars')
  expect(readFileSync(devVars, 'utf8')).toMatch(/^SECRET_KEYS=[\w-]{43}\n$/)
  expect(statSync(devVars).mode & 0o777).toBe(0o600)
  expect(await first.stop()).toMatchObject({ code: 0 })

  const second = clone.start({ PORT: port })
  await second.until('serves on')
  expect(second.printed).not.toContain('password')
  expect(await signIn(port, password)).toMatchObject({ code: 200 })
})

test('npm start says that it ignores ADMIN_PASSWORD because there is an admin, and what to do', async () => {
  const first = clone.start({ PORT: await freePort() })
  await first.until('serves on')
  await first.stop()
  const port = await freePort()
  const second = clone.start({ PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' })
  await second.until('serves on')
  expect(second.printed).toContain(
    '\nADMIN_PASSWORD is ignored because there is an admin already; to change the password: npm run latchkey -- user password admin\n',
  )
  expect(second.printed).not.toContain('chosen-Passw0rd')
  expect(await signIn(port, 'chosen-Passw0rd')).toMatchObject({ code: 401 })
})

test('npm start shows what the service understands, to people and to programs', async () => {
  const port = await freePort()
  await clone.start({ PORT: port }).until('serves on')
  const page = await fetch(`http://127.0.0.1:${port}/docs`)
  const text = await page.text()
  expect(page.headers.get('Content-Type')).toContain('text/html')
  expect(page.headers.get('Content-Security-Policy')).toMatch(
    /^default-src 'none'; style-src 'self'/,
  )
  expect(text).toContain('POST /api/auth/login')
  expect(text).not.toMatch(/<script|style=|(src|href)="(?![/#])/)
  const document = await fetch(`http://127.0.0.1:${port}/openapi.json`)
  expect(document.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(await document.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Latchkey' } })
})

test('npm start takes the first password from ADMIN_PASSWORD', async () => {
  const port = await freePort()
  const service = clone.start({ PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' })
  await service.until('serves on')
  expect(service.printed).not.toContain('chosen-Passw0rd')
  expect(await signIn(port, 'chosen-Passw0rd')).toMatchObject({ code: 200 })
})

test('npm start says in one line what keeps it from starting', async () => {
  const busy = createServer()
  const port = await freePort()
  await new Promise<void>((resolve) => busy.listen(Number(port), '127.0.0.1', resolve))
  const failures: [Record<string, string>, RegExp][] = [
    [
      { PORT: port },
      /^Port \d+ is taken or not allowed: choose another, as in PORT=8788 npm start\.\n$/,
    ],
    [{ PORT: 'http' }, /^PORT must be a number from 1 to 65535, not "http"\.\n$/],
    [{ ADMIN_PASSWORD: 'short' }, /^ADMIN_PASSWORD: password must have 8 to 1024 characters\.\n$/],
  ]
  for (const [env, line] of failures) {
    const service = clone.start(env)
    expect(await service.ended).toMatchObject({ code: 1 })
    expect(service.printed).toMatch(line)
  }
  await new Promise((resolve) => busy.close(resolve))
})

test.runIf(process.getuid?.() === 0)('npm start names a folder it may not write', async () => {
  const service = clone.start({ PORT: await freePort() }, { asNobody: true })
  expect(await service.ended).toMatchObject({ code: 1 })
  expect(service.printed).toMatch(
    /^Can't write to \S+: make the folder yours, or clone into another\.\n$/,
  )
})

test('npm start says what is wrong with .dev.vars and leaves it alone', async () => {
  const devVars = clone.path('.dev.vars')
  for (const [content, problem] of [
    ['SECRET_KEYS=short\n', 'SECRET_KEYS, entry 1, is not base64url of at least 32 bytes'],
    ['nothing here\n', 'SECRET_KEYS is missing'],
  ] as const) {
    writeFileSync(devVars, content)
    const service = clone.start({ PORT: await freePort() })
    expect(await service.ended).toMatchObject({ code: 1 })
    expect(service.printed).toMatch(/^\.dev\.vars is broken: [^\n]*\n$/)
    expect(service.printed).toContain(problem)
    expect(readFileSync(devVars, 'utf8')).toBe(content)
  }
  rmSync(devVars)
  mkdirSync(devVars)
  const service = clone.start({ PORT: await freePort() })
  expect(await service.ended).toMatchObject({ code: 1 })
  expect(service.printed).toMatch(/^Can't read \.dev\.vars \(EISDIR\)[^\n]*\n$/)
})
