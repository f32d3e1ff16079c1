import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { literal } from '../database/literal.ts'

/** Letters of other alphabets, and digits, that look like a Latin letter in lower case. */
export const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аɑɐαᴀ⍺4@',
    b: 'ьвβʙ8',
    c: 'сϲᴄ',
    d: 'ԁᴅđɗ',
    e: 'еεҽᴇǝ3',
    f: 'ꜰ',
    g: 'ɡɢ9',
    h: 'һнηʜ',
    i: 'іιıɪǀłʟ1!¡|l',
    j: 'јϳᴊ',
    k: 'кκᴋ',
    m: 'мᴍʍ',
    n: 'пոɴ',
    o: 'оοσօᴏøɔ0',
    p: 'рρᴘ',
    q: 'ԛ',
    r: 'гɍʀ',
    s: 'ѕꜱ5$',
    t: 'тτᴛ7',
    u: 'υսцᴜ',
    v: 'ѵνᴠ',
    w: 'ԝωшᴡ',
    x: 'хχ',
    y: 'уγүʏ',
    z: 'ᴢ2',
  }).flatMap(([letter, alike]) => Array.from(alike, (variant) => [variant, letter] as const)),
)

/**
 * The Cyrillic and Greek ones that have the shape of a Latin letter, small or capital. D1 takes
 * about 45 calls inside each other.
 */
const TWINS = Array.from('авеһікмнорсѕтухјαεικμνορτυχ', (letter) => {
  return [letter, LOOK_ALIKES.get(letter) ?? letter] as const
})
const TWIN_OF: ReadonlyMap<string, string> = new Map(TWINS)

/** Returns a key of a name with Latin letters in place of those of other alphabets like them. */
export function latinLook(key: string): string {
  return Array.from(key, (letter) => TWIN_OF.get(letter) ?? letter).join('')
}

/** The same of a column. */
export function latinLookOf(column: SQLWrapper): SQL {
  return TWINS.reduce(
    (text, [letter, twin]) => sql`replace(${text}, ${literal(letter)}, ${literal(twin)})`,
    sql`${column}`,
  )
}
