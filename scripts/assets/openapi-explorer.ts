import { CommandError } from '../../src/programs/kit/command-error.ts'

/**
 * What we change in OpenAPI Explorer 2.4, each with what it is changed to. A style sheet of the
 * page can't do it: it reaches into the shadow tree only by `::part`. The `pre` is no part, the
 * buttons to copy lie in an element that exports none, and two others have no name.
 */
const CHANGES: [before: string, after: string][] = [
  // In a curl line, an apostrophe in the JSON body would end the text.
  ["-d '${l.body}'", "-d '${l.body.replaceAll(\"'\", \"'\\\\''\")}'"],
  // The button to copy covered the ends of the lines, and underscores of the last line were cut off.
  ['padding-right:70px', 'padding-right:90px;padding-bottom:4px'],
  // On phones, the labels of tables ran over the next column: the cells of a row stand one below the other.
  [
    '.m-table{table-layout:fixed',
    '@media(max-width:767.98px){.m-table,.m-table tr,.m-table td{display:block;box-sizing:border-box;width:auto!important;max-width:none!important}.m-table>tbody>tr>td+td,.m-table>tr>td+td{border-top:0}.m-table td{padding:4px 8px}.m-table td>div{text-align:left!important}.m-table form{height:auto!important}}.m-table td>div{align-items:flex-start!important}.m-table{table-layout:fixed',
  ],
  // Two ways to sign in were both named “HTTP Basic”.
  ['return"apiKey"===e.type?', 'return e["x-title"]?e["x-title"]:"apiKey"===e.type?'],
  // It stood in red before anybody had done anything.
  [
    '<div class="red-text">${Sr("authentication.no-api-key-applied")}',
    '<div>${Sr("authentication.no-api-key-applied")}',
  ],
  ['"no-api-key-applied":"No API key applied"', '"no-api-key-applied":"None is set yet."'],
  [
    'set:"SET",remove:"REMOVE",clear:"CLEAR ALL API KEYS"',
    'set:"Set",remove:"Remove",clear:"Remove all"',
  ],
  [
    'clear:"CLEAR","clear-response":"CLEAR RESPONSE",execute:"EXECUTE"',
    'clear:"Clear","clear-response":"Clear response",execute:"Execute"',
  ],
  // After a change of the colour scheme, the colours of buttons were hard to read for an instant.
  ['transition:background-color .2s;', ''],
]

/**
 * Returns the script of OpenAPI Explorer with our changes.
 *
 * @param original The script of the package.
 * @throws {CommandError} When a version has other code where we change it.
 */
export function changeOpenApiExplorer(original: string): string {
  return CHANGES.reduce((text, [before, after]) => {
    const parts = text.split(before)
    if (parts.length !== 2) throw new CommandError(`OpenAPI Explorer has no ${before} now.`)
    return parts.join(after)
  }, `/* Changed by Latchkey: scripts/assets/openapi-explorer.ts */${original}`)
}
