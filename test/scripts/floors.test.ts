import { describe, expect, test } from 'vitest'
import { findUpwardImports } from '../../scripts/floors.ts'

const upward = (path: string, text: string) => findUpwardImports(new Map([[path, text]]))

describe('the floors of src', () => {
  test('let a folder import from those below it, from its own, and from packages', () => {
    const text = `
      import { Hono } from 'hono'
      import { sessions } from '../../schema/tables.ts'
      import { Refusal } from '../base/refusals.ts'
      import { refuse } from './envelope.ts'`
    expect(upward('src/http/guard.ts', text)).toEqual([])
  })

  test.each([
    ['a value', `import { createUser } from '../users/manage-users.ts'`],
    ['a type', `import type { UserRequest } from '../users/manage-users.ts'`],
    ['what is passed on', `export { createUser } from '../users/manage-users.ts'`],
    ['what is loaded late', `const users = await import('../users/manage-users.ts')`],
    ['several lines', `import {\n  createUser,\n} from '../users/manage-users.ts'`],
  ])('refuse an import of a higher floor: %s', (_, text) => {
    expect(upward('src/access/token.ts', text)).toEqual([
      'src/access/token.ts imports src/users/manage-users.ts, which is on a higher floor',
    ])
  })

  test('refuse an import of a higher file of src itself', () => {
    expect(upward('src/http/guard.ts', `import { createApp } from '../app.ts'`)).toHaveLength(1)
  })

  test('name a folder that stands on none', () => {
    expect(upward('src/helpers/text.ts', '')).toEqual([
      'src/helpers/text.ts stands on no floor: add helpers to FLOORS',
    ])
  })
})
