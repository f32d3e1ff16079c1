import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** They take a minute and more, and have few lines. */
const LONG = ['wrong-arguments', 'states', 'sso'].map((name) => `/${name}.test.ts`)

/**
 * The order of Vitest, which begins the files of most bytes first when it has never run any, but
 * for those that would then begin late, and run alone at the end.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- Not a method of an array.
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

function isLong({ project, moduleId }: TestSpecification): boolean {
  return project.name === 'processes' && LONG.some((end) => moduleId.endsWith(end))
}
