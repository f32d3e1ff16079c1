import { afterEach, beforeEach, expect, test, inject } from 'vitest'
import { Clone } from '../support/clone.ts'
import { FakeCloudflare } from '../support/fake-cloudflare.ts'

let clone: Clone
let cloudflare: FakeCloudflare

beforeEach(async () => {
  clone = new Clone(inject('freshClone'))
  cloudflare = await FakeCloudflare.start()
})
afterEach(async () => {
  await cloudflare.stop()
  await clone.remove()
})

test('a command with --remote says in one line what keeps it from production', async () => {
  const run = (env: Record<string, string>) => clone.latchkey(['--remote', 'doctor'], { env })
  const signedIn = { CLOUDFLARE_API_BASE_URL: cloudflare.url, CLOUDFLARE_API_TOKEN: 'token' }

  expect(await run({ XDG_CONFIG_HOME: clone.folder })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Not signed in to Cloudflare: run npx wrangler login, or set CLOUDFLARE_API_TOKEN.\n',
  })
  expect(await run(signedIn)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'This Cloudflare account has no database "latchkey" of the site: run npm run deploy first.\n',
  })
  cloudflare.d1.create('latchkey')
  cloudflare.namespaces.set('latchkey-settings', 'a'.repeat(32))
  // No Worker of Cloudflare's is here that would lend its bindings.
  const unreachable = await run(signedIn)
  expect({ ...unreachable, stderr: '' }).toEqual({ code: 1, stdout: '', stderr: '' })
  expect(unreachable.stderr).toMatch(
    /^(?:Can't reach Cloudflare|Cloudflare reported an error): [^\n]+\n$/,
  )
})
