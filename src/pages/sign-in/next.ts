/** Pages that a sign-in can lead to, by `next`. A request never supplies the path itself. */
const PAGES: Readonly<Record<string, string>> = { keys: '/account/keys' }

/** Reads `next` from the query or the form of a sign-in page; empty when it is unknown. */
export function parseNext({ next = '' }: { next?: string | undefined }): string {
  return Object.hasOwn(PAGES, next) ? next : ''
}

/** Returns the path of the page after the sign-in. */
export function pathAfter(next: string): string {
  return PAGES[parseNext({ next })] ?? '/account'
}
