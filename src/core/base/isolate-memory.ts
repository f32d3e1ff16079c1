/**
 * Stands for one isolate, which the platform may end at any time. What it remembers hangs on it;
 * each site of the tests has its own.
 */
export type IsolateMemory = object

export function createIsolateMemory(): IsolateMemory {
  return {}
}

/**
 * The things that an isolate remembers of the stores and of other servers, and for how long. Each
 * is a value of the file that makes it, which says what another isolate may see meanwhile.
 */
type Remembered =
  /** 30 s; and 90 s after a save of this isolate, KV is not believed. */
  | 'public settings'
  /** 5 min. */
  | 'whether channels for notices exist'
  /** 10 min. */
  | 'the identity provider'
  /** 1 min. */
  | 'the key set of ID tokens'
  /** 30 s. */
  | 'the settings of the file server'
  /** 2 s. */
  | 'that the file server refuses strangers'
  /** 1 s. */
  | 'that no late write is in force at the file server'
  /** As long as D1 names the same version of them, in the statement that a decision reads. */
  | 'the folder rules'
  /** As long as no other version of the rules waits. */
  | 'whose folders wait to be written'
  /** Until the file server answers each, or its time is over. */
  | 'requests to the file server while there are no rules'
  /** As long as the tokens are stored; at most 1000. */
  | 'opened tokens of the file server'

/**
 * Declares something that an isolate remembers.
 *
 * @param _what Its entry in the list above.
 * @param create Makes the value of an isolate that remembers nothing yet.
 * @returns A function that returns the value of an isolate, to be read and changed.
 */
export function remembered<Value extends object>(
  _what: Remembered,
  create: () => Value,
): (deps: { isolateMemory: IsolateMemory }) => Value {
  const values = new WeakMap<IsolateMemory, Value>()
  return ({ isolateMemory }) => {
    const known = values.get(isolateMemory)
    if (known !== undefined) return known
    const value = create()
    values.set(isolateMemory, value)
    return value
  }
}
