/** Which rows of a list to fetch. */
export interface Window {
  /** Less than 0 means all. */
  limit: number
  offset: number
}

export const EVERYTHING: Window = { limit: -1, offset: 0 }

/**
 * @param page From 1; less counts as 1.
 * @param perPage Less than 1 means all.
 */
export function windowOf(page: number, perPage: number): Window {
  if (perPage < 1) return EVERYTHING
  return { limit: perPage, offset: (Math.max(page, 1) - 1) * perPage }
}

/** As `windowOf`, for lists that grow for ever: never more than `most` at once. */
export function boundedWindowOf(page: number, perPage: number, most: number): Window {
  return windowOf(page, perPage < 1 ? most : Math.min(perPage, most))
}
