import { beforeEach, describe, expect, test } from 'vitest'
import { Model, Violation } from './model.ts'

let model: Model

beforeEach(() => {
  model = new Model()
})

const key = (title: string, fingerprint = title) => ({ title, fingerprint })

describe('the model of the soak', () => {
  test('holds the service to a session it has given', () => {
    model.signedIn('a')
    model.honoured('a', 200)
    model.honoured('a', 503)
    expect(() => model.honoured('a', 401)).toThrow(Violation)
    expect(() => model.signedIn('a')).toThrow(Violation)
  })

  test('holds the service to the end of a session', () => {
    model.signedIn('a')
    model.ended('a', 200)
    expect(model.liveToken).toBeUndefined()
    expect(model.deadToken).toBe('a')
    model.honoured('a', 401)
    expect(() => model.honoured('a', 200)).toThrow(Violation)
  })

  test('takes either for an answer after an outage, and no other after the first 401', () => {
    model.signedIn('a')
    model.signedIn('b')
    model.allEnded(503, 'b')
    model.honoured('a', 200)
    model.honoured('a', 401)
    expect(() => model.honoured('a', 200)).toThrow(Violation)
    expect(model.liveToken).toBe('b')
  })

  test('holds the service to all of a change, once it is clear that it has happened', () => {
    model.signedIn('a')
    model.signedIn('b')
    model.allEnded(503)
    expect(model.liveToken).toBeUndefined()
    model.honoured('a', 200)
    model.settled(true)
    model.honoured('b', 401)
    expect(() => model.honoured('a', 200)).toThrow(Violation)
  })

  test('holds the service to nothing of a change that has not happened', () => {
    model.signedIn('a')
    model.signedIn('b')
    model.allEnded(503, 'b')
    model.settled(false)
    model.honoured('a', 200)
    expect(() => model.honoured('a', 401)).toThrow(Violation)
    model.allEnded(503)
    model.honoured('b', 401)
    expect(() => model.settled(false)).toThrow('has ended a session')
  })

  test('knows a session that has outlived a change', () => {
    model.signedIn('a')
    model.allEnded(200)
    expect(() => model.honoured('a', 200)).toThrow(Violation)
  })

  test('misses a key that was acknowledged, and no other', () => {
    model.keyAdded('desk', 'desk', 200)
    model.keyAdded('attic', 'attic', 503)
    model.listed([key('desk')])
    model.listed([key('desk'), key('attic'), key('laptop')])
    expect(() => model.listed([key('attic')])).toThrow('the key desk is lost')
    expect(() => model.keyDeleted('desk', 404)).toThrow('the key desk is lost')
  })

  test('knows a key that is deleted, of another, alien or listed twice', () => {
    model.keyAdded('desk', 'desk', 200)
    expect(() => model.listed([key('desk', 'other')])).toThrow(Violation)
    expect(() => model.listed([key('desk'), key('alien')])).toThrow(Violation)
    expect(() => model.listed([key('desk'), key('desk')])).toThrow(Violation)
    model.keyDeleted('desk', 503)
    model.listed([])
    model.listed([key('desk')])
    model.keyDeleted('desk', 200)
    expect(() => model.listed([key('desk')])).toThrow('is back')
  })
})
