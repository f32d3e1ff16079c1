import type { Example, Examples, Given, Operation } from './operation.ts'
import type { Route } from './routes.ts'

/**
 * Lists the examples of an endpoint: its own, and the refusals that its guard, input and needs
 * imply.
 */
export function examplesOf(operation: Operation, route: Route): Examples {
  const { query, body, form, headers } = operation.examples.success
  const request = {
    ...(query && { query }),
    ...(body && { body }),
    ...(form && { form }),
    ...(headers && { headers }),
  }
  const examples: Examples = { ...operation.examples }
  const add = (name: string, given: Given, refusal: RefusalOf<Example>, fill?: string) => {
    const answer = { refusal, ...(fill !== undefined && { fill }) }
    examples[name] = { ...request, given, answer }
  }
  const needs = operation.needs ?? ['database', 'secret']

  if (route.needs !== undefined) {
    add('no token', 'nobody is signed in', 'guestDisabled')
    add('an expired token', 'the token has expired', 'tokenExpired')
    add('an ended session', 'the session has ended', 'tokenInvalidated')
    add('a changed password', 'the password was changed since', 'passwordChanged')
    add('a disabled account', 'the account was disabled since', 'accountDisabled')
    if (operation.withoutFactor === undefined)
      add(
        'no second factor',
        'the site demands a second factor, and alice has none',
        'secondFactorMissing',
      )
    if (operation.withoutFactor !== 'always')
      add(
        'a second factor that was not shown',
        'the site demands a second factor, and alice did not show hers',
        'secondFactorUnused',
      )
    if (route.needs === 'session')
      add('an app password', 'the caller has an app password', 'sessionNeeded')
    else
      add('another scope', 'alice has an app password of another scope', 'scopeNeeded', route.needs)
    if (route.needs !== 'session')
      add(
        'an app password without a second factor',
        'the site demands a second factor, and a password alone made the app password',
        'tokenLacksFactor',
      )
  }
  if (operation.guest !== undefined)
    add('the guest', 'nobody is signed in, the guest is enabled', operation.guest)
  if (route.inputs.some(({ target }) => target === 'json')) {
    examples['a large body'] = {
      ...(query && { query }),
      given: 'the body is larger than 64 KiB',
      answer: { refusal: 'bodyTooLarge' },
    }
  }
  if (needs.includes('secret')) add('no secret', 'no secret is configured', 'internal')
  if (needs.includes('database')) add('an outage', 'the database is unavailable', 'unavailable')
  return examples
}

type RefusalOf<E extends Example> = Extract<E['answer'], { refusal: unknown }>['refusal']
