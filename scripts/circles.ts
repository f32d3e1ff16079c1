/**
 * Finds circles of files: groups in which each file imports every other one, directly or through
 * others of the group. Type imports count too.
 *
 * @param imports The paths that each file imports, by its own path.
 * @returns The paths of each group, in alphabetical order.
 */
export function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map(Array.from(imports.keys(), (path) => [path, reachedFrom(path, imports)]))
  const grouped = new Set<string>()
  const circles: string[][] = []
  for (const [path, others] of reached) {
    if (!others.has(path) || grouped.has(path)) continue
    const circle = Array.from(others).filter((member) => reached.get(member)?.has(path))
    for (const member of circle) grouped.add(member)
    circles.push(circle.toSorted())
  }
  return circles
}

/** Returns what a file imports, directly and through others; itself only if it is in a circle. */
function reachedFrom(start: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>()
  const next = [start]
  for (let path = next.pop(); path !== undefined; path = next.pop())
    for (const imported of imports.get(path) ?? []) {
      if (reached.has(imported)) continue
      reached.add(imported)
      next.push(imported)
    }
  return reached
}
