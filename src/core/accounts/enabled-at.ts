/** The same as `isEnabled` (conditions.ts), for a row that was read. */
export function isEnabledAt(
  { disabled, endsAt }: { disabled: boolean; endsAt: number | null },
  now: number,
): boolean {
  return !disabled && (endsAt === null || endsAt > now)
}
