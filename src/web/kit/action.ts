import { Hono } from 'hono'
import type { GenericSchema } from 'valibot'
import { Refusal } from '../../core/base/refusals.ts'
import type { App, AppContext } from '../http/context.ts'
import { validate } from '../http/input.ts'
import { confirmWith } from './confirm.tsx'
import { attempt, type Fields, readForm, type Refused } from './form.ts'
import { readNamed } from './named.tsx'
import { type DoneNotice, goTo } from './view.ts'

type Answer = Response | Promise<Response>

/** Shows a page; after a refusal, with the form that was refused. */
export type Page<Name extends string = string> = (c: AppContext, refused?: Refused<Name>) => Answer

interface Form<Result> {
  /** The page at the form's own address. Without it, the form is a part of the page of its group. */
  page?: Page
  /** Shows a refusal, where neither of these pages has the form. */
  refused?: Page
  /** Whether the form has `ConfirmFields`, which make the session fresh before the change. */
  confirms?: boolean
  /** A notice on the page of the group, or another answer. */
  done: DoneNotice | ((c: AppContext, result: Result, fields: Fields) => Answer)
}

interface PlainForm<Result> extends Form<Result> {
  reads?: undefined
  run: (c: AppContext, fields: Fields) => Promise<Result>
}

interface FormWithInput<Given, Result> extends Form<Result> {
  /** Checks the fields: a schema or a function. It comes first, so that wrong fields cost no code. */
  reads: GenericSchema<unknown, Given> | ((fields: Fields, c: AppContext) => Given)
  /** The change. Its refusals are shown in the form. */
  run: (c: AppContext, given: Given, fields: Fields) => Promise<Result>
}

type AnyForm<Given, Result> = PlainForm<Result> | FormWithInput<Given, Result>

/** A form whose types `action` has checked. */
export interface Action {
  page: Page | undefined
  answer: <Name extends string>(c: AppContext, group: Group<Name>, name: Name) => Promise<Response>
}

interface Group<Name extends string> {
  path: string
  page: Page<Name>
}

/** Declares the change that a form makes, and the page to which it leads. */
export function action<Given extends object, Result>(form: FormWithInput<Given, Result>): Action
export function action<Result>(form: PlainForm<Result>): Action
export function action<Given extends object, Result>(form: AnyForm<Given, Result>): Action {
  return {
    page: form.page,
    async answer(c, group, name) {
      const fields = await readForm(c)
      const result = await attempt(async () => {
        const run = changeOf(c, form, fields)
        if (form.confirms === true) await confirmWith(c, fields)
        return run()
      })
      if (result instanceof Refusal) {
        const refused = { form: name, fields, refusal: result }
        const page = form.refused ?? form.page
        return page === undefined ? group.page(c, refused) : page(c, refused)
      }
      const { done } = form
      readNamed(c, fields)
      return typeof done === 'string' ? goTo(c, group.path, done) : done(c, result, fields)
    },
  }
}

/** @throws {Refusal} `invalidBody`, and the refusals of `reads`. */
function changeOf<Given extends object, Result>(
  c: AppContext,
  form: AnyForm<Given, Result>,
  fields: Fields,
): () => Promise<Result> {
  if (form.reads === undefined) return () => form.run(c, fields)
  const { reads } = form
  const given = typeof reads === 'function' ? reads(fields, c) : validate(reads, fields)
  return () => form.run(c, given, fields)
}

/**
 * The forms of a page: what each of them sends, and their own pages. A refused form leaves its
 * address in the address bar; opening an address that has no page leads to the page of the group.
 *
 * @param path The address of the page.
 * @param page Shows a refused form that has no page of its own.
 * @param forms By the last segment of their address.
 */
export function formsOf<Name extends string>(
  path: string | ((c: AppContext) => string),
  page: Page<NoInfer<Name>>,
  forms: Record<Name, Action>,
): Hono<App> {
  const pathIn = typeof path === 'function' ? path : () => path
  const pages = new Hono<App>()
  let hasFormsOfPage = false
  for (const name in forms) {
    const { page: own, answer } = forms[name]
    if (own === undefined) hasFormsOfPage = true
    else pages.get(`/${name}`, (c) => own(c))
    pages.post(`/${name}`, (c) => answer(c, { path: pathIn(c), page }, name))
  }
  return hasFormsOfPage ? pages.get('/:form', (c) => goTo(c, pathIn(c))) : pages
}
