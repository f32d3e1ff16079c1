/** The form of every answer under `/api`. */
export interface Envelope {
  code: number
  message: string
  // Each test knows the members of `data` that it compares.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

/**
 * Takes the data out of the answer of an endpoint that does what it is asked.
 *
 * @param from Named in the error.
 */
export function accept({ code, message, data }: Envelope, from = ''): Envelope['data'] {
  if (code !== 200) throw new Error(`${from}: ${message}`)
  return data
}
