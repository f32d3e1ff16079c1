import { expect, test } from 'vitest'
import { CheapSite } from './cheap-site.ts'
import { forgetLog, leakedSecrets } from './log.ts'

const PASSWORD = 'spilled-Passw0rd'

test('a secret that reaches the log is found, in whatever file its site is', async () => {
  const site = new CheapSite()
  await site.addUser('alice', { password: PASSWORD })
  await site.token('alice', PASSWORD)
  expect(leakedSecrets()).toEqual([])
  console.log(`signs in with ${PASSWORD}`)
  expect(leakedSecrets()).toEqual([PASSWORD])
  forgetLog()
})
