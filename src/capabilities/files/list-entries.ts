/** How deep the entries of a list stand in an answer: `{"data": [{}]}`. */
const ENTRY_DEPTH = 2

/** Takes the entries out of the list in an answer of the file server, while it arrives. */
export class ListEntries {
  /** The answer so far, with `null` for each entry. */
  rest = ''
  #entry = ''
  #depth = 0
  #isInText = false
  #isEscaped = false

  /**
   * Reads the next part of the answer.
   *
   * @returns The entries that end in it: each the JSON of an object, or of a list.
   */
  read(part: string): string[] {
    const entries: string[] = []
    let from = 0
    for (let i = 0; i < part.length; i++) {
      const change = this.#depthAfter(part.charAt(i))
      if (change === 1 && this.#depth === ENTRY_DEPTH) {
        this.rest += part.slice(from, i)
        from = i
      }
      this.#depth += change
      if (change === -1 && this.#depth === ENTRY_DEPTH) {
        entries.push(this.#entry + part.slice(from, i + 1))
        this.#entry = ''
        this.rest += 'null'
        from = i + 1
      }
    }
    if (this.#depth > ENTRY_DEPTH) this.#entry += part.slice(from)
    else this.rest += part.slice(from)
    return entries
  }

  /** How many characters are kept. */
  get length(): number {
    return this.rest.length + this.#entry.length
  }

  /** @returns By how much a character changes the depth. */
  #depthAfter(character: string): -1 | 0 | 1 {
    if (this.#isEscaped) {
      this.#isEscaped = false
      return 0
    }
    if (character === '"') this.#isInText = !this.#isInText
    if (this.#isInText) {
      this.#isEscaped = character === '\\'
      return 0
    }
    if (character === '{' || character === '[') return 1
    return character === '}' || character === ']' ? -1 : 0
  }
}
