/** What every answer under `/api` looks like. */
export interface Envelope {
  code: number
  message: string
  // What a test looks at in `data` is what it is about.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}
