/**
 * Reads an own member of a record by a name from outside; `undefined` for inherited members such as
 * `constructor`.
 */
export function own<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
