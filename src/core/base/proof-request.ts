/**
 * Tells whether a path of this site is a request of a program that a sign-in from now on is to
 * prove.
 */
export function waitsForProof(path: string): boolean {
  return /[?&]proof=/.test(path)
}
