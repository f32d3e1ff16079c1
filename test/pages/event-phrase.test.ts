import { describe, expect, test } from 'vitest'
import { EVENT_KINDS, type EventKind } from '../../src/core/audit/kinds.ts'
import { readSignInDetail, signInDetail } from '../../src/core/audit/sign-in-detail.ts'
import { type EventPhrase, phraseOf } from '../../src/capabilities/activity/pages/event-phrase.ts'
import { en } from '../../src/app/texts.en.ts'
import { zh } from '../../src/app/texts.zh.ts'

const own = { detail: '', isOwn: true, hasUser: true, times: 1 }
const others = { ...own, isOwn: false }
const nobody = { ...own, hasUser: false }

describe('the phrase of an event', () => {
  test.each<[EventKind, Partial<typeof own>, EventPhrase]>([
    ['sign_in', { detail: 'pwd' }, 'sign_in'],
    ['sign_in', { detail: 'pwd otp' }, 'sign_in_code'],
    ['sign_in', { detail: 'pwd recovery' }, 'sign_in_recovery'],
    ['sign_in', { detail: 'passkey' }, 'sign_in_passkey'],
    ['sign_in', { detail: 'Github: sso' }, 'sign_in_provider'],
    ['sign_in', { detail: 'OIDC: sso otp' }, 'sign_in_provider_code'],
    ['sign_in_refused', { detail: 'code' }, 'sign_in_refused_reason'],
    ['sign_in_refused', { detail: 'of a later version' }, 'sign_in_refused'],
    ['sign_in_refused', nobody, 'sign_in_refused_unknown'],
    ['sign_in_refused', { ...nobody, times: 2 }, 'sign_in_refused_unknown_times'],
    ['session_ended', { detail: 'logout' }, 'session_ended_logout'],
    ['session_ended', { detail: 'one' }, 'session_ended'],
    ['session_ended', { detail: 'all others' }, 'session_ended_others'],
    ['session_ended', { detail: 'everything' }, 'session_ended_everything'],
    ['session_ended', { detail: 'device limit' }, 'session_ended_limit'],
    ['session_ended', { ...others, detail: 'all' }, 'session_ended_all'],
    ['session_ended', { ...others, detail: 'everyone' }, 'session_ended_everyone'],
    ['proof_refused', { detail: 'password' }, 'proof_refused'],
    ['proof_refused', { detail: 'passkey' }, 'proof_refused_passkey'],
    ['proof_refused', { detail: 'constructor' }, 'proof_refused'],
    ['key_added', { detail: 'of_other' }, 'key_added'],
    ['key_added', others, 'key_added_of_other'],
    ['password_reset', others, 'password_reset'],
  ])('of %s with %j is %s', (kind, facts, phrase) => {
    expect(phraseOf({ ...own, ...facts, kind })).toBe(phrase)
  })

  test('is its kind when nothing more is known', () => {
    for (const kind of EVENT_KINDS) expect(phraseOf({ ...own, kind })).toBe(kind)
  })

  test('names nobody and nothing that its sentence does not have', () => {
    for (const { events } of [en, zh])
      for (const text of Object.values(events))
        expect(text.replaceAll(/\{(who|whose|whom|what|provider|reason|times)\}/g, '')).not.toMatch(
          /[{}]/,
        )
  })
})

test('the detail of a sign-in is read as it was written', () => {
  for (const detail of [
    { provider: undefined, methods: ['pwd', 'otp'] },
    { provider: 'Github', methods: ['sso'] },
    { provider: undefined, methods: [] },
  ])
    expect({ provider: undefined, ...readSignInDetail(signInDetail(detail)) }).toEqual(detail)
})
