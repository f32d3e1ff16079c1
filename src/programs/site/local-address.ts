/** The port of `npm start`, when the operator chooses no other. */
export const DEFAULT_PORT = 8787

/** Where `npm start` answers this machine. */
export function localAddress(port = DEFAULT_PORT): string {
  return `http://localhost:${port}`
}
