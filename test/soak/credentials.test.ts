import { describe, expect, test } from 'vitest'
import { phoneCode } from '../support/authenticator.ts'
import { Passwords, SecondFactor } from './credentials.ts'
import { Violation } from './model.ts'

describe('the passwords of the soak', () => {
  test('hold the service to a change it has acknowledged', () => {
    const passwords = new Passwords('old')
    passwords.changed('new', 200)
    expect(passwords.likeliest).toBe('new')
    expect(passwords.ended).toBe('old')
    passwords.tried('old', 401)
    expect(() => passwords.tried('old', 402)).toThrow(Violation)
    expect(() => passwords.tried('new', 401)).toThrow(Violation)
  })

  test('are either after an outage, until one of them works', () => {
    const passwords = new Passwords('old')
    passwords.changed('new', 503)
    expect(passwords.isInDoubt).toBe(true)
    expect(passwords.tried('new', 503)).toBeUndefined()
    expect(passwords.tried('new', 200)).toBe(true)
    expect(passwords.isInDoubt).toBe(false)
    expect(() => passwords.tried('old', 200)).toThrow('has ended')
  })

  test('are either after an outage, until one of them does not work', () => {
    const passwords = new Passwords('old')
    passwords.changed('new', 503)
    expect(passwords.tried('new', 401)).toBeUndefined()
    expect(passwords.likeliest).toBe('old')
    expect(() => passwords.tried('old', 401)).toThrow('refused')
    expect(passwords.tried('old', 402)).toBe(false)
    expect(() => passwords.tried('new', 200)).toThrow('has ended')
  })

  test('know an answer that no change may get', () => {
    expect(() => new Passwords('old').changed('new', 403)).toThrow(Violation)
  })
})

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
/** The beginning of a time step; Unix time, milliseconds. */
const NOW = 60_000_000 * 30

function enrolled(): SecondFactor {
  const factor = new SecondFactor()
  factor.enrolled(SECRET, 200)
  return factor
}

describe('the second factor of the soak', () => {
  test('is on from an acknowledged enrolment to an acknowledged end', () => {
    const factor = enrolled()
    factor.shown(true)
    expect(() => factor.shown(false)).toThrow(Violation)
    factor.switchedOff(200)
    factor.shown(false)
    expect(() => factor.shown(true)).toThrow(Violation)
  })

  test('is either after an outage, until it is shown', () => {
    const factor = new SecondFactor()
    factor.enrolled(SECRET, 503)
    expect(factor.isOn).toBe('unknown')
    expect(factor.shown(false)).toBe(false)
    factor.enrolled(SECRET, 503)
    expect(factor.shown(true)).toBe(true)
    expect(factor.shown(true)).toBeUndefined()
    factor.switchedOff(503)
    expect(factor.shown(true)).toBe(false)
  })

  test('gives each code once: of this step, of the next, of paper', () => {
    const factor = enrolled()
    factor.renewed(['AAAA-BBBB-CCCC-DDDD'])
    const codes = [1, 2, 3, 4].map(() => factor.take(NOW))
    const steps = [phoneCode(SECRET, NOW), phoneCode(SECRET, NOW, 1)]
    expect(codes).toEqual([...steps, 'AAAA-BBBB-CCCC-DDDD', undefined])
    expect(factor.take(NOW + 30_000)).toBe(phoneCode(SECRET, NOW, 2))
    expect(factor.take(NOW + 300_000)).toBe(phoneCode(SECRET, NOW, 10))
  })

  test('remembers a code that must not work again', () => {
    const factor = enrolled()
    expect(factor.spentCode(NOW)).toBeUndefined()
    const code = factor.take(NOW) ?? ''
    factor.accepted(code)
    expect(factor.spentCode(NOW)).toBe(code)
    factor.renewed(['AAAA-BBBB-CCCC-DDDD'])
    factor.renewed(['EEEE-FFFF-GGGG-HHHH'])
    expect(factor.spentCode(NOW)).toBe('AAAA-BBBB-CCCC-DDDD')
    factor.switchedOff(200)
    expect(factor.spentCode(NOW)).toBeUndefined()
  })

  test('holds the service to no recovery code after an outage of their renewal', () => {
    const factor = enrolled()
    factor.renewed(['AAAA-BBBB-CCCC-DDDD'])
    factor.renewed(undefined)
    expect(factor.spentCode(NOW)).toBeUndefined()
    expect([1, 2, 3].map(() => factor.take(NOW)).at(-1)).toBeUndefined()
  })

  test('takes no code for a used one that a later step has as well', () => {
    const factor = enrolled()
    factor.accepted(phoneCode(SECRET, NOW, 1))
    expect(factor.spentCode(NOW)).toBeUndefined()
  })

  test('knows an answer that no good code may get', () => {
    expect(() => enrolled().switchedOff(400)).toThrow(Violation)
    expect(() => enrolled().enrolled(SECRET, 400)).toThrow(Violation)
  })
})
