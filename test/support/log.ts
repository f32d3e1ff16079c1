/** Everything the Worker logged in this test file, and every secret that was used in it. */
const lines: string[] = []
const secrets = new Set<string>()

for (const level of ['log', 'info', 'warn', 'error'] as const) {
  console[level] = (...parts: unknown[]) => lines.push(parts.map(String).join(' '))
}

/** Remembers a password, digest, code, seed or token; a shorter text may stand in a log by chance. */
export function rememberSecret(text: unknown): void {
  if (typeof text === 'string' && text.length >= 6) secrets.add(text)
}

/** The lines logged so far that hold `text`. */
export function loggedLines(text: string): string[] {
  return lines.filter((line) => line.includes(text))
}

/** Digits of a code may be part of a longer number: only a word of its own counts. */
export function leakedSecrets(): string[] {
  const log = lines.join('\n')
  const words = new Set(log.split(/[^\w+/=.-]+/))
  return Array.from(secrets).filter(
    (secret) => words.has(secret) || (secret.length > 6 && log.includes(secret)),
  )
}

/** Begins the log of the next test file. */
export function forgetLog(): void {
  lines.length = 0
  secrets.clear()
}
