import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import { appPasswordActor } from '../../src/core/access/app-password-actor.ts'
import { verifyToken } from '../../src/core/access/token.ts'
import { runBatch } from '../../src/core/database/statements.ts'
import { selectActor } from '../../src/core/access/actor-queries.ts'
import { findActor } from '../../src/core/access/read-account.ts'
import { selectOwnKeys } from '../../src/capabilities/ssh-keys/store.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { newKey } from '../support/new-key.ts'

test.each([
  ['without permissions', { permission: 0 }, { permission: 0, hasTwoFactor: false }],
  ['that is disabled', { disabled: true }, { disabled: true }],
  ['with two-step verification', { totpSeed: 'sealed' }, { hasTwoFactor: true, disabled: false }],
  ['of an admin with an SSO id', { role: 2, ssoId: 'github:7' }, { role: 2, ssoId: 'github:7' }],
])('the prepared query finds an account %s like that of a batch', async (_, stored, found) => {
  const site = new CheapSite()
  const token = await site.addSignedInUser()
  await site.post('/api/me/sshkey/add', { title: 'laptop', key: newKey().line }, { token })
  const claims = await verifyToken(await site.deps.keyRing(), token, site.now)
  await site.db.update(users).set(stored).where(eq(users.id, claims.userId))
  const { db } = site.deps
  for (const sessionId of [claims.sessionId, 'ended']) {
    const actor = { ...claims, sessionId, network: '192.0.2.1', userAgent: '' }
    const { inBatch } = await runBatch(db, {
      inBatch: selectActor(db, actor, site.now),
    })
    const alone = await findActor(db, actor, site.now)
    expect(alone).toEqual(inBatch)
    expect(await selectOwnKeys(db, actor, site.now)).toMatchObject(inBatch)
    expect(alone).toMatchObject([{ username: 'alice', hasPasskey: false, ...found }])
  }
})

test.each([undefined, 'alice', 'bob'])(
  'the prepared query finds an app password shown with the name %s like that of a batch',
  async (username) => {
    const site = new CheapSite()
    await site.addFirstUsers()
    const id = await site.addUser('alice')
    const { token } = await addAppPassword(site, id, ['account:read', 'files:read'])
    const { db } = site.deps
    for (const [text, network] of [
      [token, '192.0.2.1'],
      [token, '198.51.100.7'],
      ['lk_other', '192.0.2.1'],
    ] as const) {
      const actor = appPasswordActor(text, username, 'account:read', { network, userAgent: '' })
      const { inBatch } = await runBatch(db, {
        inBatch: selectActor(db, actor, site.now),
      })
      const alone = await findActor(db, actor, site.now)
      expect(alone).toEqual(inBatch)
      expect(await selectOwnKeys(db, actor, site.now)).toMatchObject(inBatch)
      expect(alone).toHaveLength(text === token && username !== 'bob' ? 1 : 0)
    }
  },
)
