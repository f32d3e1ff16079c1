import type { Texts } from './texts.ts'
import type { View } from './view.ts'

interface PagerProps {
  view: View
  page: number
  pages: number
  address: (page: number) => string
  /** Texts of the links; “Newer” and “Older” by default. */
  words?: Texts['pager']
}

/** Links to the previous and the next page of a list; nothing when there is one page. */
export function Pager({ view, page, pages, address, words = view.t.pager }: PagerProps) {
  if (pages === 1 && page === 1) return <></>
  return (
    <p class="pages">
      {page > 1 ? <a href={address(Math.min(page - 1, pages))}>{words.newer}</a> : <span />}
      <span>{words.page(page, pages)}</span>
      {page < pages ? <a href={address(page + 1)}>{words.older}</a> : <span />}
    </p>
  )
}

interface NumberedPagesProps {
  label: string
  page: number
  pages: number
  address: (page: number) => string
  words: { previous: string; next: string; goTo: (page: number) => string }
}

/** Links to the first, the last and the neighbouring pages; nothing when there is one page. */
export function NumberedPages({ label, page, pages, address, words }: NumberedPagesProps) {
  if (pages === 1) return <></>
  const numbers = [...new Set([1, page - 1, page, page + 1, pages])].filter(
    (number) => number >= 1 && number <= pages,
  )
  return (
    <div class="pages" role="navigation" aria-label={label}>
      {page > 1 && (
        <a href={address(page - 1)} aria-label={words.previous} rel="prev">
          ‹
        </a>
      )}
      {numbers.map((number, place) => (
        <>
          {number - (numbers[place - 1] ?? 0) > 1 && <span aria-hidden="true">…</span>}
          <a
            href={address(number)}
            aria-label={words.goTo(number)}
            aria-current={number === page ? 'page' : undefined}
          >
            {number}
          </a>
        </>
      ))}
      {page < pages && (
        <a href={address(page + 1)} aria-label={words.next} rel="next">
          ›
        </a>
      )}
    </div>
  )
}
