/** The rows of a list that a page shows. */
export interface PageWindow {
  /** Less than 0 means all. */
  limit: number
  offset: number
}

export const EVERYTHING: PageWindow = { limit: -1, offset: 0 }

/**
 * Returns the rows of a page.
 *
 * @param page From 1; less counts as 1.
 * @param perPage Less than 1 means all.
 */
export function windowOf(page: number, perPage: number): PageWindow {
  if (perPage < 1) return EVERYTHING
  return { limit: perPage, offset: (Math.max(page, 1) - 1) * perPage }
}

/** Like `windowOf`, but with at most `most` rows, for lists that keep growing. */
export function boundedWindowOf(page: number, perPage: number, most: number): PageWindow {
  return windowOf(page, perPage < 1 ? most : Math.min(perPage, most))
}
