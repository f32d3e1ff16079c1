import { describe, expect, test } from 'vitest'
import { findForbiddenImports, findUnusedEdges } from '../../scripts/rooms.ts'

const forbidden = (path: string, text: string) => findForbiddenImports(new Map([[path, text]]))

describe('the rooms of src', () => {
  test('let a room import from lower tiers, by an edge, from itself, and from packages', () => {
    const text = `
      import * as v from 'valibot'
      import { sessions } from '../../schema/tables.ts'
      import { Refusal } from '../base/refusals.ts'
      import { chargeAttempt } from '../throttle/requests.ts'
      import { secondFactorOf } from '../two-factor/second-factor.ts'
      import { newSession } from './new-session.ts'`
    expect(forbidden('src/capabilities/sign-in/sign-in.ts', text)).toEqual([])
  })

  test.each([
    ['a value', `import { createUser } from '../users/manage-users.ts'`],
    ['a type', `import type { UserRequest } from '../users/manage-users.ts'`],
    ['what is passed on', `export { createUser } from '../users/manage-users.ts'`],
    ['what is loaded late', `const users = await import('../users/manage-users.ts')`],
    ['several lines', `import {\n  createUser,\n} from '../users/manage-users.ts'`],
  ])('refuse an import of a higher tier: %s', (_, text) => {
    expect(forbidden('src/core/access/token.ts', text)).toEqual([
      'src/core/access/token.ts imports src/capabilities/users/manage-users.ts: capabilities stand above identity',
    ])
  })

  test('refuse an import of a later room of the same tier', () => {
    expect(forbidden('src/web/http/guard.ts', `import { createApp } from '../app.ts'`)).toEqual([
      'src/web/http/guard.ts imports src/app.ts: app stands after http',
    ])
  })

  test('refuse an import of another capability without an edge', () => {
    const text = `import { parsePublicKey } from '../ssh-keys/openssh.ts'`
    expect(forbidden('src/capabilities/passkeys/cose.ts', text)).toEqual([
      'src/capabilities/passkeys/cose.ts imports src/capabilities/ssh-keys/openssh.ts: there is no edge “passkeys > ssh-keys”',
    ])
  })

  test.each([`'hono'`, `'hono/cookie'`, `'../http/context.ts'`, `'./http/cookies.ts'`])(
    'let only the folder http/ of a capability import %s',
    (name) => {
      const text = `import { one } from ${name}`
      expect(forbidden('src/capabilities/sso/sign-in.ts', text)).toEqual([
        expect.stringContaining('decisions know no HTTP'),
      ])
      expect(
        forbidden('src/core/access/token.ts', text.replace("'./http", "'../sso/http")),
      ).toHaveLength(1)
      const inside = text.replace('../http', '../../http').replace('./http/', './')
      expect(forbidden('src/capabilities/sso/http/routes.ts', inside)).toEqual([])
    },
  )

  test.each([
    ['start/serve.ts', '../deploy/steps.ts', 'start > deploy'],
    ['operator/ssh-keys/key.ts', '../passkeys/passkey.ts', 'operator/ssh-keys > operator/passkeys'],
    ['site/site.ts', '../operator/users/user.ts', 'site > operator/users'],
    ['shared/output.ts', '../site/site.ts', 'shared > site'],
    ['import/plan.ts', '../program.ts', 'import > main'],
  ])('keep the programs of the command line apart: %s imports %s', (file, name, edge) => {
    expect(forbidden(`src/programs/${file}`, `import { one } from '${name}'`)).toEqual([
      expect.stringContaining(`programs have no edge “${edge}”`),
    ])
  })

  test('let the programs of the command line share two folders, and their entries use all', () => {
    const shared = `import { one } from '../shared/output.ts'\nimport { two } from '../site/site.ts'`
    expect(forbidden('src/programs/deploy/steps.ts', shared)).toEqual([])
    expect(
      forbidden('src/programs/main.ts', `import { one } from './operator/users/user.ts'`),
    ).toEqual([])
  })

  test('name a folder that is in none', () => {
    expect(forbidden('src/helpers/text.ts', '')).toEqual([
      'src/helpers/text.ts is in no room: add helpers to TIERS in scripts/rooms.ts',
    ])
  })

  test('name an edge that nothing uses', () => {
    expect(findUnusedEdges(new Map())).toContain('sign-in > two-factor')
  })
})
