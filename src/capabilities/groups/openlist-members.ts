/** OpenList reads the names of members in any case, and the last one counts. */
export function withSmallNames(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]),
  )
}
