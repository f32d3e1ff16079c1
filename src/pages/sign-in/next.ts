/** Where a sign-in may lead, by what `next` says: never an address from a request. */
const PAGES: Readonly<Record<string, string>> = { keys: '/account/keys' }

/** What stands in the address of a sign-in page, and in its form; empty for anything unknown. */
export function parseNext({ next = '' }: { next?: string | undefined }): string {
  return Object.hasOwn(PAGES, next) ? next : ''
}

/** Where to go after the sign-in. */
export function pathAfter(next: string): string {
  return PAGES[parseNext({ next })] ?? '/account'
}
