/**
 * Returns how many letters must be inserted, deleted or replaced to turn one text into the other.
 *
 * @see Levenshtein, Binary codes capable of correcting deletions, insertions, and reversals (1966)
 */
export function editDistance(from: string, to: string): number {
  const letters = Array.from(to)
  let row = [0, ...letters.map((_, index) => index + 1)]
  for (const letter of from) {
    const next = [(row[0] ?? 0) + 1]
    for (const [index, otherLetter] of letters.entries()) {
      const replaced = (row[index] ?? 0) + (letter === otherLetter ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/**
 * Finds the nearest of `words`, in any case; `undefined` when all differ by more than `slack`
 * letters.
 */
export function nearest(word: string, words: readonly string[], slack: number): string | undefined {
  const distances = words.map((candidate) => ({
    candidate,
    distance: editDistance(word.toLowerCase(), candidate.toLowerCase()),
  }))
  const [best] = distances.toSorted((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= slack ? best.candidate : undefined
}

/** The shortest part of a word that says which words are meant. */
const MIN_PART_CHARACTERS = 3

/**
 * Finds the words nearest to one, in any case: those that contain it or a part of which (between
 * underscores) it nearly is, the nearest first. There may be none.
 *
 * @param most The number of words at most.
 */
export function nearestFew(word: string, words: readonly string[], most: number): string[] {
  const sought = word.toLowerCase()
  const slack = Math.floor(sought.length / 3)
  return words
    .map((candidate) => {
      const isPart = sought.length >= MIN_PART_CHARACTERS && candidate.includes(sought)
      const parts = [candidate, ...candidate.split('_')]
      const distance = Math.min(...parts.map((part) => editDistance(sought, part)))
      return { candidate, distance: isPart ? 0 : distance }
    })
    .filter(({ distance }) => distance <= slack)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}
