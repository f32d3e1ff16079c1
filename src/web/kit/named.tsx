import type { Child } from 'hono/jsx'
import { getCookie, setCookie } from 'hono/cookie'
import { UNDO_MILLISECONDS } from '../../core/access/undo-slot.ts'
import type { AppContext } from '../http/context.ts'
import { type Fields, echo } from './form.ts'

const COOKIE = 'named'
const FIELD = 'named'
const MAX_CHARACTERS = 100
/** A deletion can be undone for so long. */
const SECONDS = UNDO_MILLISECONDS / 1000

declare module '../http/context.ts' {
  interface Variables {
    /** What the form of this request named. */
    named?: string
  }
}

/** Names in a form what it changes, so that the notice that follows says it. It decides nothing. */
export function Named({ name }: { name: string | undefined }): Child {
  return name !== undefined && <input type="hidden" name={FIELD} value={name} />
}

/** Reads the name in a form. */
export function readNamed(c: AppContext, fields: Fields): void {
  nameNotice(c, echo(fields, FIELD))
}

/** Names what the next notice is about. */
export function nameNotice(c: AppContext, name: string): void {
  if (name !== '') c.set('named', Array.from(name).slice(0, MAX_CHARACTERS).join(''))
}

/** Keeps the name for the page that follows: an address would let others write on our pages. */
export function keepNamed(c: AppContext, notice: string): void {
  const name = c.get('named')
  if (name === undefined) return
  setCookie(c, COOKIE, `${notice}:${name}`, {
    path: '/account',
    maxAge: SECONDS,
    httpOnly: true,
    secure: c.req.url.startsWith('https:'),
    sameSite: 'Strict',
  })
}

/** @returns The name that belongs to a notice; `undefined` without one. */
export function namedIn(c: AppContext, notice: string): string | undefined {
  const [of, ...name] = (getCookie(c, COOKIE) ?? '').split(':')
  return of === notice ? name.join(':') : undefined
}
