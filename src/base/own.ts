/**
 * What a record itself holds under a name that somebody else chose; never what every object
 * inherits, such as `constructor`.
 */
export function own<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
