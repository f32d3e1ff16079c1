import { html } from 'hono/html'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Markdown } from '../../src/web/kit/markdown.tsx'
import { MARKUP } from '../support/markup.ts'

function render(text: string): string {
  const rendered = html`${Markdown({ text })}`
  if (rendered instanceof Promise) throw new Error('nothing here waits')
  return rendered.toString()
}

/** Every tag that the subset can make. */
const TAGS =
  /^<(?:\/?(?:p|ul|ol|li|strong|em|code|a)|br\/|a href="(?:https?:\/\/|\/(?![/\\])|mailto:)[^"]*")>$/

describe('Markdown', () => {
  test.each([
    ['No uploads on Sunday.', '<p>No uploads on Sunday.</p>'],
    ['one\ntwo\n\nthree', '<p>one<br/>two</p><p>three</p>'],
    [
      '**bold**, *italic*, _italic_ and `a*b*`',
      '<p><strong>bold</strong>, <em>italic</em>, <em>italic</em> and <code>a*b*</code></p>',
    ],
    ['**bold with _italic_**', '<p><strong>bold with <em>italic</em></strong></p>'],
    ['# Maintenance\nat noon', '<p><strong>Maintenance</strong></p><p>at noon</p>'],
    [
      'Changes:\n- one\n- **two**',
      '<p>Changes:</p><ul><li>one</li><li><strong>two</strong></li></ul>',
    ],
    ['1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
    [
      'see [the page](https://example.org/a?b=c&d)',
      '<p>see <a href="https://example.org/a?b=c&amp;d">the page</a></p>',
    ],
    ['[keys](/account/keys)', '<p><a href="/account/keys">keys</a></p>'],
    ['[mail](mailto:a@example.org)', '<p><a href="mailto:a@example.org">mail</a></p>'],
    [
      '详见 https://example.org/通知。',
      '<p>详见 <a href="https://example.org/通知">https://example.org/通知</a>。</p>',
    ],
    [String.raw`\*not bold\*`, '<p>*not bold*</p>'],
    ['snake_case_name 2 * 3 * 4', '<p>snake_case_name 2 * 3 * 4</p>'],
    ['', ''],
    [' \n\t\n ', ''],
  ])('of %j', (text, rendered) => {
    expect(render(text)).toBe(rendered)
  })

  test.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert%281%29)',
    '[x](data:text/html,x)',
    '[x](//evil.example)',
    '[x](/\\evil.example)',
    '[x](vbscript:x)',
    '[x](mailto:a@b?bcc=c@d)',
    '[x](&#106;avascript:x)',
    '![x](https://evil.example/x.png)'.replace('https:', 'x:'),
  ])('shows what is no link of ours as it was written: %s', (text) => {
    expect(render(text)).not.toContain('href')
  })

  test('has no images, so a page contacts no other host by itself', () => {
    expect(render('![x](https://evil.example/x.png)')).toBe(
      '<p>!<a href="https://evil.example/x.png">x</a></p>',
    )
  })

  test('makes nothing but its own tags of any text', () => {
    const piece = fc.constantFrom(
      '**',
      '*',
      '_',
      '`',
      '[',
      '](',
      ')',
      '<b>',
      '"',
      "'",
      '&',
      '\n',
      '\n\n',
      '# ',
      '- ',
      '1. ',
      '\\',
      'https://x.y/',
      'javascript:',
      MARKUP,
    )
    const text = fc
      .array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 30 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (written) => {
        for (const [tag] of render(written).matchAll(/<[^>]*>/g)) expect(tag).toMatch(TAGS)
      }),
      { numRuns: 1000 },
    )
  })

  test('takes no long time for the longest hostile text', () => {
    const start = performance.now()
    for (const piece of [
      '*',
      '_',
      '`',
      '[',
      '[a](',
      '**a',
      '`a',
      '_a ',
      'https://',
      '- ',
      '\\',
      '# ',
    ])
      render(piece.repeat(8192 / piece.length))
    // A quadratic search would take seconds for each.
    expect(performance.now() - start).toBeLessThan(1500)
  })
})
