import { expect, test } from 'vitest'
import { findCircles } from '../../scripts/circles.ts'
import { staticImportsOf } from '../../scripts/rooms.ts'

const circlesIn = (sources: Record<string, string>) =>
  findCircles(
    new Map(Object.entries(sources).map(([path, text]) => [path, staticImportsOf(path, text)])),
  )

test('files that import each other in one direction are no circle', () => {
  const sources = {
    'src/a.ts': `import { b } from './b.ts'\nimport { c } from './c.ts'`,
    'src/b.ts': `import { c } from './c.ts'\nimport * as v from 'valibot'`,
    'src/c.ts': `import { randomBytes } from 'node:crypto'`,
  }
  expect(circlesIn(sources)).toEqual([])
})

test('a circle is named once, with all its files, type imports included', () => {
  const sources = {
    'src/above.ts': `import { first } from './x/first.ts'`,
    'src/x/third.ts': `export type { First } from './first.ts'`,
    'src/x/first.ts': `import type { Second } from './second.tsx'`,
    'src/x/second.tsx': `import { below } from '../below.ts'\nimport './third.ts'`,
    'src/below.ts': '',
    'schema/left.ts': `import '../test/right.ts'`,
    'test/right.ts': `import {\n  left,\n} from '../schema/left.ts'`,
  }
  expect(circlesIn(sources)).toEqual([
    ['src/x/first.ts', 'src/x/second.tsx', 'src/x/third.ts'],
    ['schema/left.ts', 'test/right.ts'],
  ])
})

test('a file that loads another one later is in no circle with it', () => {
  const sources = {
    'src/a.ts': `const { b } = await import('./b.ts')`,
    'src/b.ts': `import { a } from './a.ts'`,
  }
  expect(circlesIn(sources)).toEqual([])
})

test('a file that imports itself is a circle', () => {
  expect(circlesIn({ 'src/a.ts': `import { a } from './a.ts'` })).toEqual([['src/a.ts']])
})
