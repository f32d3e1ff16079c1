import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isBeyondThisNetwork } from '../../src/capabilities/groups/downloads.ts'
import { anyCharacter } from '../support/any-character.ts'
import { anyWebUrl } from '../support/any-web-url.ts'

const PUBLIC_HOST = 'files.example.org'
const PARTS = [
  'http://',
  'https://',
  'HTTP://',
  'ftp://',
  'http:',
  '//',
  'x://',
  'magnet:?xt=a&',
  'ed2k://',
  PUBLIC_HOST,
  '127.0.0.1',
  '[::1]',
  '::1',
  'localhost',
  '2130706433',
  '[::ffff:7f00:1]',
  '@',
  ':',
  ':80',
  '/',
  '?',
  '#',
  '\\',
  '.',
  '[',
  ']',
  '%25lo',
  '%00',
  '&',
  '|',
  '\uff0e',
  ' ',
  '\t',
  '\n',
  '\r',
  '\0',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\u3000',
  '\ufeff',
]

/**
 * Reads the hosts of a text as generously as any program: at each scheme in it, with what stands
 * before and after a user name, up to any separator.
 */
function hostsIn(text: string): string[] {
  return text.split(/(?:https?|ftp|x):\/*/i).flatMap((rest, place) => {
    if (place === 0) return []
    const upToPath = rest.split('/')[0] ?? ''
    return upToPath.split(/[@?#\\\s\p{Z}\p{Cc}]/u).map((part) => part.replace(/:\d*$/, ''))
  })
}

test('passes no text in which a generous reader finds a host of this network', () => {
  const anyText = fc
    .array(fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: anyCharacter, maxLength: 2 })), {
      maxLength: 8,
    })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(anyText, fc.constantFrom('', 'http://', `http://${PUBLIC_HOST}`), (text, start) => {
      const address = start + text
      if (!isBeyondThisNetwork(address) || /^(?:magnet|ed2k):/i.test(address)) return
      // A second address in its path is text for its server.
      const [host] = hostsIn(address)
      expect(host?.toLowerCase()).toMatch(
        /\.[a-z\d-]*[a-z-][a-z\d-]*\.?$|^\[2|^\d+\.\d+\.\d+\.\d+$/,
      )
      expect(host?.toLowerCase()).not.toMatch(
        /^(?:127|10|0)(?:\.\d+){3}$|(?:^|\.)localhost$|^\[.*(?:::1|7f00)/,
      )
    }),
  )
})

test('passes the addresses that the web has, but those without a path before a query', () => {
  fc.assert(
    fc.property(anyWebUrl, (address) => {
      const { host, pathname, search } = new URL(address)
      expect(isBeyondThisNetwork(`https://${host}${pathname}${search}`)).toBe(
        !/\.(?:local|localhost|internal|lan|alt|onion|test|invalid|example|intranet)$/.test(host),
      )
    }),
  )
})
