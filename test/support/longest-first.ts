import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, in this order. Of the others, the larger come first. */
const LONGEST = [
  'cli/start.test.ts',
  'cli/import.test.ts',
  'e2e/axe.test.ts',
  'cli/deploy.test.ts',
  'e2e/sshd.test.ts',
  'cli/notices.test.ts',
  'e2e/bench.test.ts',
  'cli/commands.test.ts',
  'e2e/layout.test.ts',
  'e2e/soak.test.ts',
]

/** Runs the longest files first, so that no core waits for one of them at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- It is no method of an array.
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}`))
  return place === -1 ? LONGEST.length : place
}
