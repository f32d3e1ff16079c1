import { describe, expect, test } from 'vitest'
import { findForbiddenImports, findUnusedEdges } from '../../scripts/rooms.ts'

/** @param uses What the manifest of `sign-in` names. */
const forbidden = (path: string, text: string, uses: string[] = []) => {
  const manifest = `export const USES = {\n${uses.map((name) => `  '${name}': 'why',\n`).join('')}}`
  return findForbiddenImports(
    new Map([
      [path, text],
      ['src/capabilities/sign-in/capability.ts', manifest],
    ]),
  )
}
const CAPABILITY = 'src/capabilities/sign-in'

describe('the rooms of src', () => {
  test('let a file import from lower parts, from its own room, from what its manifest names, and from packages', () => {
    const text = `
      import * as v from 'valibot'
      import { sessions } from '../../../schema/tables.ts'
      import { Refusal } from '../../core/base/refusals.ts'
      import { chargeAttempt } from '../../core/throttle/requests.ts'
      import { secondFactorOf } from '../two-factor/second-factor.ts'
      import { newSession } from './new-session.ts'`
    expect(forbidden(`${CAPABILITY}/sign-in.ts`, text, ['two-factor'])).toEqual([])
  })

  test.each([
    ['a value', `import { createUser } from '../../capabilities/users/manage-users.ts'`],
    ['a type', `import type { UserRequest } from '../../capabilities/users/manage-users.ts'`],
    ['what is passed on', `export { createUser } from '../../capabilities/users/manage-users.ts'`],
    [
      'what is loaded late',
      `const users = await import('../../capabilities/users/manage-users.ts')`,
    ],
    ['several lines', `import {\n  createUser,\n} from '../../capabilities/users/manage-users.ts'`],
  ])('refuse an import of a higher part: %s', (_, text) => {
    expect(forbidden('src/core/access/token.ts', text)).toEqual([
      'src/core/access/token.ts imports src/capabilities/users/manage-users.ts: capabilities stands above core',
    ])
  })

  test('refuse an import of a later room of the same part', () => {
    const text = `import { actAs } from '../access/act-as.ts'`
    expect(forbidden('src/core/accounts/store.ts', text)).toEqual([
      'src/core/accounts/store.ts imports src/core/access/act-as.ts: access stands after accounts',
    ])
    expect(forbidden('src/web/http/guard.ts', `import { Row } from '../kit/rows.tsx'`)).toEqual([
      'src/web/http/guard.ts imports src/web/kit/rows.tsx: kit stands after http',
    ])
  })

  test('refuse an import of another capability that the manifest does not name', () => {
    const text = `import { secondFactorOf } from '../two-factor/second-factor.ts'`
    expect(forbidden(`${CAPABILITY}/sign-in.ts`, text)).toEqual([
      `${CAPABILITY}/sign-in.ts imports src/capabilities/two-factor/second-factor.ts: USES of sign-in does not name two-factor`,
    ])
  })

  test('keep capabilities out of the kit of the pages', () => {
    const text = `import { readSettings } from '../../capabilities/settings/copy.ts'`
    expect(forbidden('src/web/kit/view.ts', text)).toEqual([
      'src/web/kit/view.ts imports src/capabilities/settings/copy.ts: capabilities stands above web',
    ])
  })

  test.each([`'hono'`, `'hono/cookie'`, `'../../web/http/context.ts'`, `'./http/cookies.ts'`])(
    'let only routes, pages, texts and the manifest of a capability import %s',
    (name) => {
      const text = `import { one } from ${name}`
      expect(forbidden('src/capabilities/sso/sign-in.ts', text)).toEqual([
        expect.stringContaining('decisions know no HTTP'),
      ])
      const below = text.replace("'./http", "'../../capabilities/sso/http")
      expect(forbidden('src/core/access/token.ts', below)).toHaveLength(1)
      const inside = text.replace('../../web', '../../../web').replace('./http/', '../http/')
      for (const place of ['http/routes.ts', 'pages/answers.tsx'])
        expect(forbidden(`src/capabilities/sso/${place}`, inside)).toEqual([])
      for (const place of ['texts.en.ts', 'capability.ts'])
        expect(forbidden(`src/capabilities/sso/${place}`, text)).toEqual([])
    },
  )

  test.each(['commands.ts', 'commands/sso.ts', 'programs.ts', 'docs.ts'])(
    'let the Worker load no %s',
    (file) => {
      const text = `import { one } from './${file}'`
      expect(forbidden('src/capabilities/sso/sign-in.ts', text)).toEqual([
        expect.stringContaining('only Node loads it'),
      ])
    },
  )

  test.each([
    ['src/programs/start/serve.ts', '../deploy/steps.ts', 'start > deploy'],
    [
      'src/capabilities/ssh-keys/commands.ts',
      '../passkeys/commands.ts',
      'ssh-keys/commands > passkeys/commands',
    ],
    ['src/programs/site/site.ts', '../doctor/doctor.ts', 'site > doctor'],
    ['src/programs/kit/output.ts', '../site/site.ts', 'kit > site'],
    ['src/programs/import/plan.ts', '../program.ts', 'import > main'],
  ])('keep programs apart: %s imports %s', (file, name, edge) => {
    expect(forbidden(file, `import { one } from '${name}'`)).toEqual([
      expect.stringContaining(`programs have no edge “${edge}”`),
    ])
  })

  test('let programs and commands share two folders, and the entries of programs use all', () => {
    const shared = `import { one } from '../kit/output.ts'\nimport { two } from '../site/site.ts'`
    expect(forbidden('src/programs/deploy/steps.ts', shared)).toEqual([])
    const ofCommand = shared.replaceAll('../', '../../programs/')
    expect(forbidden('src/capabilities/ssh-keys/commands.ts', ofCommand)).toEqual([])
    const entry = `import { one } from '../capabilities/ssh-keys/commands.ts'`
    expect(forbidden('src/programs/main.ts', entry)).toEqual([])
  })

  test('name a file that is in no room', () => {
    expect(forbidden('src/helpers/text.ts', '')).toEqual([
      'src/helpers/text.ts is in no room: add it to PARTS in scripts/rooms.ts',
    ])
  })

  test('name a use that nothing needs', () => {
    const manifest = `export const USES = {\n  'two-factor': 'a sign-in asks for the code',\n}`
    const sources = new Map([['src/capabilities/sign-in/capability.ts', manifest]])
    expect(findUnusedEdges(sources)).toContain('sign-in > two-factor')
  })
})
