/** Folders of tests that a turn runs: a third takes a minute of CPU, all would take three. */
const SHARES = 3

/** What a turn takes away, and the other capabilities whose tests it runs. */
interface Turn {
  name: string
  tested: string[]
}

/**
 * Chooses what one turn shows. In `3 × leaves.length` turns, each capability is tested without each
 * of the leaves.
 *
 * @param number Counts the turns: another one each time.
 * @param leaves The capabilities that can be taken away, at least one.
 * @param capabilities All of them.
 */
export function chooseTurn(
  number: number,
  leaves: readonly string[],
  capabilities: readonly string[],
): Turn {
  const name = leaves[number % leaves.length] ?? ''
  const share = Math.floor(number / leaves.length) % SHARES
  const others = capabilities.filter((capability) => capability !== name)
  return { name, tested: others.filter((_, index) => index % SHARES === share) }
}
